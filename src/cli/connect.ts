// `holdpoint connect` and `disconnect`: point a person's own, installed agent at Holdpoint, and back. The change is shown
// before it is made, a copy is kept, and what was there before comes back to the byte. What an agent's settings look
// like is not known here.
import { hostname } from 'node:os';
import { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { serverUrl, stateFolder } from '../client/local.ts';
import { addressOf, connect as connectTo, note, type ServerFlags, withServer } from './connection.ts';
import { withExamples } from './examples.ts';
import { Failure, left } from './failure.ts';
import { print, printJson, terminalWidth } from './output.ts';
import { launcher, ownName } from './own-name.ts';
import {
  changeSettings,
  forgetRecord,
  hasCopy,
  isAsWritten,
  keepRecord,
  putBack,
  readRecord,
  readSettings,
  type SettingsFile,
  writeWhole,
} from './settings-file.ts';
import { unifiedDiff } from './text/file-change.ts';
import { wrap } from './text/layout.ts';

interface ConnectFlags extends ServerFlags {
  yes?: boolean;
}

const UNMADE = '(a token of its own, made when you confirm)';

export function connectCommand(): Command {
  const command = new Command('connect')
    .description('let an agent you have installed ask here too; shows the change first')
    .argument('<agent>', 'the agent: claude or codex')
    .option('--yes', 'make the change without asking');
  withExamples(command, 'holdpoint connect claude --yes', 'holdpoint connect codex --yes');
  return withServer(command).action(connect);
}

export function disconnectCommand(): Command {
  const command = new Command('disconnect')
    .description('put the settings of an agent back as they were')
    .argument('<agent>', 'the agent: claude or codex')
    .option('--yes', 'make the change without asking');
  withExamples(command, 'holdpoint disconnect claude --yes', 'holdpoint disconnect codex --yes');
  return withServer(command).action(disconnect);
}

async function connect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const file = readSettings(connector.file(process.env));
  const client = await connectTo(flags);
  const url = addressOf(flags.url ?? serverUrl(process.env));
  const folder = stateFolder(process.env);
  const place = { url, data: folder, program: launcher };
  const changed = (token: string) => judged(file, () => connector.connected(file.text, { ...place, token }));
  show(file, changed(UNMADE), flags);
  await confirm(`Change ${file.path}?`, flags);
  mustBeUnchanged(file);
  const name = `${agent} of ${hostname()}`.slice(0, 128);
  const made = connector.needsToken ? await client.tokens.create({ scope: 'attached', name }) : undefined;
  const { token = '', token_id } = made ?? {};
  const record = changeSettings(file, changed(token), token_id);
  keepRecord(folder, agent, record);
  if (flags.json)
    return printJson({
      connected: agent,
      file: record.file,
      backup: record.backup ?? null,
      token_id: token_id ?? null,
    });
  note(
    `${connector.note} The file as it was: ${record.backup ?? 'there was none'}. Back: ${ownName()} disconnect ${agent}`,
  );
}

async function disconnect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const folder = stateFolder(process.env);
  const record = readRecord(folder, agent);
  const file = readSettings(record?.file ?? connector.file(process.env));
  const isConnected = file.text !== undefined && judged(file, () => connector.isConnected(file.text as string));
  if (!record && !isConnected) {
    if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: false });
    return note(`${file.path} has nothing of Holdpoint in it; nothing was changed`);
  }
  const isCopyGone = record !== undefined && !hasCopy(record);
  const isWhole = record !== undefined && isAsWritten(file, record) && !isCopyGone;
  const before = isWhole && record.backup ? readSettings(record.backup).text : undefined;
  const text = isWhole
    ? before
    : isConnected
      ? judged(file, () => connector.disconnected(file.text as string))
      : file.text;
  show(file, text, flags);
  await confirm(isWhole ? `Put ${file.path} back as it was?` : `Take the hooks out of ${file.path}?`, flags);
  mustBeUnchanged(file);
  if (isWhole) putBack(record);
  else if (text !== undefined && text !== file.text) writeWhole(file.path, text, record?.mode ?? file.mode);
  forgetRecord(folder, agent);
  const revoked = record?.token_id === undefined || (await revoke(flags, record.token_id));
  if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: true, restored: isWhole });
  const why = isCopyGone ? `the copy ${record.backup} is gone` : `${file.path} was changed since`;
  note(isWhole ? `${file.path} is as it was` : `${why}: only the hooks were taken out of ${file.path}`);
  if (record?.backup && !isWhole && !isCopyGone) note(`the file as it was before is still in ${record.backup}`);
  if (!revoked)
    note(`the server could not be told; revoke its token with ${ownName()} tokens revoke ${record?.token_id}`);
}

async function connectorOf(agent: string) {
  const { connectors } = await import('../boot.ts');
  const connector = Object.hasOwn(connectors, agent) ? connectors[agent] : undefined;
  if (connector) return connector;
  throw new Failure('usage', `only ${Object.keys(connectors).join(', ')} can be connected, not "${agent}"`);
}

/** A file that is not understood is refused, and left as it is. */
function judged<T>({ path }: SettingsFile, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if ((error as Error).name !== 'SettingsProblem') throw error;
    throw new Failure('conflict', `${path} was left as it is. ${(error as Error).message}`);
  }
}

/** What was confirmed is a change of the file as it was shown. */
function mustBeUnchanged({ path, text }: SettingsFile): void {
  if (readSettings(path).text === text) return;
  throw new Failure('conflict', `${path} was changed while you were asked, and was left as it is. Try again.`);
}

function show({ path, text = '' }: SettingsFile, changed: string | undefined, { json }: ConnectFlags): void {
  if (json) return;
  const patch = createTwoFilesPatch(path, path, text, changed ?? '', undefined, undefined, { context: 2 });
  print(...unifiedDiff(patch).flatMap((line) => wrap(line, terminalWidth(), 1)));
}

async function confirm(question: string, { yes }: ConnectFlags): Promise<void> {
  if (yes) return;
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new Failure('usage', 'nothing was changed: say --yes to make this change without a terminal');
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false });
  if (isCancel(answer) || !answer) throw left('nothing was changed');
}

async function revoke(flags: ConnectFlags, tokenId: string): Promise<boolean> {
  try {
    await (await connectTo(flags)).tokens.revoke(tokenId);
    return true;
  } catch {
    return false;
  }
}
