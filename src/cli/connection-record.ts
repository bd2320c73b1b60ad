// What is written down of a connected agent, in the state folder: which file was changed, where its copy is, and which
// token its hooks have. Written before anything is done, so that whatever a crash leaves behind is found again.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { Failure } from './failure.ts';
import { PRIVATE, type SettingsFile, sha256, writeWhole } from './settings-file.ts';

const ConnectionRecord = z.strictObject({
  file: z.string(),
  /** The copy; none where there was no file. */
  backup: z.string().optional(),
  mode: z.int(),
  /** What the token is called, before it is made. */
  token_name: z.string().optional(),
  token_id: z.string().optional(),
  /** What the file is to be; not known before the token is. */
  written_sha256: z.string().optional(),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

const recordPath = (folder: string, agent: string): string => join(folder, 'connections', `${agent}.json`);

export function keepRecord(folder: string, agent: string, record: ConnectionRecord): void {
  mkdirSync(join(folder, 'connections'), { recursive: true, mode: 0o700 });
  writeWhole(recordPath(folder, agent), `${JSON.stringify(record, undefined, 2)}\n`, PRIVATE);
}

export function readRecord(folder: string, agent: string): ConnectionRecord | undefined {
  const path = recordPath(folder, agent);
  if (!existsSync(path)) return undefined;
  try {
    return ConnectionRecord.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Failure('unexpected', `${path} was altered; see what it says, then remove it.`);
  }
}

export const forgetRecord = (folder: string, agent: string): void => rmSync(recordPath(folder, agent), { force: true });

export const isAsWritten = (file: SettingsFile, record: ConnectionRecord): boolean =>
  file.text !== undefined && sha256(file.text) === record.written_sha256;

/** The copy, where it is still there: people tidy up. */
export const copyOf = ({ backup }: ConnectionRecord): string | undefined =>
  backup !== undefined && existsSync(backup) ? readFileSync(backup, 'utf8') : undefined;

/** A copy that says no more than the file itself. */
export function dropNeedlessCopy(record: ConnectionRecord, text: string | undefined): void {
  if (record.backup !== undefined && copyOf(record) === text) rmSync(record.backup, { force: true });
}

/** Every token that was made for this connection, by whatever is known of it. One that is gone is as good as revoked. */
export async function revokeTokens(client: Client, { token_id, token_name }: ConnectionRecord): Promise<void> {
  const ids = new Set(token_id === undefined ? [] : [token_id]);
  if (token_name !== undefined && token_id === undefined)
    for await (const token of every((page) => client.tokens.list({ ...page, limit: 500 })))
      if (token.name === token_name) ids.add(token.token_id);
  for (const id of ids)
    await client.tokens.revoke(id).catch((error: unknown) => {
      if (!(error instanceof HoldpointProblem) || error.status !== 404) throw error;
    });
}
