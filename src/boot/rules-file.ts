// Reads the server's rules: `rules.json` in the state folder, a JSON array, read when the server starts and whenever it has
// changed. A file that is not understood is refused: rules that are left out could be the ones that restrict. A server that
// runs keeps the last rules that it understood and reports the fault, also where the file is gone.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';
import type { OrganisationRules } from '../core/ports.ts';
import { Rules, sourced } from '../core/rule.ts';
import { compileRules, type RuleSet } from '../core/rule-index.ts';

export const RULES_FILE = 'rules.json';

/** Undefined: there is no such file. */
export function loadRules(folder: string): RuleSet | undefined {
  const path = join(folder, RULES_FILE);
  const text = textOf(path);
  if (text === undefined) return undefined;
  const read = Rules.safeParse(jsonOf(path, text));
  if (read.success) return compileRules(sourced('organisation', path, read.data));
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw fail(
    'invalid_request',
    `${path}: ${where === '' ? 'it' : where} ${issue ? issueText(issue) : 'is not valid'}.`,
  );
}

/** Looks at the file at every call: a change applies to the next decision. Throws where the first state is not understood. */
export function watchRules(folder: string, onFault: (message: string) => void): OrganisationRules {
  const path = join(folder, RULES_FILE);
  let seen = stateOf(path);
  let rules = loadRules(folder);
  let fault: string | undefined;
  const look = () => {
    const state = stateOf(path);
    if (state === seen) return;
    seen = state;
    fault = undefined;
    try {
      const read = loadRules(folder);
      if (!read && rules) throw new Error(`${path} is gone. Write [] into it to have no rules.`);
      rules = read;
    } catch (error) {
      fault = `${(error as Error).message} The rules that were read before still apply.`;
      onFault(fault);
    }
  };
  return {
    rules() {
      look();
      return rules;
    },
    fault() {
      look();
      return fault;
    },
  };
}

/** Another text for another state of the file. */
function stateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}` : 'none';
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fail('invalid_request', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail('invalid_request', `${path} is not JSON: ${(error as Error).message}`);
  }
}
