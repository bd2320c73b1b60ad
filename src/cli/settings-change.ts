// What `connect` and `disconnect` have in common: the agent they are about, the change that is shown before it is made,
// and the question whether to make it. Changes nothing itself.
import { createTwoFilesPatch } from 'diff';
import type { ServerFlags } from './connection.ts';
import { Failure, left } from './failure.ts';
import { print, terminalWidth } from './output.ts';
import type { SettingsFile } from './settings-file.ts';
import { unifiedDiff } from './text/file-change.ts';
import { wrap } from './text/layout.ts';

export interface ConnectFlags extends ServerFlags {
  yes?: boolean;
}

export async function connectorOf(agent: string) {
  const { connectors } = await import('../boot.ts');
  const connector = Object.hasOwn(connectors, agent) ? connectors[agent] : undefined;
  if (connector) return connector;
  throw new Failure('usage', `only ${Object.keys(connectors).join(', ')} can be connected, not "${agent}"`);
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

export function show({ path, text = '' }: SettingsFile, changed: string | undefined, { json }: ConnectFlags): void {
  if (json || text === (changed ?? '')) return;
  const patch = createTwoFilesPatch(path, path, text, changed ?? '', undefined, undefined, { context: 2 });
  print(...unifiedDiff(patch).flatMap((line) => wrap(line, terminalWidth(), 1)));
}

export async function confirm(question: string, { yes }: ConnectFlags): Promise<void> {
  if (yes) return;
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new Failure('usage', 'nothing was changed: say --yes to make this change without a terminal');
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false });
  if (isCancel(answer) || !answer) throw left('nothing was changed');
}
