// Reads the needs-input sentinel: a file whose existence is the signal and whose content is the question. Owns that it is
// moved away before it is read, so that it is read once, and what a well-formed one contains. Text over the limits of an
// ask is truncated. The error for a malformed one quotes nothing of its content, and carries it for the run's record.
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { canonical } from '../../core/digest.ts';
import { bytesOf, PARTIAL_STATE_BYTES } from '../../core/partial-state.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import { isMissing } from '../kit/runtime.ts';

export interface NeedsInput {
  question: string;
  options: { label: string; description?: string | undefined }[];
  context?: string | undefined;
  partial_state?: unknown;
}

export class MalformedSentinel extends Error {
  /** The beginning of the file, where it could be read. */
  content: string | undefined;

  constructor(what: string) {
    super(`The needs-input sentinel is malformed: ${what}.`);
    this.name = 'MalformedSentinel';
  }
}

const FILE_BYTES = 2 * 1024 * 1024;
/** What an ask takes: characters of a text, and options. */
const LONGEST_TEXT = 20_000;
const MOST_OPTIONS = 50;
const RECORDED_CHARACTERS = 32 * 1024;
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
  const bytes = await readBytes(path);
  try {
    return parseSentinel(bytes);
  } catch (error) {
    if (error instanceof MalformedSentinel)
      error.content = storable(truncate(bytes.subarray(0, 4 * RECORDED_CHARACTERS).toString(), RECORDED_CHARACTERS));
    throw error;
  }
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
  const offered = optionsOf(options);
  const more = offered.length - MOST_OPTIONS;
  const about = [
    typeof context === 'string' ? context : '',
    more > 0 ? `${more} more options are not listed; they can be given as text.` : '',
  ].filter((text) => text.trim() !== '');
  return {
    question: truncate(question, LONGEST_TEXT),
    options: offered.slice(0, MOST_OPTIONS),
    ...(about.length > 0 && { context: truncate(about.toReversed().join('\n\n'), LONGEST_TEXT) }),
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
