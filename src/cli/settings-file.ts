// A settings file of another program: read as it is, changed whole or not at all, kept in a copy beside it, and put back
// byte for byte. A link is followed, because people keep their settings elsewhere.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Failure } from './failure.ts';

const Record = z.strictObject({
  file: z.string(),
  /** The copy; none where there was no file. */
  backup: z.string().optional(),
  mode: z.int(),
  written_sha256: z.string(),
  token_id: z.string().optional(),
});
export type ConnectionRecord = z.infer<typeof Record>;

const PRIVATE = 0o600;
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

export interface SettingsFile {
  path: string;
  text: string | undefined;
  mode: number;
}

export function readSettings(named: string): SettingsFile {
  if (!existsSync(named)) return { path: named, text: undefined, mode: PRIVATE };
  const path = realpathSync(named);
  const bytes = readFileSync(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, text, mode: statSync(path).mode & 0o7777 };
  } catch {
    throw new Failure('unexpected', `${path} is no text: it was left as it is.`);
  }
}

export const isAsWritten = (file: SettingsFile, record: ConnectionRecord): boolean =>
  file.text !== undefined && sha256(file.text) === record.written_sha256;

/** It holds a token from now on: nobody else may read it. */
export function changeSettings(file: SettingsFile, text: string, tokenId: string | undefined): ConnectionRecord {
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  const backup = file.text === undefined ? undefined : `${file.path}.before-holdpoint`;
  if (backup !== undefined) writeWhole(backup, file.text as string, file.mode);
  writeWhole(file.path, text, PRIVATE);
  const kept = { file: file.path, mode: file.mode, written_sha256: sha256(text) };
  return { ...kept, ...(tokenId !== undefined && { token_id: tokenId }), ...(backup !== undefined && { backup }) };
}

/** Whether there is what it takes to put it back: people tidy up. */
export const hasCopy = ({ backup }: ConnectionRecord): boolean => backup === undefined || existsSync(backup);

/** As it was before, to the byte. */
export function putBack({ file, backup, mode }: ConnectionRecord): void {
  if (backup !== undefined) writeWhole(file, readFileSync(backup), mode);
  rmSync(backup ?? file, { force: true });
}

export function writeWhole(path: string, content: string | Buffer, mode: number): void {
  const draft = `${path}.holdpoint-draft`;
  writeFileSync(draft, content, { mode, flush: true });
  chmodSync(draft, mode);
  renameSync(draft, path);
}

const recordPath = (folder: string, agent: string): string => join(folder, 'connections', `${agent}.json`);

export function keepRecord(folder: string, agent: string, record: ConnectionRecord): void {
  mkdirSync(join(folder, 'connections'), { recursive: true, mode: 0o700 });
  writeWhole(recordPath(folder, agent), `${JSON.stringify(record, undefined, 2)}\n`, PRIVATE);
}

export function readRecord(folder: string, agent: string): ConnectionRecord | undefined {
  const path = recordPath(folder, agent);
  if (!existsSync(path)) return undefined;
  const read = Record.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (read.success) return read.data;
  throw new Failure('unexpected', `${path} was altered; see what it says, then remove it.`);
}

export const forgetRecord = (folder: string, agent: string): void => rmSync(recordPath(folder, agent), { force: true });
