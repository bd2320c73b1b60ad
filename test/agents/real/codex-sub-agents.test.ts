// Sub-agents of the real Codex, which are threads of their own below the conversation: what they ask is asked under their
// names, beside what the conversation itself asks, and each answer reaches the one that asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codex, codexVersion } from './binaries.ts';
import { CodexTestBed, escalated, readIfThere } from './codex-test-bed.ts';

let c: CodexTestBed;
beforeAll(async () => {
  if (codex) c = await CodexTestBed.open();
});
afterAll(async () => {
  if (!codex) return;
  expect(c.model.others).toEqual([]);
  await c.close();
});

const DONE = [{ text: 'Done.' }];
const spawned = (message: string) => ({
  call: 'spawn_agent',
  namespace: 'multi_agent_v1',
  id: 'call_spawn',
  input: { message, agent_type: 'worker' },
});

describe.skipIf(!codex)(`sub-agents of Codex ${codexVersion}`, () => {
  it('ask under their names, and hear their own answers', async () => {
    const folder = c.folder();
    c.model.play('small-part', [[{ ...escalated('echo sub > sub.txt'), id: 'call_S' }], [{ text: 'Sub done.' }]]);
    const own = { ...escalated('echo main > main.txt'), id: 'call_M' };
    const script = [[spawned('Do small-part')], [own], DONE];
    const run = await c.start('sub-agent-asks-too', script, {}, folder);
    const asks = await c.asks(run, 2);
    const ofSub = asks.find(({ request }) => request.lineage !== undefined);
    const ofMain = asks.find(({ request }) => request.lineage === undefined);
    if (!ofSub || !ofMain) throw new Error('one of the two was not shown');
    expect(ofSub.request).toMatchObject({ tool_name: 'Bash', input: { command: 'echo sub > sub.txt' } });
    expect(ofSub.request.lineage).toEqual([expect.stringMatching(/^worker .+: Do small-part$/)]);
    expect(ofMain.request).toMatchObject({ input: { command: 'echo main > main.txt' } });
    await c.bed.decide(ofSub, { behavior: 'deny', reason: 'the main one does it' });
    await c.bed.until(async () => c.model.resultOf('small-part', 'call_S'));
    expect(c.model.resultOf('small-part', 'call_S')).toContain('rejected by user');
    await c.bed.decide(ofMain, { behavior: 'allow' });
    const over = await c.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    expect([readIfThere(folder, 'sub.txt'), readIfThere(folder, 'main.txt')]).toEqual([undefined, 'main\n']);
    expect(c.model.heard('small-part').at(-1)).toBe('The person said no: the main one does it');
    expect(over.outputs.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^\[worker .+\] \$ echo sub/));
    expect(over.outputs.filter(({ type }) => type === 'text').map(({ text }) => text)).toEqual(['Done.']);
  });

  it('that still work when the conversation has said its last word are waited for', async () => {
    const folder = c.folder();
    c.model.play('long-part', [[{ ...escalated('echo sub > sub.txt'), id: 'call_S' }], [{ text: 'Sub done.' }]]);
    const run = await c.start('sub-agent-after', [[spawned('Do long-part')], DONE], {}, folder);
    const ask = await c.asked(run);
    await c.bed.until(async () => (c.model.told('sub-agent-after').length === 2 ? true : undefined));
    await c.bed.decide(ask, { behavior: 'allow' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'sub.txt')).toBe('sub\n');
    expect(c.model.resultOf('long-part', 'call_S')).toContain('exited with code 0');
  });
});
