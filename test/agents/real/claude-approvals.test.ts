// The real Claude Code asks for permission: what a person decides is what happens on disk and what the model is told.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { touch } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const makes = (name: string, id: string) => touch(name, id, { description: 'make it' });

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: approvals`, () => {
  it('shows the call as it is, and does it when it is allowed', async () => {
    testBed.record('approval-allowed');
    testBed.model.play([[{ text: 'I make it.' }, makes('x', 'toolu_allow')], [{ text: 'Made.' }]]);
    const run = await testBed.start({ text: 'make x' });
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({
      kind: 'approval',
      mode: 'blocking',
      tool_call_id: 'toolu_allow',
      request: { tool_name: 'Bash', input: { command: 'touch x', description: 'make it' } },
    });
    expect(testBed.files(run)).toEqual([]);
    await testBed.bed.decide(ask, { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['x']);
    expect(testBed.model.told.at(-2)).toContain('make x');
    expect(testBed.result('toolu_allow')).toMatchObject({ isError: false });
    const said = (await testBed.over(run)).outputs.flatMap(({ type, text }) => (text ? [[type, text]] : []));
    expect(said).toContainEqual(['text', 'I make it.']);
    expect(said).toContainEqual(['tool_call', 'Bash: touch x']);
    expect(said.at(-1)).toEqual(['text', 'Made.']);
    expect((await testBed.bed.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('does what the person made of it, and its model is told what ran', async () => {
    testBed.record('approval-changed');
    testBed.model.play([[makes('x', 'toolu_changed')], [{ text: 'Made.' }]]);
    const run = await testBed.start();
    const updated_input = { command: 'touch y && echo made y', description: 'make another' };
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow', updated_input });
    await testBed.over(run);
    expect(testBed.files(run)).toEqual(['y']);
    expect(testBed.result('toolu_changed')).toEqual({ text: 'made y', isError: false });
    expect(testBed.model.told.at(-1)).toMatch(/A person changed the input of this call .*touch y && echo made y/);
  });

  it('does not do what was denied, and tells the model why', async () => {
    testBed.record('approval-denied');
    testBed.model.play([[makes('x', 'toolu_denied')], [{ text: 'I leave it.' }]]);
    const run = await testBed.start();
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'deny', reason: 'use the staging database' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual([]);
    expect(testBed.result('toolu_denied')).toEqual({
      text: 'A person denied this: use the staging database',
      isError: true,
    });
  });

  it('asks no more in this session for what was shown, and goes on asking for the rest', async () => {
    testBed.record('approval-always');
    let folder = '';
    const wider = { command: 'touch x && touch evil', description: 'and more' };
    testBed.model.play([
      [makes('x', 'toolu_always')],
      [makes('x z', 'toolu_covered')],
      [{ tool: 'Bash', input: wider, id: 'toolu_wider' }],
      [makes('other', 'toolu_beyond')],
      () => [{ tool: 'Write', input: { file_path: join(folder, 'w'), content: 'w' }, id: 'toolu_write' }],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    folder = run.folder;
    const first = await testBed.ask(run);
    const { suggestions } = first.request as ApprovalRequest;
    const rules = [{ toolName: 'Bash', ruleContent: 'touch x *' }];
    expect(suggestions).toEqual([{ id: 'session-0', label: expect.stringContaining('Bash(touch x *)'), rules }]);
    await testBed.bed.decide(first, { behavior: 'allow', suggestion_ids: ['session-0'] });
    // Neither what is joined to it, nor edits or folders, were opened up along with it.
    for (const id of ['toolu_wider', 'toolu_beyond', 'toolu_write']) {
      const ask = await testBed.ask(run);
      expect(ask.tool_call_id).toBe(id);
      expect(testBed.files(run)).toEqual(['x', 'z']);
      await testBed.bed.decide(ask, { behavior: 'deny', reason: `not ${id}` });
    }
    await testBed.over(run);
    expect(testBed.files(run)).toEqual(['x', 'z']);
    for (const id of ['toolu_always', 'toolu_covered']) expect(testBed.result(id)).toMatchObject({ isError: false });
    for (const id of ['toolu_wider', 'toolu_beyond', 'toolu_write'])
      expect(testBed.result(id)).toEqual({ text: `A person denied this: not ${id}`, isError: true });

    // The session goes on in another process; elsewhere everything is asked again.
    delete process.env.TRANSCRIPT;
    const later = [[makes('x later', 'toolu_later')], [makes('y', 'toolu_later_y')], [{ text: 'Done.' }]];
    testBed.model.play(later);
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'more' } });
    const ask = await testBed.ask(next);
    expect(ask.tool_call_id).toBe('toolu_later_y');
    await testBed.bed.decide(ask, { behavior: 'deny' });
    await testBed.over(next);
    expect(testBed.files(run)).toEqual(['later', 'x', 'z']);
    // Where it is only to plan, what was allowed before changes nothing.
    testBed.model.play([[makes('x planned', 'toolu_planned')], [{ text: 'Done.' }]]);
    const input = { text: 'plan it', permission_mode: 'plan' };
    await testBed.over(await testBed.bed.api.runs.start(run.session_id, { input }));
    expect(testBed.files(run)).toEqual(['later', 'x', 'z']);
    expect(testBed.result('toolu_planned')).toMatchObject({ isError: true });
    testBed.model.play([[makes('x', 'toolu_elsewhere')], [{ text: 'Done.' }]]);
    const other = await testBed.start();
    await testBed.bed.decide(await testBed.ask(other), { behavior: 'deny' });
    await testBed.over(other);
    expect(testBed.files(other)).toEqual([]);
  });

  it('goes on whatever characters are said, and does not do what cannot be shown to the letter', async () => {
    const long = `echo x${'😀'.repeat(200)}`;
    testBed.model.play([
      [
        { text: 'a\0b\ud800c' },
        { tool: 'Bash', input: { command: "printf 'd\\0e'", description: 'd' }, id: 'toolu_nul' },
      ],
      [{ tool: 'Bash', input: { command: long, description: 'd' }, id: 'toolu_cut' }],
      [{ tool: 'Bash', input: { command: 'touch f\0g', description: 'd' }, id: 'toolu_unshown' }],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    const over = await testBed.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    const said = over.outputs.map(({ text }) => text);
    expect(said).toEqual(expect.arrayContaining(['a␀b�c', 'd␀e', 'Done.']));
    expect(said.find((text) => text?.startsWith('Bash: echo x'))).toMatch(/😀…$/u);
    expect(testBed.result('toolu_unshown')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/NUL|control/i),
    });
    expect(testBed.files(run)).toEqual([]);
  });

  it('asks for calls of one message one by one, keeps their answers apart, and takes none for a rule', async () => {
    const again = [makes('a', 'toolu_again')];
    testBed.model.play([
      [makes('a', 'toolu_a'), makes('b', 'toolu_b'), makes('c', 'toolu_c')],
      again,
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    for (const [id, behavior] of [
      ['toolu_a', 'allow'],
      ['toolu_b', 'deny'],
      ['toolu_c', 'allow'],
      ['toolu_again', 'deny'],
    ] as const) {
      const ask = await testBed.ask(run);
      expect(ask.tool_call_id).toBe(id);
      await testBed.bed.decide(ask, { behavior });
    }
    await testBed.over(run);
    expect(testBed.files(run)).toEqual(['a', 'c']);
    const failed = ['toolu_a', 'toolu_b', 'toolu_c', 'toolu_again'].map((id) => testBed.result(id)?.isError);
    expect(failed).toEqual([false, true, false, true]);
  });

  it('stops at once when the run is interrupted: the answer comes too late and nothing runs', async () => {
    testBed.model.play([[makes('x', 'toolu_interrupted')], [{ text: 'Done.' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    await testBed.bed.api.sessions.interrupt(run.session_id);
    expect(await testBed.over(run)).toMatchObject({ status: 'interrupted' });
    await expect(testBed.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({
      code: 'approval_state_conflict',
    });
    await testBed.released(run);
    expect(testBed.files(run)).toEqual([]);
    testBed.model.play([[{ text: 'I know.' }]]);
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'what now?' } });
    expect(await testBed.over(next)).toMatchObject({ status: 'completed' });
    expect(testBed.lastTold()).toContain('what now?');
    expect(testBed.model.told.at(-1)).toContain('touch x');
    // The second is what Claude Code says of itself where it was ended before it had written the first down.
    expect(testBed.result('toolu_interrupted')?.text).toMatch(
      /The user doesn't want to proceed|^\[Tool call interrupted/,
    );
  });

  it('ends a command that is under way when the run is interrupted, and the model learns of it', async () => {
    const input = { command: 'touch begun; sleep 300; touch late', description: 'd' };
    testBed.model.play([[{ tool: 'Bash', input, id: 'toolu_under_way' }], [{ text: 'never' }]]);
    const run = await testBed.start();
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    await testBed.bed.until(async () => (testBed.files(run).includes('begun') ? true : undefined));
    await testBed.bed.api.sessions.interrupt(run.session_id);
    expect(await testBed.over(run)).toMatchObject({ status: 'interrupted' });
    await testBed.released(run);
    testBed.model.play([[{ text: 'I know.' }]]);
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'what now?' } });
    expect(await testBed.over(next)).toMatchObject({ status: 'completed' });
    expect(testBed.model.told.at(-1)).toContain('[Request interrupted by user for tool use]');
    expect(testBed.files(run)).toEqual(['begun']);
  });
});
