// Decides which settings of a run are offered and what they add to its input, from the description of its agent. Pure. The
// agent judges the input.
import type { Setting } from '../../../src/core/agent-description.ts';

type Choice = Setting['choices'][number];

/** Values by the name of the setting; a setting that is missing has its first choice. */
export type Chosen = Readonly<Record<string, string>>;

export const choiceOf = ({ name, choices }: Setting, chosen: Chosen): Choice | undefined =>
  choices.find(({ value }) => value === chosen[name]) ?? choices[0];

/** Without those that a choice replaces. */
export function shownSettings(settings: readonly Setting[], chosen: Chosen): readonly Setting[] {
  const replaced = new Set(settings.flatMap((setting) => choiceOf(setting, chosen)?.replaces ?? []));
  return settings.filter(({ name }) => !replaced.has(name));
}

export const settingsInput = (settings: readonly Setting[], chosen: Chosen): Record<string, unknown> =>
  Object.assign({}, ...shownSettings(settings, chosen).map((setting) => choiceOf(setting, chosen)?.input));
