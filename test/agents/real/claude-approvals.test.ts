// The real Claude Code asks for permission: what a person decides is what happens on disk and what the model is told.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { touch } from './claude-calls.ts';
import { rigForAll } from './claude-test-bed.ts';

const rig = rigForAll();

const makes = (name: string, id: string) => touch(name, id, { description: 'make it' });

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: approvals`, () => {
  it('shows the call as it is, and does it when it is allowed', async () => {
    rig.record('approval-allowed');
    rig.model.play([[{ text: 'I make it.' }, makes('x', 'toolu_allow')], [{ text: 'Made.' }]]);
    const run = await rig.start({ text: 'make x' });
    const ask = await rig.ask(run);
    expect(ask).toMatchObject({
      kind: 'approval',
      mode: 'blocking',
      tool_call_id: 'toolu_allow',
      request: { tool_name: 'Bash', input: { command: 'touch x', description: 'make it' } },
    });
    expect(rig.files(run)).toEqual([]);
    await rig.stage.decide(ask, { behavior: 'allow' });
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    expect(rig.files(run)).toEqual(['x']);
    expect(rig.model.told.at(-2)).toContain('make x');
    expect(rig.result('toolu_allow')).toMatchObject({ isError: false });
    const said = (await rig.over(run)).outputs.flatMap(({ type, text }) => (text ? [[type, text]] : []));
    expect(said).toContainEqual(['text', 'I make it.']);
    expect(said).toContainEqual(['tool_call', 'Bash: touch x']);
    expect(said.at(-1)).toEqual(['text', 'Made.']);
    expect((await rig.stage.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('does what the person made of it', async () => {
    rig.record('approval-changed');
    rig.model.play([[makes('x', 'toolu_changed')], [{ text: 'Made.' }]]);
    const run = await rig.start();
    const updated_input = { command: 'touch y && echo made y', description: 'make another' };
    await rig.stage.decide(await rig.ask(run), { behavior: 'allow', updated_input });
    await rig.over(run);
    expect(rig.files(run)).toEqual(['y']);
    expect(rig.result('toolu_changed')).toEqual({ text: 'made y', isError: false });
  });

  it('does not do what was denied, and tells the model why', async () => {
    rig.record('approval-denied');
    rig.model.play([[makes('x', 'toolu_denied')], [{ text: 'I leave it.' }]]);
    const run = await rig.start();
    await rig.stage.decide(await rig.ask(run), { behavior: 'deny', reason: 'use the staging database' });
    expect(await rig.over(run)).toMatchObject({ status: 'completed' });
    expect(rig.files(run)).toEqual([]);
    expect(rig.result('toolu_denied')).toEqual({
      text: 'A person denied this: use the staging database',
      isError: true,
    });
  });

  it('asks no more in this session for what was shown, and goes on asking for the rest', async () => {
    rig.record('approval-always');
    let folder = '';
    const wider = { command: 'touch x && touch evil', description: 'and more' };
    rig.model.play([
      [makes('x', 'toolu_always')],
      [makes('x z', 'toolu_covered')],
      [{ tool: 'Bash', input: wider, id: 'toolu_wider' }],
      [makes('other', 'toolu_beyond')],
      () => [{ tool: 'Write', input: { file_path: join(folder, 'w'), content: 'w' }, id: 'toolu_write' }],
      [{ text: 'Done.' }],
    ]);
    const run = await rig.start();
    folder = run.folder;
    const first = await rig.ask(run);
    const { suggestions } = first.request as ApprovalRequest;
    const rules = [{ toolName: 'Bash', ruleContent: 'touch x *' }];
    expect(suggestions).toEqual([{ id: 'session-0', label: expect.stringContaining('Bash(touch x *)'), rules }]);
    await rig.stage.decide(first, { behavior: 'allow', suggestion_ids: ['session-0'] });
    // Neither what is joined to it, nor edits or folders, were opened up along with it.
    for (const id of ['toolu_wider', 'toolu_beyond', 'toolu_write']) {
      const ask = await rig.ask(run);
      expect(ask.tool_call_id).toBe(id);
      expect(rig.files(run)).toEqual(['x', 'z']);
      await rig.stage.decide(ask, { behavior: 'deny', reason: `not ${id}` });
    }
    await rig.over(run);
    expect(rig.files(run)).toEqual(['x', 'z']);
    for (const id of ['toolu_always', 'toolu_covered']) expect(rig.result(id)).toMatchObject({ isError: false });
    for (const id of ['toolu_wider', 'toolu_beyond', 'toolu_write'])
      expect(rig.result(id)).toEqual({ text: `A person denied this: not ${id}`, isError: true });

    // The session goes on in another process; elsewhere everything is asked again.
    delete process.env.TRANSCRIPT;
    const later = [[makes('x later', 'toolu_later')], [makes('y', 'toolu_later_y')], [{ text: 'Done.' }]];
    rig.model.play(later);
    const next = await rig.stage.api.runs.start(run.session_id, { input: { text: 'more' } });
    const ask = await rig.ask(next);
    expect(ask.tool_call_id).toBe('toolu_later_y');
    await rig.stage.decide(ask, { behavior: 'deny' });
    await rig.over(next);
    expect(rig.files(run)).toEqual(['later', 'x', 'z']);
    // Where it is only to plan, what was allowed before changes nothing.
    rig.model.play([[makes('x planned', 'toolu_planned')], [{ text: 'Done.' }]]);
    const input = { text: 'plan it', permission_mode: 'plan' };
    await rig.over(await rig.stage.api.runs.start(run.session_id, { input }));
    expect(rig.files(run)).toEqual(['later', 'x', 'z']);
    expect(rig.result('toolu_planned')).toMatchObject({ isError: true });
    rig.model.play([[makes('x', 'toolu_elsewhere')], [{ text: 'Done.' }]]);
    const other = await rig.start();
    await rig.stage.decide(await rig.ask(other), { behavior: 'deny' });
    await rig.over(other);
    expect(rig.files(other)).toEqual([]);
  });

  it('goes on whatever characters are said, and does not do what cannot be shown to the letter', async () => {
    const long = `echo x${'😀'.repeat(200)}`;
    rig.model.play([
      [
        { text: 'a\0b\ud800c' },
        { tool: 'Bash', input: { command: "printf 'd\\0e'", description: 'd' }, id: 'toolu_nul' },
      ],
      [{ tool: 'Bash', input: { command: long, description: 'd' }, id: 'toolu_cut' }],
      [{ tool: 'Bash', input: { command: 'touch f\0g', description: 'd' }, id: 'toolu_unshown' }],
      [{ text: 'Done.' }],
    ]);
    const run = await rig.start();
    const over = await rig.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    const said = over.outputs.map(({ text }) => text);
    expect(said).toEqual(expect.arrayContaining(['a␀b�c', 'd␀e', 'Done.']));
    expect(said.find((text) => text?.startsWith('Bash: echo x'))).toMatch(/😀…$/u);
    expect(rig.result('toolu_unshown')).toMatchObject({ isError: true, text: expect.stringMatching(/NUL|control/i) });
    expect(rig.files(run)).toEqual([]);
  });

  it('asks for calls of one message one by one, keeps their answers apart, and takes none for a rule', async () => {
    const again = [makes('a', 'toolu_again')];
    rig.model.play([[makes('a', 'toolu_a'), makes('b', 'toolu_b'), makes('c', 'toolu_c')], again, [{ text: 'Done.' }]]);
    const run = await rig.start();
    for (const [id, behavior] of [
      ['toolu_a', 'allow'],
      ['toolu_b', 'deny'],
      ['toolu_c', 'allow'],
      ['toolu_again', 'deny'],
    ] as const) {
      const ask = await rig.ask(run);
      expect(ask.tool_call_id).toBe(id);
      await rig.stage.decide(ask, { behavior });
    }
    await rig.over(run);
    expect(rig.files(run)).toEqual(['a', 'c']);
    const failed = ['toolu_a', 'toolu_b', 'toolu_c', 'toolu_again'].map((id) => rig.result(id)?.isError);
    expect(failed).toEqual([false, true, false, true]);
  });

  it('stops at once when the run is interrupted: the answer comes too late and nothing runs', async () => {
    rig.model.play([[makes('x', 'toolu_interrupted')], [{ text: 'Done.' }]]);
    const run = await rig.start();
    const ask = await rig.ask(run);
    await rig.stage.api.sessions.interrupt(run.session_id);
    expect(await rig.over(run)).toMatchObject({ status: 'interrupted' });
    await expect(rig.stage.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({
      code: 'approval_state_conflict',
    });
    await rig.released(run);
    expect(rig.files(run)).toEqual([]);
    rig.model.play([[{ text: 'I know.' }]]);
    const next = await rig.stage.api.runs.start(run.session_id, { input: { text: 'what now?' } });
    expect(await rig.over(next)).toMatchObject({ status: 'completed' });
    expect(rig.lastTold()).toContain('what now?');
    expect(rig.model.told.at(-1)).toContain('touch x');
    // The second is what Claude Code says of itself where it was ended before it had written the first down.
    expect(rig.result('toolu_interrupted')?.text).toMatch(/The user doesn't want to proceed|^\[Tool call interrupted/);
  });

  it('ends a command that is under way when the run is interrupted, and the model learns of it', async () => {
    const input = { command: 'touch begun; sleep 300; touch late', description: 'd' };
    rig.model.play([[{ tool: 'Bash', input, id: 'toolu_under_way' }], [{ text: 'never' }]]);
    const run = await rig.start();
    await rig.stage.decide(await rig.ask(run), { behavior: 'allow' });
    await rig.stage.until(async () => (rig.files(run).includes('begun') ? true : undefined));
    await rig.stage.api.sessions.interrupt(run.session_id);
    expect(await rig.over(run)).toMatchObject({ status: 'interrupted' });
    await rig.released(run);
    rig.model.play([[{ text: 'I know.' }]]);
    const next = await rig.stage.api.runs.start(run.session_id, { input: { text: 'what now?' } });
    expect(await rig.over(next)).toMatchObject({ status: 'completed' });
    expect(rig.model.told.at(-1)).toContain('[Request interrupted by user for tool use]');
    expect(rig.files(run)).toEqual(['begun']);
  });
});
