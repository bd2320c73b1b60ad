// The real Claude Code held without a process: it stops on an ask, costs nothing, and goes on with the answer as if it
// had waited. Where that would lose a call, it waits in its process instead.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, touch } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: held without a process`, () => {
  it('stops on a question and is started again with the answer, twice in one run', async () => {
    const before = testBed.model.told.length;
    testBed.model.play([asksColour('toolu_h1'), asksColour('toolu_h2'), [{ text: 'Blue and blue.' }]]);
    const run = await testBed.start({ patience_ms: 0 });
    for (const id of ['toolu_h1', 'toolu_h2']) {
      const ask = await testBed.ask(run);
      expect(ask).toMatchObject({ tool_call_id: id, mode: 'deferred' });
      await testBed.released(run);
      expect(await testBed.bed.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_user_question' });
      await testBed.bed.answer(ask, BLUE);
      await testBed.bed.until(async () => testBed.result(id));
    }
    expect(await testBed.over(run)).toMatchObject({ status: 'completed', run_id: run.run_id });
    expect(testBed.result('toolu_h1')?.text).toContain('"Which colour?"="Blue"');
    expect(testBed.result('toolu_h2')?.text).toContain('"Which colour?"="Blue"');
    expect(testBed.model.told).toHaveLength(before + 3);
    expect((await testBed.bed.events(run.session_id, 'ask.delivered')).length).toBe(2);
  });

  it('waits in its process first, as long as it was told to', async () => {
    testBed.record('question-held');
    testBed.model.play([asksColour('toolu_patient'), [{ text: 'Blue.' }]]);
    const run = await testBed.start({ patience_ms: 1000 });
    const ask = await testBed.ask(run);
    await testBed.released(run);
    const released = await testBed.bed.until(async () =>
      (await testBed.bed.events(run.session_id, 'run.released')).at(0),
    );
    // A timer may be a moment early by another clock.
    expect(released.at_ms - ask.created_at_ms).toBeGreaterThan(950);
    await testBed.bed.answer(ask, BLUE);
    await testBed.over(run);
    expect(testBed.result('toolu_patient')?.text).toContain('"Which colour?"="Blue"');
  });

  it('stops on an approval too where the run says so: allowed, changed and denied', async () => {
    testBed.model.play([
      [touch('a', 'toolu_e1')],
      [touch('b', 'toolu_e2')],
      [touch('c', 'toolu_e3')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ hold: 'everything', patience_ms: 0 });
    const updated_input = { command: 'touch B', description: 'd' };
    for (const decision of [
      { behavior: 'allow' },
      { behavior: 'allow', updated_input },
      { behavior: 'deny', reason: 'not c' },
    ] as const) {
      const ask = await testBed.ask(run);
      expect(ask.mode).toBe('deferred');
      await testBed.released(run);
      await testBed.bed.decide(ask, decision);
    }
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['B', 'a']);
    for (const id of ['toolu_e1', 'toolu_e2']) expect(testBed.result(id)).toMatchObject({ isError: false });
    expect(testBed.result('toolu_e3')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_e3')?.text).toContain('not c');
    expect(testBed.model.told.at(-1)).not.toContain('interrupted');
  });

  it('waits in its process for calls beside others and for sub-agents, where holding would lose them', async () => {
    const sub = { description: 'help', prompt: 'SUBWORK', subagent_type: 'general-purpose', run_in_background: false };
    testBed.model.play([
      [touch('a', 'toolu_p1'), touch('b', 'toolu_p2')],
      [{ tool: 'Agent', input: sub, id: 'toolu_sub' }],
      [touch('c', 'toolu_p3')],
      [{ text: 'Sub done.' }],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ hold: 'everything', patience_ms: 0 });
    for (const lineage of [undefined, undefined, ['general-purpose: help']]) {
      const ask = await testBed.ask(run);
      expect(ask).toMatchObject({ mode: 'blocking' });
      expect(ask.request.lineage).toEqual(lineage);
      expect(testBed.processes(run).length).toBeGreaterThan(0);
      await testBed.bed.decide(ask, { behavior: 'allow' });
    }
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['a', 'b', 'c']);
    for (const id of ['toolu_p1', 'toolu_p2', 'toolu_p3']) expect(testBed.result(id)).toMatchObject({ isError: false });
    expect(testBed.result('toolu_sub')?.text).toContain('Sub done.');
  });

  it('keeps the mode that it was in when it is started again', async () => {
    const plan = { tool: 'ExitPlanMode', input: { plan: '1. ask' }, id: 'toolu_mode_plan' };
    testBed.model.play([[plan], asksColour('toolu_mode'), [touch('after', 'toolu_mode_touch')], [{ text: 'Done.' }]]);
    const run = await testBed.start({ permission_mode: 'plan', patience_ms: 0 });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    const question = await testBed.bed.until(async () => {
      const [ask] = await testBed.bed.pending(run.session_id);
      return ask?.kind === 'question' ? ask : undefined;
    });
    await testBed.released(run);
    await testBed.bed.answer(question, BLUE);
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['after']);
  });

  it("is not held on what the user's own hook denied: the ask is taken back, and the run ends", async () => {
    const settings = join(testBed.root, 'home', '.claude', 'settings.json');
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    };
    const command = `echo '${JSON.stringify({ hookSpecificOutput })}'`;
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] };
    writeFileSync(settings, JSON.stringify({ hooks }));
    testBed.model.play([[touch('x', 'toolu_own_hook')], [{ text: 'I go without it.' }]]);
    const run = await testBed.start({ hold: 'everything', patience_ms: 0 });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    rmSync(settings);
    const [ask] = (await testBed.bed.api.asks.list({ run_id: run.run_id })).items;
    expect(ask?.answer).toMatchObject({ outcome: 'cancelled', justification: 'settled in Claude Code itself' });
    expect(testBed.files(run)).toEqual([]);
  });

  it('is not started again when the run was cancelled meanwhile, and nothing is left of it', async () => {
    testBed.model.play([asksColour('toolu_cancelled'), [{ text: 'never' }]]);
    const run = await testBed.start({ patience_ms: 0 });
    const ask = await testBed.ask(run);
    await testBed.released(run);
    const told = testBed.model.told.length;
    await testBed.bed.api.runs.cancel(run.run_id);
    await expect(testBed.bed.answer(ask, BLUE)).rejects.toMatchObject({ code: 'question_state_conflict' });
    expect(await testBed.over(run)).toMatchObject({ status: 'cancelled' });
    expect(testBed.model.told).toHaveLength(told);
    expect(testBed.processes(run)).toEqual([]);
  });
});
