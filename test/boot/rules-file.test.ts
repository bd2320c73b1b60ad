// The server's rules file: absent, read, or refused with what is wrong in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRules } from '../../src/boot/rules-file.ts';
import { decideByRules } from '../../src/core/rule-set.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string) => writeFileSync(join(folder, 'rules.json'), text);

it('finds no rules where there is no file', () => expect(loadRules(folder)).toBeUndefined());

it('reads a JSON array of rules and names the file in explanations', () => {
  write('[{"tool":"Bash","matches":{"command":"git *"},"action":"allow"}]');
  const set = loadRules(folder);
  const call = { tool: 'Bash', input: { command: 'git log' }, context: 'thread' as const };
  expect(set && decideByRules({ sets: [set] }, call)).toMatchObject({
    decision: 'allow',
    decidedBy: { source: 'organisation' },
  });
  expect(set && decideByRules({ sets: [set] }, call).explanation).toContain(`rule 1 of ${join(folder, 'rules.json')}`);
});

it.each([
  ['{', 'is not JSON'],
  ['{}', 'must be an array'],
  ['[{"tool":"Bash","action":"permit"}]', '0.action must be'],
  ['[{"tool":"Bash","action":"allow","match":{}}]', 'has no field "match"'],
  ['[{"tool":"Bash","action":"delegate"}]', 'needs `to`'],
])('refuses %s', (text, why) => {
  write(text);
  expect(() => loadRules(folder)).toThrow(why);
});
