// kill -9 of the real Claude Code in the middle of its work: what was asked stays asked, what died does not run again
// unasked, and a decision that was used is used up, also for a call that looks the same.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, bash, callsAgent } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

/** It is dead, nothing of it is left, and the run is held on what was asked. */
async function dies(run: RunView, status: RunView['status']): Promise<void> {
  const released = (await testBed.bed.events(run.session_id, 'run.released')).length;
  testBed.kill(run);
  await testBed.bed.until(async () => (await testBed.bed.events(run.session_id, 'run.released'))[released]);
  expect(testBed.processes(run)).toEqual([]);
  expect(await testBed.bed.api.runs.get(run.run_id)).toMatchObject({ status });
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: kill -9`, () => {
  it('with a command under way: that ends with it, the run has failed, and nothing begins again', async () => {
    testBed.model.play([[bash('touch begun; sleep 300; touch late', 'toolu_d1')], [{ text: 'never' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    await testBed.bed.decide(ask, { behavior: 'allow' });
    await testBed.bed.until(async () => (existsSync(join(run.folder, 'begun')) ? true : undefined));
    await testBed.kept('toolu_d1');
    const told = testBed.model.told.length;
    testBed.kill(run);
    expect(await testBed.over(run)).toMatchObject({ status: 'failed', error: expect.stringContaining('SIGKILL') });
    expect(testBed.processes(run)).toEqual([]);
    expect(testBed.model.told).toHaveLength(told);
    // The next run goes on in the same conversation; what was allowed then is not allowed now.
    testBed.model.play([[bash('touch begun; sleep 300; touch late', 'toolu_d1b')], [{ text: 'I leave it.' }]]);
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'and now?' } });
    const again = await testBed.ask(next);
    expect(again).toMatchObject({ tool_call_id: 'toolu_d1b', run_id: next.run_id });
    expect(testBed.result('toolu_d1')?.text).toContain('interrupted');
    await testBed.bed.decide(again, { behavior: 'deny' });
    expect(await testBed.over(next)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['begun']);
  });

  it('with a question open: it stays open, and its answer is told to the same conversation, once, and no file that the question names', async () => {
    const secret = join(testBed.folder(), 'secret.txt');
    writeFileSync(secret, 'THE-SECRET\n');
    testBed.model.play([asksColour('toolu_d2', `Which colour, says @${secret} ?`), [{ text: 'Blue.' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    await testBed.kept('toolu_d2');
    await dies(run, 'waiting_for_user_question');
    expect(await testBed.bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
    await testBed.bed.answer(ask, BLUE);
    expect(await testBed.over(run)).toMatchObject({ status: 'completed', run_id: run.run_id });
    expect(testBed.result('toolu_d2')?.text).toContain('interrupted');
    expect(testBed.lastTold()).toContain(`You asked: Which colour, says \\\\@${secret} ?\\n→ Blue`);
    expect(testBed.model.told.join()).not.toContain('THE-SECRET');
    expect((await testBed.bed.events(run.session_id, 'ask.delivered')).length).toBe(1);
    expect(testBed.model.told.filter((told) => told.includes('→ Blue'))).toHaveLength(1);
  });

  it('answered when it could not hear any more: not delivered before the model has it, and told once', async () => {
    testBed.model.play([asksColour('toolu_d6'), [{ text: 'Blue.' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    await testBed.kept('toolu_d6');
    testBed.kill(run, 'SIGSTOP');
    await testBed.bed.answer(ask, BLUE);
    // Time for a worker that took what it has sent for what was heard.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await testBed.bed.api.asks.get(ask.ask_id)).delivery.state).toBe('due');
    testBed.kill(run);
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_d6')?.text).toContain('interrupted');
    expect(testBed.model.told.filter((told) => told.includes('toolu_d6') && told.includes('→ Blue'))).toHaveLength(1);
    expect((await testBed.bed.events(run.session_id, 'ask.delivered')).length).toBe(1);
  });

  it("with a sub-agent's ask open: the session learns what was allowed, and may do exactly that, once", async () => {
    testBed.model.play(
      [
        [callsAgent('DEADWORK', 'toolu_d3')],
        [bash('touch sub', 'toolu_d3b')],
        [bash('touch sub', 'toolu_d3c')],
        [{ text: 'Done.' }],
      ],
      'MAIN-DEAD',
    );
    testBed.model.play([[bash('touch sub', 'toolu_d3a')]], 'DEADWORK');
    const run = await testBed.start({ text: 'MAIN-DEAD' });
    const ask = await testBed.ask(run);
    expect(ask.request.lineage).toEqual(['general-purpose: help']);
    await dies(run, 'waiting_for_approval');
    expect(testBed.files(run)).toEqual([]);
    await testBed.bed.decide(ask, { behavior: 'allow' });
    const again = await testBed.ask(run);
    expect(again.tool_call_id).toBe('toolu_d3c');
    const sentence = 'Your sub-agent (general-purpose: help) asked to use Bash';
    expect(testBed.model.told.some((told) => told.includes(sentence))).toBe(true);
    expect(testBed.result('toolu_d3b')).toMatchObject({ isError: false });
    expect(testBed.files(run)).toEqual(['sub']);
    await testBed.bed.decide(again, { behavior: 'deny', reason: 'once is enough' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_d3c')?.text).toContain('once is enough');
  });

  it('with an ask open in another folder than its session’s: that is shown, and what was allowed there is not allowed here', async () => {
    const folder = testBed.folder();
    const sub = join(folder, 'sub');
    mkdirSync(sub);
    testBed.model.play([
      [bash('cd sub', 'toolu_d5_cd')],
      [bash('touch first', 'toolu_d5_a')],
      [bash('touch here', 'toolu_d5_b')],
      [bash('touch here', 'toolu_d5_c')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ hold: 'everything' }, { work_folder: folder });
    // Where it was is not kept with the call, so it is not held without a process.
    const cd = await testBed.ask(run);
    await testBed.bed.decide(cd, { behavior: 'allow' });
    const first = await testBed.ask(run);
    expect(first).toMatchObject({ mode: 'blocking', request: { work_folder: sub } });
    await testBed.bed.decide(first, { behavior: 'allow' });
    const ask = await testBed.ask(run);
    expect(testBed.files({ folder: sub })).toEqual(['first']);
    await testBed.kept('toolu_d5_b');
    await dies(run, 'waiting_for_approval');
    await testBed.bed.decide(ask, { behavior: 'allow' });
    const again = await testBed.ask(run);
    expect(again).toMatchObject({ tool_call_id: 'toolu_d5_c', request: { input: { command: 'touch here' } } });
    expect(again.request).not.toHaveProperty('work_folder');
    await testBed.bed.decide(again, { behavior: 'deny' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect([...testBed.files({ folder }), ...testBed.files({ folder: sub })]).toEqual(['sub', 'first']);
  });

  it('after a call was made: the same call under the same id is asked again', async () => {
    testBed.model.play([
      [bash('touch x', 'toolu_d4')],
      asksColour('toolu_d4_q'),
      [bash('touch x', 'toolu_d4')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    const first = await testBed.ask(run);
    await testBed.bed.decide(first, { behavior: 'allow' });
    const question = await testBed.bed.until(async () => {
      const [ask] = await testBed.bed.pending(run.session_id);
      return ask?.kind === 'question' ? ask : undefined;
    });
    rmSync(join(run.folder, 'x'));
    await dies(run, 'waiting_for_user_question');
    await testBed.bed.answer(question, BLUE);
    const again = await testBed.ask(run);
    expect(again).toMatchObject({ kind: 'approval', tool_call_id: 'toolu_d4~2' });
    expect(again.ask_id).not.toBe(first.ask_id);
    await testBed.bed.decide(again, { behavior: 'deny' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual([]);
  });
});
