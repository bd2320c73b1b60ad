// `holdpoint disconnect`: restores the settings of a connected agent. An unchanged file is restored from its backup byte
// by byte; one that was changed since loses only our hooks. The record is deleted after the token was revoked, so that the
// next `disconnect` finishes what was interrupted.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { serverUrl, stateFolder } from '../../client/local.ts';
import type { Command } from '../command.ts';
import {
  backupOf,
  type ConnectionRecord,
  deleteRecord,
  isAsWritten,
  recordOf,
  recordsOf,
  removeRedundantBackup,
  revocationProblem,
  revokeAtServer,
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
  mustBeUnchanged,
  mustBeWritable,
  readSettings,
  removeDraft,
  removeSettings,
  replaceSettings,
  type SettingsFile,
} from '../connect/settings-file.ts';
import { note, printJson } from '../output.ts';
import { programName } from '../program-name.ts';

export const disconnectCommand = (): Promise<Command> =>
  settingsCommand('disconnect', 'restore the settings of a connected agent', disconnect);

interface Restoration {
  /** The restored content; undefined removes the file. */
  text: string | undefined;
  /** Whether the file is restored byte by byte. */
  isExact: boolean;
  question: string;
  result: string;
  /** Added to the result once the token is revoked. */
  end?: string;
}

async function disconnect(agent: string, flags: ConnectFlags): Promise<void> {
  const connector = await connectorOf(agent);
  const folder = stateFolder(process.env);
  const named = resolve(connector.file(process.env));
  const record = recordOf(folder, agent, named);
  const file = readSettings(record?.file ?? named);
  const restoration = restorationOf(connector, file, record);
  if (!record && restoration.text === file.text) {
    if (flags.json) return printJson({ disconnected: agent, file: file.path, changed: false });
    const others = recordsOf(folder, agent).map((other) => other.named);
    const elsewhere = others.length === 0 ? '' : `. Connected in another settings folder: ${others.join(', ')}`;
    return note(`no hooks of Holdpoint in ${file.path}; nothing was changed${elsewhere}`);
  }
  if (restoration.text !== file.text) mustBeWritable(file);
  showChange(file, restoration.text, flags, connector);
  await confirm(restoration.question, flags);
  const failure = await underLock(folder, async () => {
    mustBeUnchanged(file);
    restore(file, restoration, record);
    if (!record) return undefined;
    const error = await revoke(flags, record);
    if (error !== undefined) return revocationProblem(folder, agent, record, error);
    deleteRecord(folder, agent, record);
    return undefined;
  });
  if (failure) note(`${failure.what}. ${failure.advice}`);
  if (flags.json) {
    const token_revoked = record?.token_name === undefined ? null : !failure;
    return printJson({
      disconnected: agent,
      file: file.path,
      changed: true,
      restored: restoration.isExact,
      token_revoked,
    });
  }
  note(!failure && restoration.end ? `${restoration.result}; ${restoration.end}` : restoration.result);
  if (record && !restoration.isExact && backupOf(record) !== undefined) note(`the backup is still in ${record.backup}`);
}

function restore(file: SettingsFile, { text, isExact }: Restoration, record: ConnectionRecord | undefined): void {
  if (text === undefined) removeSettings(file);
  else if (text !== file.text) replaceSettings(file, text, record?.mode ?? file.mode);
  if (record && isExact && record.backup) rmSync(record.backup, { force: true });
  if (record) removeRedundantBackup(record, text);
  removeDraft(file.path);
}

function restorationOf(
  connector: AgentConnector,
  file: SettingsFile,
  record: ConnectionRecord | undefined,
): Restoration {
  const { path, text } = file;
  const backup = record && backupOf(record);
  const isBackupGone = record?.backup !== undefined && backup === undefined;
  if (record && isAsWritten(file, record) && !isBackupGone)
    return { text: backup, isExact: true, question: `Restore ${path}?`, result: `${path} is restored` };
  const byHand = `By hand: ${connector.byHand}. Then run this again.`;
  const isConnected = text !== undefined && readWith(file, () => connector.isConnected(text), [byHand]);
  if (!isConnected) {
    const question = `Forget the connection of ${path}?`;
    const end = 'the record of the connection is deleted';
    return { text, isExact: false, question, result: `${path} has no hooks of Holdpoint`, end };
  }
  const why = !record
    ? `there is no record of a connection in ${stateFolder(process.env)}`
    : isBackupGone
      ? `the backup ${record.backup} is gone`
      : `${path} was changed since`;
  const more = record || !connector.needsToken ? '' : `. Their token is still valid: see ${programName()} tokens list`;
  return {
    text: readWith(file, () => connector.disconnected(text, backup), [byHand]),
    isExact: false,
    question: `Remove the hooks from ${path}?`,
    result: `${why}: only the hooks were removed from ${path}${more}`,
  };
}

/** Returns the error, or undefined when no token is left. Asks the server that issued it, whichever is the default now. */
async function revoke(flags: ConnectFlags, record: ConnectionRecord): Promise<unknown> {
  if (record.token_id === undefined && record.token_name === undefined) return undefined;
  try {
    await revokeAtServer(flags, record, flags.url ?? record.url, flags.url ?? serverUrl(process.env));
    return undefined;
  } catch (error) {
    return error;
  }
}
