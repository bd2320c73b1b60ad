// The rules file of a project, as the agent's side reads it: absent, read, or reported as one that cannot be used.
// Covers: src/client/project-rules.ts, src/node/project-rules.ts
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectRulesIn } from '../../src/client/project-rules.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-project-'));
  mkdirSync(join(folder, '.holdpoint'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, '.holdpoint', 'rules.json');

it('finds nothing where there is no folder or no file', async () => {
  expect(await projectRulesIn(undefined)).toBeUndefined();
  expect(await projectRulesIn(folder)).toBeUndefined();
  expect(await projectRulesIn(join(folder, 'none'))).toBeUndefined();
});

it('reads a list of rules', async () => {
  const rules = [{ tool: 'Bash', matches: { command: 'git push *' }, action: 'reject' }];
  writeFileSync(file(), JSON.stringify(rules));
  expect(await projectRulesIn(folder)).toEqual(rules);
});

it.each([
  ['a secret text', 'it is not JSON'],
  ['{"a secret":1}', 'it is no list of rules'],
  ['{"fault":"mine"}', 'it is no list of rules'],
  ['[{"tool":"Bash","action":"permit"}]', 'it is no list of rules'],
  [' '.repeat(300_000), 'it has more than 262144 bytes'],
])('reports a file that cannot be used, without its text', async (text, fault) => {
  writeFileSync(file(), text);
  const read = await projectRulesIn(folder);
  expect(read).toEqual({ fault: expect.stringContaining(fault) });
  expect(JSON.stringify(read)).not.toContain('secret');
});

it('follows no link', async () => {
  writeFileSync(join(folder, 'elsewhere'), '[]');
  symlinkSync(join(folder, 'elsewhere'), file());
  expect(await projectRulesIn(folder)).toEqual({ fault: 'it cannot be read (ELOOP)' });
});
