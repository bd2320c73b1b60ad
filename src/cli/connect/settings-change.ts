// What `connect` and `disconnect` have in common: the agent they are about, the change that is shown before it is made,
// the question whether to make it, and that one is made at a time. Changes nothing itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Argument } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { Failure, left } from '../failure.ts';
import { print, terminalWidth } from '../output.ts';
import type { ServerFlags } from '../server-connection.ts';
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

export async function agentArgument(): Promise<Argument> {
  const names = [...(await connectableAgents()).keys()];
  return new Argument('<agent>', `the agent: ${names.join(' or ')}`).choices(names);
}

export async function connectorOf(agent: string) {
  const agents = await connectableAgents();
  const connector = await agents.get(agent)?.connector();
  if (connector) return connector;
  throw new Failure('usage', `only ${[...agents.keys()].join(', ')} can be connected, not "${agent}"`);
}

/** A file that is not understood is refused, and left as it is. */
export function judged<T>({ path }: SettingsFile, change: () => T, advice: string[] = []): T {
  try {
    return change();
  } catch (error) {
    if ((error as Error).name !== 'SettingsProblem') throw error;
    throw new Failure('conflict', `${path} was left as it is. ${(error as Error).message}`, ...advice);
  }
}

export function show(
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
  if (json) throw new Failure('usage', 'nothing was changed: --json shows no change to confirm, so say --yes with it');
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new Failure('usage', 'nothing was changed: say --yes to make this change without a terminal');
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false });
  if (isCancel(answer) || !answer) throw left('nothing was changed');
}

/** Two at once would take the same name for their copies, and each the other's record for its own. */
export async function underLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { tryLock } = await import('../../boot/connecting.ts');
  mkdirSync(join(folder, 'connections'), { recursive: true, mode: 0o700 });
  const lock = tryLock(join(folder, 'connections', 'lock'));
  if (!lock)
    throw new Failure(
      'conflict',
      `nothing was changed: another connect or disconnect is under way in ${folder}. Try again.`,
    );
  try {
    return await work();
  } finally {
    lock.close();
  }
}
