// The real Claude Code with sub-agents and commands in the background: its process is not given up while anything goes on
// in it, nor while its model is still to be told how that ended. Nothing dies, and no question is forgotten over it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const ANSWERED = '"Which colour?"="Blue"';
const bash = (command: string, id: string, more: object = {}) => ({
  tool: 'Bash',
  input: { command, description: 'the job', ...more },
  id,
});
const inBackground = { run_in_background: true };
const sub = (prompt: string, id: string) => ({
  tool: 'Agent',
  input: { description: `do ${prompt}`, prompt, subagent_type: 'general-purpose', ...inBackground },
  id,
});
/** Ends when the test says so. */
const UNTIL_TOLD = 'until [ -e end ]; do sleep 0.05; done; touch ended';

async function askFor(run: RunView, toolCallId: string): Promise<AskView> {
  return testBed.bed.until(async () => {
    const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id, status: 'pending' });
    return items.find((ask) => ask.tool_call_id === toolCallId);
  });
}
const saysStatus = (run: RunView, text: string) =>
  testBed.bed.until(async () => {
    const { outputs } = await testBed.bed.api.runs.get(run.run_id);
    return outputs.find((output) => output.type === 'status' && output.text?.includes(text));
  });

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: in the background`, () => {
  it('a sub-agent goes on, and asks, while the session asks and after it has ended its turn', async () => {
    testBed.record('background-sub-agent');
    testBed.model.play(
      [[sub('SUBWORK', 'toolu_bs')], asksColour('toolu_bq'), [{ text: 'Over to you.' }], [{ text: 'All done.' }]],
      'MAIN-BG',
    );
    testBed.model.play([[bash('touch sub', 'toolu_bt')], [{ text: 'I made it.' }]], 'SUBWORK');
    const run = await testBed.start({ text: 'MAIN-BG', hold: 'everything', patience_ms: 0 });
    const [touch, question] = [await askFor(run, 'toolu_bt'), await askFor(run, 'toolu_bq')];
    expect(question).toMatchObject({ mode: 'blocking' });
    expect(touch).toMatchObject({ mode: 'blocking', request: { lineage: ['general-purpose: do SUBWORK'] } });
    await testBed.bed.answer(question, BLUE);
    await saysStatus(run, 'do SUBWORK');
    expect(await testBed.bed.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_approval' });
    await testBed.bed.decide(touch, { behavior: 'allow' });
    const over = await testBed.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    expect(over.outputs.at(-1)?.text).toBe('All done.');
    expect(testBed.result('toolu_bq')?.text).toContain(ANSWERED);
    expect(testBed.result('toolu_bt')).toMatchObject({ isError: false });
    expect(testBed.lastTold()).toContain('I made it.');
    expect(testBed.files(run)).toEqual(['sub']);
    expect(testBed.processes(run)).toEqual([]);
  });

  it('what a sub-agent asked is taken back when its model stops it, and the run ends', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<AskView>();
    const stops = async (told: string) => {
      await asked;
      const task_id = /agentId: (\w+)/.exec(told)?.[1];
      return [{ tool: 'TaskStop', input: { task_id }, id: 'toolu_bk_stop' }];
    };
    testBed.model.play([[sub('SUBSTOPPED', 'toolu_bk')], stops, [{ text: 'Never mind.' }]], 'MAIN-STOPS');
    testBed.model.play([[bash('touch sub', 'toolu_bkt')], [{ text: 'I made it.' }]], 'SUBSTOPPED');
    const run = await testBed.start({ text: 'MAIN-STOPS' });
    const ask = await askFor(run, 'toolu_bkt');
    isAsked(ask);
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_bk_stop')?.text).toContain('Successfully stopped');
    expect(await testBed.bed.api.asks.get(ask.ask_id)).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', justification: 'settled in Claude Code itself' },
    });
    expect(testBed.files(run)).toEqual([]);
  });

  it('a command goes on while the session asks and after it has ended its turn; then it may be held again', async () => {
    testBed.model.play([
      [bash(UNTIL_TOLD, 'toolu_bc', inBackground)],
      asksColour('toolu_bc_q'),
      [{ text: 'I wait for it.' }],
      asksColour('toolu_bc_q2'),
      [{ text: 'All done.' }],
    ]);
    const run = await testBed.start({ patience_ms: 0 });
    await testBed.bed.decide(await askFor(run, 'toolu_bc'), { behavior: 'allow' });
    const first = await askFor(run, 'toolu_bc_q');
    expect(first.mode).toBe('blocking');
    await testBed.bed.answer(first, BLUE);
    await saysStatus(run, 'the job');
    expect(testBed.files(run)).toEqual([]);
    writeFileSync(join(run.folder, 'end'), '');
    const second = await askFor(run, 'toolu_bc_q2');
    expect(testBed.lastTold()).toContain('completed');
    expect(second.mode).toBe('deferred');
    await testBed.released(run);
    await testBed.bed.answer(second, BLUE);
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_bc_q2')?.text).toContain(ANSWERED);
    expect(testBed.files(run)).toEqual(['end', 'ended']);
  });

  it('a question is not forgotten over the news of a command that has just ended', async () => {
    let folder = '';
    const endsMeanwhile = async () => {
      writeFileSync(join(folder, 'end'), '');
      for (const id of ['toolu_bn', 'toolu_bn2']) await testBed.kept(`<tool-use-id>${id}</tool-use-id>`);
      return asksColour('toolu_bn_q');
    };
    testBed.model.play([
      [bash(UNTIL_TOLD, 'toolu_bn', inBackground), bash(UNTIL_TOLD, 'toolu_bn2', inBackground)],
      endsMeanwhile,
      asksColour('toolu_bn_q2'),
      [{ text: 'All done.' }],
    ]);
    const run = await testBed.start({ patience_ms: 0 });
    folder = run.folder;
    for (const id of ['toolu_bn', 'toolu_bn2']) await testBed.bed.decide(await askFor(run, id), { behavior: 'allow' });
    const first = await askFor(run, 'toolu_bn_q');
    expect(first.mode).toBe('blocking');
    await testBed.bed.answer(first, BLUE);
    const second = await askFor(run, 'toolu_bn_q2');
    // Now it was told: of both.
    expect(testBed.model.told.at(-1)?.match(/<status>completed<\/status>/g)).toHaveLength(2);
    expect(second.mode).toBe('deferred');
    await testBed.released(run);
    await testBed.bed.answer(second, BLUE);
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    for (const id of ['toolu_bn_q', 'toolu_bn_q2']) expect(testBed.result(id)?.text).toContain(ANSWERED);
  });

  it('a command that never ends does not keep the run for ever, and is ended with it', async () => {
    testBed.model.play([[bash('sleep 300', 'toolu_be', inBackground)], [{ text: 'It is up.' }]]);
    const run = await testBed.start({ background_ms: 300 });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.processes(run)).toEqual([]);
    expect(testBed.result('toolu_be')?.text).toContain('running in background');
  });
});
