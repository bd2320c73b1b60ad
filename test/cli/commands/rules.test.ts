// `holdpoint rules`: what it prints for a file of rules, without a server, and what a server applies.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endEverything, root, startHoldpoint, temporaryFolder } from '../../support/process.ts';
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

it('lists and tests what a running server applies, also after an edit that it does not understand', async () => {
  const server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  const env = { ...process.env, HOLDPOINT_DATA: server.data, HOLDPOINT_URL: server.url };
  const asked = (...args: string[]) => command([join(root, 'src/cli/main.ts'), 'rules', ...args], env).ended;
  const write = (text: string) => writeFileSync(join(server.data, 'rules.json'), text);
  write(JSON.stringify([{ tool: 'Bash', action: 'reject' }]));
  const listed = { position: 1, source: 'organisation', rule: { tool: 'Bash', action: 'reject' } };
  expect(JSON.parse((await asked('list', '--json')).stdout)).toMatchObject([listed]);
  write('[{ "tool": ');
  const after = await asked('list', '--json');
  expect(JSON.parse(after.stdout)).toMatchObject([listed]);
  expect(after.stderr).toContain('The rules that were read before still apply.');
  const tested = await asked('test', 'Bash', '{"command":"ls"}', '--json');
  expect(JSON.parse(tested.stdout)).toMatchObject({ decision: 'reject', source: 'organisation' });
  const foreign = await command([join(root, 'src/cli/main.ts'), 'rules', 'list', '--url', 'http://127.0.0.1:9'], env)
    .ended;
  expect(foreign.code).not.toBe(0);
});
