// What `connect` and `disconnect` share: their arguments, the connector of the agent, showing a change, asking for
// confirmation, and the lock. Changes no file.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Argument } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { Failure, left } from '../failure.ts';
import { isInteractive, print, terminalWidth } from '../output.ts';
import { unifiedDiff } from '../text/file-change.ts';
import { wrap } from '../text/layout.ts';
import type { SettingsFile } from './settings-file.ts';

export interface ConnectFlags extends ServerFlags {
  yes?: boolean;
}

export type AgentConnector = Awaited<ReturnType<typeof connectorOf>>;

/** The agents of this build that can be connected, by name. */
export async function connectableAgents() {
  const { loadAgents } = await import('../../boot/agents.ts');
  return new Map((await loadAgents()).flatMap(({ name, attached }) => (attached ? [[name, attached] as const] : [])));
}

export async function settingsCommand(
  name: 'connect' | 'disconnect',
  description: string,
  action: (agent: string, flags: ConnectFlags) => Promise<void>,
): Promise<Command> {
  const agents = [...(await connectableAgents()).keys()];
  return new Command(name, description)
    .addArgument(new Argument('<agent>', 'the agent').choices(agents))
    .option('--yes', 'make the change without asking')
    .withExamples(...agents.map((agent) => `holdpoint ${name} ${agent} --yes`))
    .withServer()
    .action(action);
}

export async function connectorOf(agent: string) {
  const agents = await connectableAgents();
  const connector = await agents.get(agent)?.connector();
  if (connector) return connector;
  throw new Failure('usage', `only ${[...agents.keys()].join(', ')} can be connected, not "${agent}"`);
}

/** Refuses a settings file that the connector does not understand. */
export function readWith<T>({ path }: SettingsFile, change: () => T, advice: string[] = []): T {
  try {
    return change();
  } catch (error) {
    if ((error as Error).name !== 'SettingsProblem') throw error;
    throw new Failure('conflict', `${path} was not changed. ${(error as Error).message}`, ...advice);
  }
}

export function showChange(
  { path, text = '' }: SettingsFile,
  changed: string | undefined,
  { json }: ConnectFlags,
  { shown }: AgentConnector,
): void {
  if (json || text === (changed ?? '')) return;
  const patch = createTwoFilesPatch(path, path, shown(text), shown(changed ?? ''), undefined, undefined, {
    context: 2,
  });
  print(...unifiedDiff(patch).flatMap((line) => wrap(line, terminalWidth(), 1)));
}

export async function confirm(question: string, { yes, json }: ConnectFlags): Promise<void> {
  if (yes) return;
  if (json) throw new Failure('usage', 'nothing was changed: --json shows no change to confirm, so give --yes with it');
  if (!isInteractive())
    throw new Failure('usage', 'nothing was changed: give --yes to make this change without a terminal');
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false });
  if (isCancel(answer) || !answer) throw left('nothing was changed');
}

/** Concurrent changes would use the same backup name and overwrite each other's record. */
export async function underLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { tryLock } = await import('../../boot/connecting.ts');
  mkdirSync(join(folder, 'connections'), { recursive: true, mode: 0o700 });
  const lock = tryLock(join(folder, 'connections', 'lock'));
  if (!lock)
    throw new Failure(
      'conflict',
      `nothing was changed: another connect or disconnect is in progress in ${folder}. Try again.`,
    );
  try {
    return await work();
  } finally {
    lock.close();
  }
}
