// `holdpoint connect`: points a person's own, installed agent at Holdpoint. The change is shown before it is made and a
// copy is kept. Everything is looked at first; then it is written down what is to be done, and done. What fails half way
// is undone, and what a crash leaves is mended by the next `connect` or `disconnect`. What an agent's settings look like
// is not known here.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import {
  type ConnectionRecord,
  dropNeedlessCopy,
  forgetRecord,
  keepRecord,
  recordOf,
  revokeAtServer,
  revokeTokens,
  unrevoked,
} from '../connect/connection-record.ts';
import {
  type AgentConnector,
  agentArgument,
  type ConnectFlags,
  confirm,
  connectorOf,
  judged,
  show,
  underLock,
} from '../connect/settings-change.ts';
import {
  copyName,
  mustBeUnchanged,
  mustBeWritable,
  PRIVATE,
  readSettings,
  replaceSettings,
  type SettingsFile,
  sha256,
  writeWhole,
} from '../connect/settings-file.ts';
import { Failure, told } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { printJson } from '../output.ts';
import { launcher, ownName } from '../program-name.ts';
import { addressOf, connect as connectTo, note, withServer } from '../server-connection.ts';

const UNMADE = '(a token of its own, made when you confirm)';

export async function connectCommand(): Promise<Command> {
  const command = new Command('connect')
    .description('let an agent you have installed ask here too; shows the change first')
    .addArgument(await agentArgument())
    .option('--yes', 'make the change without asking');
  withExamples(command, 'holdpoint connect claude --yes', 'holdpoint connect codex --yes');
  return withServer(command).action(connect);
}

async function connect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const named = resolve(connector.file(process.env));
  const file = readSettings(named);
  mustBeWritable(file);
  const client = await connectTo(flags);
  const url = addressOf(flags.url ?? serverUrl(process.env));
  const folder = stateFolder(process.env);
  const place = { url, data: folder, program: launcher };
  const changed = (token: string) => judged(file, () => connector.connected(file.text, { ...place, token }));
  show(file, changed(UNMADE), flags, connector);
  await confirm(`Change ${file.path}?`, flags);
  const { backup, token_id } = await underLock(folder, async () => {
    mustBeUnchanged(file);
    await mendEarlier({ flags, folder, agent, connector, named, file });
    const token_name = connector.needsToken ? tokenName(agent) : undefined;
    return change({ client, folder, agent, named, url, file, changed, token_name });
  });
  if (flags.json)
    return printJson({ connected: agent, file: file.path, backup: backup ?? null, token_id: token_id ?? null });
  note(`${connector.note} The file as it was: ${backup ?? 'there was none'}. Back: ${back(agent)}`);
}

interface Earlier extends Pick<Change, 'folder' | 'agent' | 'named' | 'file'> {
  flags: ConnectFlags;
  connector: AgentConnector;
}

/** The file has none of our hooks: whatever is written down of an earlier connection was never finished, or is over. */
async function mendEarlier({ flags, folder, agent, connector, named, file }: Earlier): Promise<void> {
  const earlier = recordOf(folder, agent, named);
  if (!earlier) return;
  const there = earlier.file === file.path ? file : readSettings(earlier.file);
  const { text } = there;
  if (text !== undefined && judged(there, () => connector.isConnected(text)))
    throw new Failure('conflict', `${named} led to ${there.path}, which still has the hooks. First: ${back(agent)}`);
  try {
    await revokeAtServer(flags, earlier, earlier.url, flags.url ?? serverUrl(process.env));
  } catch (error) {
    const { what, advice } = unrevoked(folder, agent, earlier, error);
    throw new Failure(told(error).exit, `nothing was changed: of an earlier connection ${what}`, advice);
  }
  dropNeedlessCopy(earlier, text);
  forgetRecord(folder, agent, earlier);
}

const back = (agent: string): string => `${ownName()} disconnect ${agent}`;

/** Its end tells one connection from another: by it a token is found that a crash left without an owner. */
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
  const backup = file.text === undefined ? undefined : copyName(file.path);
  let record: ConnectionRecord = { named, file: file.path, url, mode: file.mode, backup, token_name };
  try {
    keepRecord(folder, agent, record);
    const name = token_name;
    const { token = '', token_id } = name ? await client.tokens.create({ scope: 'attached', name }) : {};
    const text = changed(token);
    record = { ...record, token_id, written_sha256: sha256(text) };
    keepRecord(folder, agent, record);
    if (backup !== undefined) writeWhole(backup, file.text ?? '', file.mode);
    // It holds a token from now on: nobody else may read it.
    replaceSettings(file, text, PRIVATE);
    return record;
  } catch (error) {
    if (backup !== undefined) rmSync(backup, { force: true });
    await revokeTokens(client, record).then(
      () => forgetRecord(folder, agent, record),
      () => note(`a token may be left: \`${back(agent)}\` revokes it when the server can be reached`),
    );
    throw error;
  }
}
