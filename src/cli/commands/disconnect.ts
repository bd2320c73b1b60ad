// `holdpoint disconnect`: puts the settings of a connected agent back. A file that is as we wrote it comes back to the
// byte; one that was changed since loses our hooks and nothing else. The token is revoked, and only then is it forgotten
// that there was a connection: whatever stops half way is finished by the next `disconnect`.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { serverUrl, stateFolder } from '../../client/local.ts';
import {
  type ConnectionRecord,
  copyOf,
  dropNeedlessCopy,
  forgetRecord,
  isAsWritten,
  recordOf,
  recordsOf,
  revokeAtServer,
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
  mustBeUnchanged,
  mustBeWritable,
  readSettings,
  removeDraft,
  removeSettings,
  replaceSettings,
  type SettingsFile,
} from '../connect/settings-file.ts';
import { withExamples } from '../help-examples.ts';
import { printJson } from '../output.ts';
import { ownName } from '../program-name.ts';
import { note, withServer } from '../server-connection.ts';

export async function disconnectCommand(): Promise<Command> {
  const command = new Command('disconnect')
    .description('put the settings of an agent back as they were')
    .addArgument(await agentArgument())
    .option('--yes', 'make the change without asking');
  withExamples(command, 'holdpoint disconnect claude --yes', 'holdpoint disconnect codex --yes');
  return withServer(command).action(disconnect);
}

/** How the settings are got back, and what the person is told of it. */
interface Way {
  text: string | undefined;
  isWhole: boolean;
  question: string;
  told: string;
  /** What may be said besides, once the token is revoked. */
  end?: string;
}

async function disconnect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const folder = stateFolder(process.env);
  const named = resolve(connector.file(process.env));
  const record = recordOf(folder, agent, named);
  const file = readSettings(record?.file ?? named);
  const way = wayBack(connector, file, record);
  if (!record && way.text === file.text) {
    if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: false });
    const others = recordsOf(folder, agent).map((other) => other.named);
    const elsewhere = others.length === 0 ? '' : `. Connected, under another settings folder: ${others.join(', ')}`;
    return note(`${file.path} has nothing of Holdpoint in it; nothing was changed${elsewhere}`);
  }
  if (way.text !== file.text) mustBeWritable(file);
  show(file, way.text, flags, connector);
  await confirm(way.question, flags);
  const failure = await underLock(folder, async () => {
    mustBeUnchanged(file);
    putBack(file, way, record);
    if (!record) return undefined;
    const error = await revoke(flags, record);
    if (error !== undefined) return unrevoked(folder, agent, record, error);
    forgetRecord(folder, agent, record);
    return undefined;
  });
  if (failure) note(`${failure.what}. ${failure.advice}`);
  if (flags.json) {
    const token_revoked = record?.token_name === undefined ? null : !failure;
    return printJson({ disconnected: agent, file: file.path, changed: true, restored: way.isWhole, token_revoked });
  }
  note(!failure && way.end ? `${way.told}; ${way.end}` : way.told);
  if (record && !way.isWhole && copyOf(record) !== undefined)
    note(`the file as it was before is still in ${record.backup}`);
}

function putBack(file: SettingsFile, { text, isWhole }: Way, record: ConnectionRecord | undefined): void {
  if (text === undefined) removeSettings(file);
  else if (text !== file.text) replaceSettings(file, text, record?.mode ?? file.mode);
  if (record && isWhole && record.backup) rmSync(record.backup, { force: true });
  if (record) dropNeedlessCopy(record, text);
  removeDraft(file.path);
}

function wayBack(connector: AgentConnector, file: SettingsFile, record: ConnectionRecord | undefined): Way {
  const { path, text } = file;
  const copy = record && copyOf(record);
  const isCopyGone = record?.backup !== undefined && copy === undefined;
  if (record && isAsWritten(file, record) && !isCopyGone)
    return { text: copy, isWhole: true, question: `Put ${path} back as it was?`, told: `${path} is as it was` };
  const byHand = `By hand: ${connector.byHand}. Then run this again.`;
  const isConnected = text !== undefined && judged(file, () => connector.isConnected(text), [byHand]);
  if (!isConnected) {
    const question = `Forget the connection of ${path}?`;
    const end = 'what was left of the connection is gone';
    return { text, isWhole: false, question, told: `${path} has no hooks of Holdpoint`, end };
  }
  const why = !record
    ? `there is no record of a connection in ${stateFolder(process.env)}`
    : isCopyGone
      ? `the copy ${record.backup} is gone`
      : `${path} was changed since`;
  const more = record || !connector.needsToken ? '' : `. Their token is still good: see ${ownName()} tokens list`;
  return {
    text: judged(file, () => connector.disconnected(text, copy), [byHand]),
    isWhole: false,
    question: `Take the hooks out of ${path}?`,
    told: `${why}: only the hooks were taken out of ${path}${more}`,
  };
}

/** What went wrong; nothing when no token is left. At the server that made it, whichever is the usual one now. */
async function revoke(flags: ConnectFlags, record: ConnectionRecord): Promise<unknown> {
  if (record.token_id === undefined && record.token_name === undefined) return undefined;
  try {
    await revokeAtServer(flags, record, flags.url ?? record.url, flags.url ?? serverUrl(process.env));
    return undefined;
  } catch (error) {
    return error;
  }
}
