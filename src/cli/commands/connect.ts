// `holdpoint connect`: adds hooks to the settings of an installed agent, so that it asks on the server. The change is shown
// first and the file is backed up. The record is written before the change: a failure is rolled back, and what a crash
// leaves is repaired by the next `connect` or `disconnect`. The format of the settings belongs to the agent's connector.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import type { Command } from '../command.ts';
import {
  type ConnectionRecord,
  deleteRecord,
  recordOf,
  removeRedundantBackup,
  revocationProblem,
  revokeAtServer,
  revokeTokens,
  saveRecord,
} from '../connect/connection-record.ts';
import {
  type AgentConnector,
  type ConnectFlags,
  confirm,
  connectorOf,
  readWith,
  settingsCommand,
  showChange,
  underLock,
} from '../connect/settings-change.ts';
import {
  backupName,
  mustBeUnchanged,
  mustBeWritable,
  PRIVATE,
  readSettings,
  replaceSettings,
  type SettingsFile,
  sha256,
} from '../connect/settings-file.ts';
import { Failure, reportOf } from '../failure.ts';
import { note, printJson } from '../output.ts';
import { launcher, programName } from '../program-name.ts';
import { addressOf, connect as connectTo } from '../server-connection.ts';

const TOKEN_PLACEHOLDER = '(a token of its own, created when you confirm)';

export const connectCommand = (): Promise<Command> =>
  settingsCommand('connect', 'let an installed agent ask here too; shows the change first', connect);

async function connect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const named = resolve(connector.file(process.env));
  const file = readSettings(named);
  mustBeWritable(file);
  const client = await connectTo(flags);
  const url = addressOf(flags.url ?? serverUrl(process.env));
  const folder = stateFolder(process.env);
  const endpoint = { url, data: folder, program: launcher, env: process.env };
  const changed = (token: string) => readWith(file, () => connector.connected(file.text, { ...endpoint, token }));
  const proposed = changed(TOKEN_PLACEHOLDER);
  const problem = await connector.check?.(proposed);
  if (problem) throw new Failure('unreachable', `nothing was changed: ${problem}`);
  showChange(file, proposed, flags, connector);
  await confirm(`Change ${file.path}?`, flags);
  const { backup, token_id } = await underLock(folder, async () => {
    mustBeUnchanged(file);
    await repairEarlier({ flags, folder, agent, connector, named, file });
    const token_name = connector.needsToken ? tokenName(agent) : undefined;
    return change({ client, folder, agent, named, url, file, changed, token_name });
  });
  if (flags.json)
    return printJson({ connected: agent, file: file.path, backup: backup ?? null, token_id: token_id ?? null });
  const { programProblem } = await import('../../boot/agents.ts');
  const missing = await programProblem(agent);
  if (missing) note(missing);
  note(`${connector.note} Backup: ${backup ?? 'none, there was no file'}. To undo: ${undo(agent)}`);
}

interface Earlier extends Pick<Change, 'folder' | 'agent' | 'named' | 'file'> {
  flags: ConnectFlags;
  connector: AgentConnector;
}

/** The file has no hooks of ours, so a record of an earlier connection is unfinished or obsolete. */
async function repairEarlier({ flags, folder, agent, connector, named, file }: Earlier): Promise<void> {
  const earlier = recordOf(folder, agent, named);
  if (!earlier) return;
  const there = earlier.file === file.path ? file : readSettings(earlier.file);
  const { text } = there;
  if (text !== undefined && readWith(there, () => connector.isConnected(text)))
    throw new Failure(
      'conflict',
      `${named} pointed to ${there.path}, which still has the hooks. First: ${undo(agent)}`,
    );
  try {
    await revokeAtServer(flags, earlier, earlier.url, flags.url ?? serverUrl(process.env));
  } catch (error) {
    const { what, advice } = revocationProblem(folder, agent, earlier, error);
    throw new Failure(reportOf(error).exit, `nothing was changed: of an earlier connection, ${what}`, advice);
  }
  removeRedundantBackup(earlier, text);
  deleteRecord(folder, agent, earlier);
}

const undo = (agent: string): string => `${programName()} disconnect ${agent}`;

/** The random suffix identifies the token of this connection after a crash. */
const tokenName = (agent: string): string =>
  `${agent} of ${hostname()}`.slice(0, 110).concat(` ${randomBytes(4).toString('hex')}`);

interface Change {
  client: Client;
  folder: string;
  agent: string;
  named: string;
  url: string;
  file: SettingsFile;
  changed(token: string): string;
  token_name: string | undefined;
}

async function change(intended: Change): Promise<ConnectionRecord> {
  const { client, folder, agent, named, url, file, changed, token_name } = intended;
  const backup = file.text === undefined ? undefined : backupName(file.path);
  let record: ConnectionRecord = { named, file: file.path, url, mode: file.mode, backup, token_name };
  try {
    saveRecord(folder, agent, record);
    const name = token_name;
    const { token = '', token_id } = name ? await client.tokens.create({ scope: 'attached', name }) : {};
    const text = changed(token);
    record = { ...record, token_id, written_sha256: sha256(text) };
    saveRecord(folder, agent, record);
    if (backup !== undefined) writeFileAtomic(backup, file.text ?? '', { mode: file.mode });
    // The file contains a token from now on.
    replaceSettings(file, text, PRIVATE);
    return record;
  } catch (error) {
    if (backup !== undefined) rmSync(backup, { force: true });
    await revokeTokens(client, record).then(
      () => deleteRecord(folder, agent, record),
      () => note(`a token may remain: \`${undo(agent)}\` revokes it when the server can be reached`),
    );
    throw error;
  }
}
