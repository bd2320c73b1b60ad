// Reads the needs-input sentinel: a file whose existence is the signal and whose content is the question. Owns that it is
// moved away before it is read, so that it is read once, and what a well-formed one contains. A malformed one is an error
// that quotes nothing of its content.
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { canonical } from '../../core/digest.ts';
import { bytesOf, PARTIAL_STATE_BYTES } from '../../core/partial-state.ts';
import { isMissing } from '../kit/runtime.ts';

export interface NeedsInput {
  question: string;
  options: { label: string; description?: string | undefined }[];
  context?: string | undefined;
  partial_state?: unknown;
}

export class MalformedSentinel extends Error {
  constructor(what: string) {
    super(`The needs-input sentinel is malformed: ${what}.`);
    this.name = 'MalformedSentinel';
  }
}

const FILE_BYTES = 2 * 1024 * 1024;
const OWNER_MAY_READ = 0o400;

/** Removes the sentinel of an earlier program, unread. */
export async function discard(path: string, aside: string): Promise<void> {
  await rename(path, aside).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  await rm(aside, { recursive: true, force: true });
}

/** Moves the file away, then reads it. The caller removes it when the question is stored. */
export async function consume(path: string, aside: string): Promise<NeedsInput> {
  await rename(path, aside);
  return readSentinel(aside);
}

export async function readSentinel(path: string): Promise<NeedsInput> {
  return parseSentinel(await readBytes(path));
}

async function readBytes(path: string): Promise<Buffer> {
  // Follows no link, and does not block on a named pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw new MalformedSentinel('it is a symbolic link');
    throw new MalformedSentinel(`it cannot be read (${error.code})`);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new MalformedSentinel('it is not a regular file');
    // A worker that runs as root could read it, but its writer did not mean it to be read.
    if ((stat.mode & OWNER_MAY_READ) === 0) throw new MalformedSentinel('it cannot be read (no read permission)');
    if (stat.size > FILE_BYTES)
      throw new MalformedSentinel(`it has ${stat.size} bytes; at most ${FILE_BYTES} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export function parseSentinel(bytes: Buffer): NeedsInput {
  const value = jsonOf(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedSentinel('it is not a JSON object');
  const { question, options, context, partial_state } = value as Record<string, unknown>;
  if (typeof question !== 'string' || question.trim() === '')
    throw new MalformedSentinel('`question` must be a text that is not blank');
  checkState(partial_state);
  return {
    question,
    options: optionsOf(options),
    ...(typeof context === 'string' && context.trim() !== '' && { context }),
    ...(partial_state !== undefined && { partial_state }),
  };
}

/** Errors of the parser itself would quote the content. */
function jsonOf(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedSentinel('it is not valid UTF-8');
  }
  if (text.trim() === '') throw new MalformedSentinel('it is empty');
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedSentinel('it is not valid JSON (perhaps only half of it was written)');
  }
}

function checkState(state: unknown): void {
  if (state === undefined) return;
  let bytes: number;
  try {
    bytes = bytesOf(canonical(state));
  } catch {
    throw new MalformedSentinel('`partial_state` is nested too deep');
  }
  if (bytes > PARTIAL_STATE_BYTES)
    throw new MalformedSentinel(
      `\`partial_state\` has ${bytes} bytes of canonical JSON; at most ${PARTIAL_STATE_BYTES} are kept`,
    );
}

/** Texts, or objects with a label. Anything else is dropped, and so are labels that differ only in case. */
function optionsOf(options: unknown): NeedsInput['options'] {
  if (!Array.isArray(options)) return [];
  const seen = new Set<string>();
  return options.flatMap((option: unknown) => {
    const { label, description } =
      typeof option === 'string' ? { label: option } : ((option ?? {}) as Record<string, unknown>);
    if (typeof label !== 'string' || label.trim() === '' || seen.has(label.trim().toLowerCase())) return [];
    seen.add(label.trim().toLowerCase());
    return [{ label: label.trim(), ...(typeof description === 'string' && { description }) }];
  });
}
