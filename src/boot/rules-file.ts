// Reads the server's rules: `rules.json` in the state folder, a JSON array, read when the server starts. A file that is not
// understood is refused: rules that are left out could be the ones that restrict.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';
import { Rules, sourced } from '../core/rule.ts';
import { compileRules, type RuleSet } from '../core/rule-set.ts';

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
