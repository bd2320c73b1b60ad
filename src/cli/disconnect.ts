// `holdpoint disconnect`: puts the settings of a connected agent back. A file that is as we wrote it comes back to the
// byte; one that was changed since loses our hooks and nothing else. The token is revoked, and only then is it forgotten
// that there was a connection: whatever stops half way is finished by the next `disconnect`.
import { rmSync } from 'node:fs';
import { Command } from 'commander';
import { stateFolder } from '../client/local.ts';
import { connect as connectTo, note, withServer } from './connection.ts';
import {
  type ConnectionRecord,
  copyOf,
  dropNeedlessCopy,
  forgetRecord,
  isAsWritten,
  readRecord,
  revokeTokens,
} from './connection-record.ts';
import { withExamples } from './examples.ts';
import { printJson } from './output.ts';
import { ownName } from './own-name.ts';
import { type ConnectFlags, confirm, connectorOf, judged, show } from './settings-change.ts';
import {
  mustBeUnchanged,
  mustBeWritable,
  readSettings,
  removeDraft,
  removeSettings,
  replaceSettings,
  type SettingsFile,
} from './settings-file.ts';

export function disconnectCommand(): Command {
  const command = new Command('disconnect')
    .description('put the settings of an agent back as they were')
    .argument('<agent>', 'the agent: claude or codex')
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
}

type Connector = Awaited<ReturnType<typeof connectorOf>>;

async function disconnect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const folder = stateFolder(process.env);
  const record = readRecord(folder, agent);
  const file = readSettings(record?.file ?? connector.file(process.env));
  const way = wayBack(connector, file, record);
  if (!record && way.text === file.text) {
    if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: false });
    return note(`${file.path} has nothing of Holdpoint in it; nothing was changed`);
  }
  if (way.text !== file.text) mustBeWritable(file);
  show(file, way.text, flags);
  await confirm(way.question, flags);
  mustBeUnchanged(file);
  if (way.text === undefined) removeSettings(file);
  else if (way.text !== file.text) replaceSettings(file, way.text, record?.mode ?? file.mode);
  if (record && way.isWhole && record.backup) rmSync(record.backup, { force: true });
  if (record) dropNeedlessCopy(record, way.text);
  removeDraft(file.path);
  const isRevoked = !record || (await revoke(flags, record));
  if (isRevoked) forgetRecord(folder, agent);
  if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: true, restored: way.isWhole });
  note(way.told);
  if (record && !way.isWhole && copyOf(record) !== undefined)
    note(`the file as it was before is still in ${record.backup}`);
  if (!isRevoked)
    note(
      `the server could not be told to revoke the token: run \`${ownName()} disconnect ${agent}\` again when it is there`,
    );
}

function wayBack(connector: Connector, file: SettingsFile, record: ConnectionRecord | undefined): Way {
  const { path, text } = file;
  const copy = record && copyOf(record);
  const isCopyGone = record?.backup !== undefined && copy === undefined;
  if (record && isAsWritten(file, record) && !isCopyGone)
    return { text: copy, isWhole: true, question: `Put ${path} back as it was?`, told: `${path} is as it was` };
  const byHand = `By hand: ${connector.byHand}. Then run this again.`;
  const isConnected = text !== undefined && judged(file, () => connector.isConnected(text), [byHand]);
  if (!isConnected) {
    const told = `${path} has no hooks of Holdpoint; what was left of the connection is gone`;
    return { text, isWhole: false, question: `Forget the connection of ${path}?`, told };
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

async function revoke(flags: ConnectFlags, record: ConnectionRecord): Promise<boolean> {
  if (record.token_id === undefined && record.token_name === undefined) return true;
  try {
    await revokeTokens(await connectTo(flags), record);
    return true;
  } catch {
    return false;
  }
}
