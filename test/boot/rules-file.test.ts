// The server's rules file: absent, read, or refused with what is wrong in it.
// Covers: src/boot/settings-file.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRules, watchRules } from '../../src/boot/rules-file.ts';
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

it('applies a change to the next decision, and keeps the last rules while the file is broken or gone', () => {
  const allow = (tool: string) => write(JSON.stringify([{ tool, action: 'allow' }]));
  const faults: string[] = [];
  const watched = watchRules(folder, (message) => faults.push(message));
  const tools = () => watched.rules()?.rules.map(({ sourced }) => sourced.rule.tool);
  expect(tools()).toBeUndefined();
  allow('First');
  expect(tools()).toEqual(['First']);
  write('[{');
  expect([tools(), tools()]).toEqual([['First'], ['First']]);
  expect(watched.fault()).toMatch(/rules\.json is not JSON.*still apply/);
  rmSync(join(folder, 'rules.json'));
  expect([tools(), faults.length]).toEqual([['First'], 2]);
  expect(watched.fault()).toContain('is gone');
  allow('Second');
  expect([tools(), watched.fault()]).toEqual([['Second'], undefined]);
  write('[]');
  expect(tools()).toEqual([]);
});
