// Records the connection of an agent in the state folder, one record for each settings file: the changed file, its backup,
// the token of its hooks and the server that issued it. Written before the change, so that `connect` and `disconnect`
// recover from a crash. Also revokes the token of a record.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Client, listAll } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import type { ServerFlags } from '../command-flags.ts';
import { Failure, reportOf } from '../failure.ts';
import { programName } from '../program-name.ts';
import { addressOf, connect } from '../server-connection.ts';
import { linkTarget, type SettingsFile, sha256 } from './settings-file.ts';

const optionalText = z.string().optional();

const ConnectionRecord = z.strictObject({
  /** The path that the agent uses, and the file itself: a link may be changed later. */
  named: z.string(),
  file: z.string(),
  /** The server that the hooks ask and that issued their token. */
  url: z.string(),
  /** The backup; none where there was no file. */
  backup: optionalText,
  /** The name of the token, recorded before the token exists. */
  token_name: optionalText,
  token_id: optionalText,
  /** The digest of the changed file; unknown until the token exists. */
  written_sha256: optionalText,
  /** The permissions of the file before the change. */
  mode: z.int(),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

const recordsFolder = (folder: string): string => join(folder, 'connections');

/** One record for each file: an agent may have several settings folders. */
export const recordPath = (folder: string, agent: string, { file }: Pick<ConnectionRecord, 'file'>): string =>
  join(recordsFolder(folder), `${agent}-${sha256(file).slice(0, 16)}.json`);

export function saveRecord(folder: string, agent: string, record: ConnectionRecord): void {
  mkdirSync(recordsFolder(folder), { recursive: true, mode: 0o700 });
  writeFileAtomic(recordPath(folder, agent, record), `${JSON.stringify(record, undefined, 2)}\n`);
}

export function recordsOf(folder: string, agent: string): ConnectionRecord[] {
  const connections = recordsFolder(folder);
  if (!existsSync(connections)) return [];
  const isOurs = new RegExp(`^${agent}-[0-9a-f]{16}\\.json$`);
  return readdirSync(connections)
    .filter((name) => isOurs.test(name))
    .map((name) => readRecord(join(connections, name)));
}

/** By the path it was connected under, which is stable when a link changes; else by the file itself. */
export function recordOf(folder: string, agent: string, named: string): ConnectionRecord | undefined {
  const records = recordsOf(folder, agent);
  if (records.length === 0) return undefined;
  return records.find((record) => record.named === named) ?? records.find(({ file }) => file === linkTarget(named));
}

function readRecord(path: string): ConnectionRecord {
  try {
    return ConnectionRecord.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Failure('unexpected', `${path} is damaged: check its content, then remove it.`);
  }
}

export const deleteRecord = (folder: string, agent: string, record: ConnectionRecord): void =>
  rmSync(recordPath(folder, agent, record), { force: true });

export const isAsWritten = (file: SettingsFile, record: ConnectionRecord): boolean =>
  file.text !== undefined && sha256(file.text) === record.written_sha256;

/** The content of the backup, if the file still exists. */
export const backupOf = ({ backup }: ConnectionRecord): string | undefined =>
  backup !== undefined && existsSync(backup) ? readFileSync(backup, 'utf8') : undefined;

/** Removes a backup that equals the file. */
export function removeRedundantBackup(record: ConnectionRecord, text: string | undefined): void {
  if (record.backup !== undefined && backupOf(record) === text) rmSync(record.backup, { force: true });
}

/**
 * Revokes every token of this connection. At the server that issued them a missing token counts as revoked; a server at
 * another address must know them.
 */
export async function revokeTokens(client: Client, record: ConnectionRecord, url = record.url): Promise<void> {
  const { token_id, token_name } = record;
  const ids = new Set(token_id === undefined ? [] : [token_id]);
  if (token_name !== undefined && token_id === undefined)
    for (const token of await listAll((page) => client.tokens.list(page)))
      if (token.name === token_name) ids.add(token.token_id);
  let revoked = 0;
  for (const id of ids) if (await isRevoked(client, id)) revoked++;
  if (url !== record.url && token_name !== undefined && revoked === 0)
    throw new Failure('not_found', `${url} does not know it: it was issued by ${record.url}`);
}

/** Revokes at `first`. If nothing answers there, the server may have moved: then at `usual`, which must know the tokens. */
export async function revokeAtServer(flags: ServerFlags, record: ConnectionRecord, first: string, usual: string) {
  const at = async (url: string) => revokeTokens(await connect({ ...flags, url }), record, addressOf(url));
  try {
    await at(first);
  } catch (error) {
    if (reportOf(error).exit !== 'unreachable' || usual === first) throw error;
    await at(usual).catch(() => {
      throw error;
    });
  }
}

/** Explains why the token could not be revoked, and what to do. */
export function revocationProblem(folder: string, agent: string, record: ConnectionRecord, error: unknown) {
  const isTokenRefused = error instanceof HoldpointProblem && error.status === 401;
  const why = isTokenRefused ? 'that server does not accept your token' : reportOf(error).message.replace(/\.$/, '');
  return {
    what: `the token of its hooks could not be revoked at ${record.url}: ${why}`,
    advice:
      `Run \`${programName()} disconnect ${agent}\` again when that server runs, with a --token for it. ` +
      `If it is gone for good: rm ${recordPath(folder, agent, record)}`,
  };
}

async function isRevoked(client: Client, id: string): Promise<boolean> {
  try {
    await client.tokens.revoke(id);
    return true;
  } catch (error) {
    if (error instanceof HoldpointProblem && error.status === 404) return false;
    throw error;
  }
}
