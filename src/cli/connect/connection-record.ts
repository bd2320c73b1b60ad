// What is written down of a connected agent, in the state folder, once for each settings file: which file was changed,
// where its copy is, which token its hooks have and which server made it. Written before anything is done, so that
// whatever a crash leaves behind is found again.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { every } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { Failure, told } from '../failure.ts';
import { ownName } from '../program-name.ts';
import { addressOf, connect, type ServerFlags } from '../server-connection.ts';
import { leadsTo, PRIVATE, type SettingsFile, sha256, writeWhole } from './settings-file.ts';

const ConnectionRecord = z.strictObject({
  /** What the agent calls its settings file, and the file itself: a link may lead elsewhere tomorrow. */
  named: z.string(),
  file: z.string(),
  /** The server that the hooks ask, and that made their token. */
  url: z.string(),
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

const recordsFolder = (folder: string): string => join(folder, 'connections');

/** One for each file: an agent may have several, each with its own settings folder. */
export const recordPath = (folder: string, agent: string, { file }: Pick<ConnectionRecord, 'file'>): string =>
  join(recordsFolder(folder), `${agent}-${sha256(file).slice(0, 16)}.json`);

export function keepRecord(folder: string, agent: string, record: ConnectionRecord): void {
  mkdirSync(recordsFolder(folder), { recursive: true, mode: 0o700 });
  writeWhole(recordPath(folder, agent, record), `${JSON.stringify(record, undefined, 2)}\n`, PRIVATE);
}

export function recordsOf(folder: string, agent: string): ConnectionRecord[] {
  const connections = recordsFolder(folder);
  if (!existsSync(connections)) return [];
  const isOurs = new RegExp(`^${agent}-[0-9a-f]{16}\\.json$`);
  return readdirSync(connections)
    .filter((name) => isOurs.test(name))
    .map((name) => readRecord(join(connections, name)));
}

/** By the name it was connected under, which holds even when a link was turned since; else by the file itself. */
export function recordOf(folder: string, agent: string, named: string): ConnectionRecord | undefined {
  const records = recordsOf(folder, agent);
  if (records.length === 0) return undefined;
  return records.find((record) => record.named === named) ?? records.find(({ file }) => file === leadsTo(named));
}

function readRecord(path: string): ConnectionRecord {
  try {
    return ConnectionRecord.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Failure('unexpected', `${path} was altered; see what it says, then remove it.`);
  }
}

export const forgetRecord = (folder: string, agent: string, record: ConnectionRecord): void =>
  rmSync(recordPath(folder, agent, record), { force: true });

export const isAsWritten = (file: SettingsFile, record: ConnectionRecord): boolean =>
  file.text !== undefined && sha256(file.text) === record.written_sha256;

/** The copy, where it is still there: people tidy up. */
export const copyOf = ({ backup }: ConnectionRecord): string | undefined =>
  backup !== undefined && existsSync(backup) ? readFileSync(backup, 'utf8') : undefined;

/** A copy that says no more than the file itself. */
export function dropNeedlessCopy(record: ConnectionRecord, text: string | undefined): void {
  if (record.backup !== undefined && copyOf(record) === text) rmSync(record.backup, { force: true });
}

/**
 * Every token that was made for this connection, by whatever is known of it. At its own server one that is gone is as
 * good as revoked; at another address, which the person named, it must be there.
 */
export async function revokeTokens(client: Client, record: ConnectionRecord, url = record.url): Promise<void> {
  const { token_id, token_name } = record;
  const ids = new Set(token_id === undefined ? [] : [token_id]);
  if (token_name !== undefined && token_id === undefined)
    for await (const token of every((page) => client.tokens.list({ ...page, limit: 500 })))
      if (token.name === token_name) ids.add(token.token_id);
  let revoked = 0;
  for (const id of ids) if (await isRevoked(client, id)) revoked++;
  if (url !== record.url && token_name !== undefined && revoked === 0)
    throw new Failure('not_found', `${url} does not know it: it was made at ${record.url}`);
}

/**
 * At the server that made them. Where nothing answers there any more it may have moved to another port: then at the
 * `usual` one, which must know them.
 */
export async function revokeAtServer(flags: ServerFlags, record: ConnectionRecord, first: string, usual: string) {
  const at = async (url: string) => revokeTokens(await connect({ ...flags, url }), record, addressOf(url));
  try {
    await at(first);
  } catch (error) {
    if (told(error).exit !== 'unreachable' || usual === first) throw error;
    await at(usual).catch(() => {
      throw error;
    });
  }
}

/** Why not, and what to do, for the person with whose token it was tried. */
export function unrevoked(folder: string, agent: string, record: ConnectionRecord, error: unknown) {
  const isTokenRefused = error instanceof HoldpointProblem && error.status === 401;
  const why = isTokenRefused ? 'that server does not take the token you use' : told(error).message.replace(/\.$/, '');
  return {
    what: `the token of its hooks could not be revoked at ${record.url}: ${why}`,
    advice:
      `Run \`${ownName()} disconnect ${agent}\` again when that server is there, with a --token of it. ` +
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
