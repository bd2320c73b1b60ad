// What became of an ask as Claude Code is told it: only a person's own yes allows anything, and every other end is a no
// that says what it was.
import { describe, expect, it } from 'vitest';
import { approvalDecision, questionDecision } from '../../../src/agents/claude/asks.ts';

const END = { ask_id: 'ask_1', answered_by: 'system', surface: 'system', answered_at_ms: 0, justification: undefined };
const CALL = {
  id: 'toolu_1',
  name: 'AskUserQuestion',
  input: { questions: [{ question: 'Which?', options: [{ label: 'Red' }] }] },
  reason: '',
  lineage: [],
  suggestions: [],
} as unknown as Parameters<typeof questionDecision>[0];

describe.each(['expired', 'cancelled', 'failed', 'declined'] as const)('an ask that ended as %s', (status) => {
  it('as an approval allows nothing, and says how it ended', () => {
    const input = { command: 'make' };
    const outcome = { ...END, status, input, edited: false, suggestion_ids: ['session-0'], reason: 'too late' };
    expect(approvalDecision({ suggestions: [] }, { ...outcome, allowed: false })).toEqual({
      behavior: 'deny',
      message: `Nobody allowed this: the request ended as ${status} (too late).`,
    });
  });

  it('as a question answers nothing, and says how it ended', () => {
    const what = status === 'declined' ? 'The person declined to answer' : `There is no answer (${status})`;
    const going = 'Go on without it, or say what you cannot do.';
    expect(questionDecision(CALL, { ...END, status, reason: 'too late' })).toEqual({
      behavior: 'deny',
      message: `${what}: too late. ${going}`,
    });
    expect(questionDecision(CALL, { ...END, status, reason: status })).toEqual({
      behavior: 'deny',
      message: `${what}. ${going}`,
    });
  });
});

it.each([
  ['approval denied', 'A person denied this, and gave no reason.'],
  ['too risky', 'A person denied this: too risky'],
])('a denial with the reason "%s" tells the model: %s', (reason, message) => {
  const outcome = { ...END, status: 'answered', allowed: false, input: {}, edited: false, suggestion_ids: [], reason };
  expect(approvalDecision({}, outcome as never)).toEqual({ behavior: 'deny', message });
});
