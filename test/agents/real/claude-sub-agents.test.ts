// Sub-agents of the real Claude Code: every ask says which one asks, however deep, and each is told its own answer.
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { testBedForAll } from './claude-test-bed.ts';
import type { Script } from './model.ts';

const testBed = testBedForAll();

const sub = (prompt: string, description: string) => ({
  tool: 'Agent',
  input: { description, prompt, subagent_type: 'general-purpose', run_in_background: false },
  id: `toolu_${prompt}`,
});
const touch = (name: string) => [
  { tool: 'Bash', input: { command: `touch ${name}`, description: 'd' }, id: `toolu_touch_${name}` },
];

/** Each conversation by the text it begins with; whoever calls comes before whom it calls, because it names them. */
function play(scripts: Record<string, Script>): void {
  for (const [marker, script] of Object.entries(scripts)) testBed.model.play(script, marker);
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: sub-agents`, () => {
  it('says which sub-agent asks, answers that one, and hands its result back', async () => {
    testBed.record('sub-agent');
    play({
      'MAIN-ONE': [[sub('SUB-ONE', 'find it')], [{ text: 'All done.' }]],
      'SUB-ONE': [touch('sub'), [{ text: 'Sub done.' }]],
    });
    const run = await testBed.start({ text: 'MAIN-ONE' });
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({
      mode: 'blocking',
      request: { input: { command: 'touch sub' }, lineage: ['general-purpose: find it'] },
    });
    await testBed.bed.decide(ask, { behavior: 'allow' });
    const over = await testBed.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['sub']);
    expect(testBed.result('toolu_touch_sub')).toMatchObject({ isError: false });
    expect(testBed.result('toolu_SUB-ONE')?.text).toContain('Sub done.');
    expect(over.outputs.map((o) => o.text)).toContain('[general-purpose: find it] Bash: touch sub');
  });

  it('names the whole line of a sub-agent of a sub-agent', async () => {
    testBed.record('sub-agent-nested');
    play({
      'MAIN-TWO': [[sub('OUTER', 'the outer')], [{ text: 'All done.' }]],
      OUTER: [[sub('INNER', 'the inner')], [{ text: 'Outer done.' }]],
      INNER: [touch('inner'), [{ text: 'Inner gave up.' }]],
    });
    const run = await testBed.start({ text: 'MAIN-TWO' });
    const ask = await testBed.ask(run);
    expect(ask.request.lineage).toEqual(['general-purpose: the outer', 'general-purpose: the inner']);
    await testBed.bed.decide(ask, { behavior: 'deny', reason: 'not in here' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_touch_inner')).toEqual({ text: 'A person denied this: not in here', isError: true });
    expect(testBed.result('toolu_INNER')?.text).toContain('Inner gave up.');
    expect(testBed.result('toolu_OUTER')?.text).toContain('Outer done.');
    expect(testBed.files(run)).toEqual([]);
  });

  it('shows what two sub-agents ask at once, and keeps their answers apart', async () => {
    testBed.record('sub-agents-two');
    play({
      'MAIN-THREE': [[sub('LEFT', 'left'), sub('RIGHT', 'right')], [{ text: 'All done.' }]],
      LEFT: [touch('left'), [{ text: 'Left done.' }]],
      RIGHT: [touch('right'), [{ text: 'Right done.' }]],
    });
    const run = await testBed.start({ text: 'MAIN-THREE' });
    const asks = await testBed.bed.pending(run.session_id, 2);
    const by = (name: string) => asks.find((ask) => ask.request.lineage?.[0] === `general-purpose: ${name}`);
    const [left, right] = [by('left'), by('right')];
    if (!left || !right) throw new Error('one of them does not ask');
    expect(left.tool_call_id).toBe('toolu_touch_left');
    await testBed.bed.decide(right, {
      behavior: 'allow',
      updated_input: { command: 'touch changed', description: 'd' },
    });
    await testBed.bed.decide(left, { behavior: 'deny', reason: 'only the right' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['changed']);
    expect(testBed.result('toolu_touch_left')).toEqual({ text: 'A person denied this: only the right', isError: true });
    expect(testBed.result('toolu_touch_right')).toMatchObject({ isError: false });
    expect(testBed.result('toolu_LEFT')?.text).toContain('Left done.');
    expect(testBed.result('toolu_RIGHT')?.text).toContain('Right done.');
  });

  it('keeps them apart also where their calls have the same id', async () => {
    const same = (name: string) => touch(name).map((call) => ({ ...call, id: 'toolu_same' }));
    play({
      'MAIN-FOUR': [[sub('WEST', 'west'), sub('EAST', 'east')], [{ text: 'All done.' }]],
      WEST: [same('west'), [{ text: 'West done.' }]],
      EAST: [same('east'), [{ text: 'East done.' }]],
    });
    const run = await testBed.start({ text: 'MAIN-FOUR' });
    for (const ask of await testBed.bed.pending(run.session_id, 2)) {
      const isWest = ask.request.lineage?.[0] === 'general-purpose: west';
      expect(ask.request).toMatchObject({ input: { command: isWest ? 'touch west' : 'touch east' } });
      await testBed.bed.decide(ask, isWest ? { behavior: 'allow' } : { behavior: 'deny', reason: 'only the west' });
    }
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual(['west']);
    const denied = testBed.model.told.filter((told) => told.includes('A person denied this: only the west'));
    expect(denied.map((told) => [told.includes('EAST'), told.includes('WEST')])).toEqual([[true, false]]);
  });
});
