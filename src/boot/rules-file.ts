// Reads the server's rules: `rules.json` in the state folder, a JSON array, read when the server starts and whenever it has
// changed. A file that is not understood is refused: rules that are left out could be the ones that restrict. The same
// where the file is gone while the server runs.
import { join } from 'node:path';
import type { OrganisationRules } from '../core/ports.ts';
import { Rules, sourced } from '../core/rule.ts';
import { compileRules, type RuleSet } from '../core/rule-index.ts';
import { readSettings, watchFile } from './settings-file.ts';

export const RULES_FILE = 'rules.json';

/** Undefined: there is no such file. */
export function loadRules(folder: string): RuleSet | undefined {
  const path = join(folder, RULES_FILE);
  const rules = readSettings(path, { name: 'JSON', parse: JSON.parse }, Rules);
  return rules && compileRules(sourced('organisation', path, rules));
}

/** Looks at the file at every call: a change applies to the next decision. Throws where the first state is not understood. */
export function watchRules(folder: string, onFault: (message: string) => void): OrganisationRules {
  const path = join(folder, RULES_FILE);
  const load = (before?: RuleSet) => {
    const rules = loadRules(folder);
    if (!rules && before) throw new Error(`${path} is gone. Write [] into it to have no rules.`);
    return rules;
  };
  const file = watchFile<RuleSet | undefined>({ path, what: 'rules', load, onFault });
  return { rules: file.value, fault: file.fault };
}
