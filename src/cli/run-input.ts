// What `holdpoint run` hands to the agent, read from the command line before anything is sent: the prompt, settings and
// JSON. Each thing is said once: which of two was meant nobody could tell.
import { Failure } from './failure.ts';
import { objectOf, readJson } from './json-input.ts';
import { ownName } from './program-name.ts';

export interface InputFlags {
  inputJson?: string;
  set?: string[];
}

export async function runInput(
  agent: string,
  prompt: readonly string[],
  flags: InputFlags,
): Promise<Record<string, unknown>> {
  const { loadAgent } = await import('../boot/agents.ts');
  const isCommand = (await loadAgent(agent))?.takes === 'command';
  const text = prompt.join(' ');
  const words = { ...(text !== '' && { text }), ...(isCommand && text !== '' && { command: prompt }) };
  const more =
    flags.inputJson === undefined ? {} : objectOf('--input-json', readJson('--input-json', { json: flags.inputJson }));
  const given = [
    ...Object.entries(words).map((entry) => ['the prompt', entry] as const),
    ...(flags.set ?? []).map((setting) => ['--set', settingOf(setting)] as const),
    ...Object.entries(more).map((entry) => ['--input-json', entry] as const),
  ];
  const from = new Map<string, string>();
  for (const [where, [name]] of given) {
    const before = from.get(name);
    if (before !== undefined)
      throw new Failure('usage', `"${name}" is given twice, by ${before} and by ${where}: give it once`);
    from.set(name, where);
  }
  if (text === '' && Object.keys(more).length === 0)
    throw new Failure('usage', `say what it should do: ${ownName()} run ${agent} "…"`);
  return Object.fromEntries(given.map(([, entry]) => entry));
}

/** What reads as JSON is that; anything else is the text itself. */
function settingOf(setting: string): [string, unknown] {
  const at = setting.indexOf('=');
  if (at < 1) throw new Failure('usage', `--set takes name=value, not "${setting}"`);
  const value = setting.slice(at + 1);
  try {
    return [setting.slice(0, at), JSON.parse(value)];
  } catch {
    return [setting.slice(0, at), value];
  }
}
