// What the real Claude Code was held on when its run was stopped: the conversation goes on in the next run, and that call
// is not made in it, whatever the next run allows by itself.
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, touch } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: held on a call when its run was stopped`, () => {
  const stop = {
    cancelled: (run: RunView) => testBed.bed.api.runs.cancel(run.run_id),
    interrupted: (run: RunView) => testBed.bed.api.sessions.interrupt(run.session_id),
  };
  const form = {
    tool: 'mcp__holdpoint__interactive_form_question',
    input: { questions: [{ id: 'colour', question: 'Which colour?', options: ['Red', 'Blue'] }] },
    id: 'toolu_stopped_form',
  };

  it.each([
    ['a command', [touch('stopped', 'toolu_stopped')], 'cancelled', { permission_mode: 'acceptEdits' }],
    ['a question', asksColour('toolu_stopped_question'), 'interrupted', {}],
    ['a form', [form], 'cancelled', { ask_tools: true }],
  ] as const)('%s is not made in the next run, which hears only what it is told', async (_, calls, how, input) => {
    testBed.model.play([[...calls], [{ text: 'Hello.' }]]);
    const run = await testBed.start({ hold: 'everything', patience_ms: 0, ask_tools: true });
    await testBed.ask(run);
    await testBed.released(run);
    await stop[how](run);
    await testBed.over(run);
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'say hello', ...input } });
    const over = await testBed.over(next);
    expect(over).toMatchObject({ status: 'completed' });
    expect(testBed.files(run)).toEqual([]);
    // One turn, in which the last word is the person's.
    expect(testBed.lastTold()).toContain('say hello');
    expect(over.outputs.filter((o) => o.type === 'text').map((o) => o.text)).toEqual(['Hello.']);
    expect((await testBed.bed.api.asks.list({ run_id: next.run_id })).items).toEqual([]);
  });
});
