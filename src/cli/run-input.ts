// Builds the input of `holdpoint run` from the prompt, `--command`, `--set` and `--input-json`, before anything is sent. A field that
// is given twice is refused: neither value takes precedence.
import { Failure } from './failure.ts';
import { objectOf, readJson } from './json-input.ts';
import { programName } from './program-name.ts';

export interface InputFlags {
  command?: string;
  inputJson?: string;
  set?: string[];
}

export async function runInput(
  agent: string,
  prompt: readonly string[],
  flags: InputFlags,
): Promise<Record<string, unknown>> {
  const { loadAgent } = await import('../boot/agents.ts');
  const takesCommand = (await loadAgent(agent))?.takes === 'command';
  const text = prompt.join(' ');
  const fromPrompt = text === '' ? {} : { text, ...(takesCommand && { command: prompt }) };
  const fromJson =
    flags.inputJson === undefined ? {} : objectOf('--input-json', readJson('--input-json', { json: flags.inputJson }));
  const fields = [
    ...Object.entries(fromPrompt).map((entry) => ['the prompt', entry] as const),
    ...(flags.command === undefined ? [] : [['--command', ['command', flags.command]] as const]),
    ...(flags.set ?? []).map((setting) => ['--set', settingOf(setting)] as const),
    ...Object.entries(fromJson).map((entry) => ['--input-json', entry] as const),
  ];
  const sources = new Map<string, string>();
  for (const [source, [name]] of fields) {
    const before = sources.get(name);
    if (before !== undefined)
      throw new Failure('usage', `"${name}" is given twice, by ${before} and by ${source}: give it once`);
    sources.set(name, source);
  }
  if (text === '' && Object.keys(fromJson).length === 0)
    throw new Failure('usage', `say what it should do: ${programName()} run ${agent} "…"`);
  return Object.fromEntries(fields.map(([, entry]) => entry));
}

/** A value that parses as JSON is that value; any other is a string. */
function settingOf(setting: string): [string, unknown] {
  const at = setting.indexOf('=');
  if (at < 1) throw new Failure('usage', `--set takes name=value, not "${setting}"`);
  const [name, value] = [setting.slice(0, at), setting.slice(at + 1)];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
