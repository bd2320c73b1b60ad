// The real Claude Code held without a process: it stops on an ask, costs nothing, and goes on with the answer as if it
// had waited. Where that would lose a call, it waits in its process instead.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, touch } from './claude-calls.ts';
import { rigForAll } from './claude-test-bed.ts';

const rig = rigForAll();

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: held without a process`, () => {
  it('stops on a question and is started again with the answer, twice in one run', async () => {
    const before = rig.model.told.length;
    rig.model.play([asksColour('toolu_h1'), asksColour('toolu_h2'), [{ text: 'Blue and blue.' }]]);
    const run = await rig.start({ patience_ms: 0 });
    for (const id of ['toolu_h1', 'toolu_h2']) {
      const ask = await rig.ask(run);
      expect(ask).toMatchObject({ tool_call_id: id, mode: 'deferred' });
      await rig.released(run);
      expect(await rig.stage.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_user_question' });
      await rig.stage.answer(ask, BLUE);
      await rig.stage.until(async () => rig.result(id));
    }
    expect(await rig.over(run)).toMatchObject({ status: 'completed', run_id: run.run_id });
    expect(rig.result('toolu_h1')?.text).toContain('"Which colour?"="Blue"');
    expect(rig.result('toolu_h2')?.text).toContain('"Which colour?"="Blue"');
    expect(rig.model.told).toHaveLength(before + 3);
    expect((await rig.stage.events(run.session_id, 'ask.delivered')).length).toBe(2);
  });

  it('waits in its process first, as long as it was told to', async () => {
    rig.record('question-held');
    rig.model.play([asksColour('toolu_patient'), [{ text: 'Blue.' }]]);
    const run = await rig.start({ patience_ms: 1000 });
    const ask = await rig.ask(run);
    await rig.released(run);
    const released = await rig.stage.until(async () => (await rig.stage.events(run.session_id, 'run.released')).at(0));
    // A timer may be a moment early by another clock.
    expect(released.at_ms - ask.created_at_ms).toBeGreaterThan(950);
    await rig.stage.answer(ask, BLUE);
    await rig.over(run);
    expect(rig.result('toolu_patient')?.text).toContain('"Which colour?"="Blue"');
  });

  it('stops on an approval too where the run says so: allowed, changed and denied', async () => {
    rig.model.play([[touch('a', 'toolu_e1')], [touch('b', 'toolu_e2')], [touch('c', 'toolu_e3')], [{ text: 'Done.' }]]);
    const run = await rig.start({ hold: 'everything', patience_ms: 0 });
    const updated_input = { command: 'touch B', description: 'd' };
    for (const decision of [
      { behavior: 'allow' },
      { behavior: 'allow', updated_input },
      { behavior: 'deny', reason: 'not c' },
    ] as const) {
      const ask = await rig.ask(run);
      expect(ask.mode).toBe('deferred');
      await rig.released(run);
      await rig.stage.decide(ask, decision);
    }
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    expect(rig.files(run)).toEqual(['B', 'a']);
    for (const id of ['toolu_e1', 'toolu_e2']) expect(rig.result(id)).toMatchObject({ isError: false });
    expect(rig.result('toolu_e3')).toMatchObject({ isError: true });
    expect(rig.result('toolu_e3')?.text).toContain('not c');
    expect(rig.model.told.at(-1)).not.toContain('interrupted');
  });

  it('waits in its process for calls beside others and for sub-agents, where holding would lose them', async () => {
    const sub = { description: 'help', prompt: 'SUBWORK', subagent_type: 'general-purpose', run_in_background: false };
    rig.model.play([
      [touch('a', 'toolu_p1'), touch('b', 'toolu_p2')],
      [{ tool: 'Agent', input: sub, id: 'toolu_sub' }],
      [touch('c', 'toolu_p3')],
      [{ text: 'Sub done.' }],
      [{ text: 'Done.' }],
    ]);
    const run = await rig.start({ hold: 'everything', patience_ms: 0 });
    for (const lineage of [undefined, undefined, ['general-purpose: help']]) {
      const ask = await rig.ask(run);
      expect(ask).toMatchObject({ mode: 'blocking' });
      expect(ask.request.lineage).toEqual(lineage);
      expect(rig.processes(run).length).toBeGreaterThan(0);
      await rig.stage.decide(ask, { behavior: 'allow' });
    }
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    expect(rig.files(run)).toEqual(['a', 'b', 'c']);
    for (const id of ['toolu_p1', 'toolu_p2', 'toolu_p3']) expect(rig.result(id)).toMatchObject({ isError: false });
    expect(rig.result('toolu_sub')?.text).toContain('Sub done.');
  });

  it('keeps the mode that it was in when it is started again', async () => {
    const plan = { tool: 'ExitPlanMode', input: { plan: '1. ask' }, id: 'toolu_mode_plan' };
    rig.model.play([[plan], asksColour('toolu_mode'), [touch('after', 'toolu_mode_touch')], [{ text: 'Done.' }]]);
    const run = await rig.start({ permission_mode: 'plan', patience_ms: 0 });
    await rig.stage.decide(await rig.ask(run), { behavior: 'allow' });
    const question = await rig.stage.until(async () => {
      const [ask] = await rig.stage.pending(run.session_id);
      return ask?.kind === 'question' ? ask : undefined;
    });
    await rig.released(run);
    await rig.stage.answer(question, BLUE);
    await rig.stage.decide(await rig.ask(run), { behavior: 'allow' });
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    expect(rig.files(run)).toEqual(['after']);
  });

  it("is not held on what the user's own hook denied: the ask is taken back, and the run ends", async () => {
    const settings = join(rig.root, 'home', '.claude', 'settings.json');
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    };
    const command = `echo '${JSON.stringify({ hookSpecificOutput })}'`;
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] };
    writeFileSync(settings, JSON.stringify({ hooks }));
    rig.model.play([[touch('x', 'toolu_own_hook')], [{ text: 'I go without it.' }]]);
    const run = await rig.start({ hold: 'everything', patience_ms: 0 });
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    rmSync(settings);
    const [ask] = (await rig.stage.api.asks.list({ run_id: run.run_id })).items;
    expect(ask?.answer).toMatchObject({ outcome: 'cancelled', justification: 'settled in Claude Code itself' });
    expect(rig.files(run)).toEqual([]);
  });

  it('is not started again when the run was cancelled meanwhile, and nothing is left of it', async () => {
    rig.model.play([asksColour('toolu_cancelled'), [{ text: 'never' }]]);
    const run = await rig.start({ patience_ms: 0 });
    const ask = await rig.ask(run);
    await rig.released(run);
    const told = rig.model.told.length;
    await rig.stage.api.runs.cancel(run.run_id);
    await expect(rig.stage.answer(ask, BLUE)).rejects.toMatchObject({ code: 'question_state_conflict' });
    expect(await rig.over(run)).toMatchObject({ status: 'cancelled' });
    expect(rig.model.told).toHaveLength(told);
    expect(rig.processes(run)).toEqual([]);
  });
});
