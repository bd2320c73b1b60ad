// `holdpoint rules`: what it prints for a file of rules, without a server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endEverything, root, temporaryFolder } from '../../support/process.ts';
import { command } from '../test-bed.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  const rules = [
    { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' },
    { tool: 'Bash', matches: { command: 'git *' }, action: 'allow' },
  ];
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules));
});
afterAll(endEverything);

const rules = (...args: string[]) =>
  command([join(root, 'src/cli/main.ts'), 'rules', ...args], { ...process.env, HOLDPOINT_DATA: folder }).ended;

it('says which rule decides a call, and why', async () => {
  const { stdout } = await rules('test', 'Bash', '{"command":"git log; sudo rm x"}', '--json');
  expect(JSON.parse(stdout)).toEqual({
    decision: 'reject',
    rule: { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' },
    source: 'organisation',
    explanation: expect.stringContaining('rejects `rm x` (part 3 of 3)'),
  });
  expect(JSON.parse((await rules('test', 'Write', '{}', '--json')).stdout)).toMatchObject({
    decision: 'ask',
    rule: null,
  });
  const shown = await rules('test', 'Bash', '{"command":"git log; ls"}');
  expect(shown.stdout).toMatch(/^ask {2}no rule covers `ls` \(part 2 of 2\)\n {2}allow/);
});

it('lists the rules in their order', async () => {
  expect(
    JSON.parse((await rules('list', '--json')).stdout).map(({ rule }: { rule: { action: string } }) => rule.action),
  ).toEqual(['reject', 'allow']);
});
