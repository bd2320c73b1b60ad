// The state machine of the ask as a total table, written out a second time by hand, and what its ends may and may not say.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ASK_STATUSES,
  ASK_TABLE,
  type Ask,
  type AskCommand,
  type AskKind,
  type AskStatus,
  answeredDigest,
  decide,
  type EndedStatus,
  endAsk,
  isOverdue,
  lateRefusal,
  type PendingAsk,
  winnerOf,
  withoutDecision,
} from '../../src/core/ask.ts';

const COMMANDS: AskCommand[] = ['answer', 'decline', 'cancel', 'expire', 'fail'];
const ENDED = ASK_STATUSES.filter((s): s is EndedStatus => s !== 'pending');
const TABLE = `
              answer    decline   cancel    expire  fail
  pending     end       end       end       end     end
  answered    compare   compare   conflict  ignore  ignore
  declined    compare   compare   conflict  ignore  ignore
  cancelled   conflict  conflict  conflict  ignore  ignore
  expired     expired   expired   expired   ignore  ignore
  failed      conflict  conflict  conflict  ignore  ignore`;

const [head = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const expected = Object.fromEntries(
  rows.map(([status = '', ...moves]) => [status, Object.fromEntries(moves.map((move, i) => [head[i], move]))]),
);

describe('the ask table', () => {
  it('equals the table of the specification', () => {
    expect(Object.keys(expected).sort()).toEqual([...ASK_STATUSES].sort());
    expect(head).toEqual(COMMANDS);
    expect(ASK_TABLE).toEqual(expected);
  });

  it('ends an ask only from pending', () => {
    for (const status of ENDED) for (const command of COMMANDS) expect(ASK_TABLE[status][command]).not.toBe('end');
  });
});

describe('decide', () => {
  it.each(ASK_STATUSES)('follows the table for an ask that is %s and not overdue', (status) => {
    for (const kind of ['approval', 'question'] as const)
      for (const command of COMMANDS)
        for (const expiresAt of [undefined, 101])
          expect(decide(askIn(status, kind, expiresAt), command, 100)).toBe(expected[status]?.[command]);
  });

  it('decides to expire an overdue ask before any other command', () => {
    for (const command of COMMANDS)
      expect(decide(pending('question', 100), command, 100)).toBe(command === 'expire' ? 'end' : 'expire_first');
  });

  it('never treats an ended ask as overdue', () => {
    for (const status of ENDED) {
      expect(isOverdue(askIn(status, 'question', 100), 1_000)).toBe(false);
      expect(decide(askIn(status, 'question', 100), 'answer', 1_000)).toBe(expected[status]?.answer);
    }
  });

  it('treats an ask as overdue from the instant of its deadline on, and never without one', () => {
    expect(isOverdue(pending('question', 100), 99)).toBe(false);
    expect(isOverdue(pending('question', 100), 100)).toBe(true);
    expect(isOverdue(pending('question', undefined), Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe('the end of an ask', () => {
  it('records outcome, author, surface and instant, makes the delivery due, and does not modify the pending ask', () => {
    for (const status of ENDED) {
      const ask = pending('question', 100);
      const before = structuredClone(ask);
      const ended = endAsk(ask, status, { reason: 'why' }, { answeredBy: 'lead', surface: 'cli' }, 42);
      expect(ask).toEqual(before);
      expect(ended).toMatchObject({ ...ask, status });
      expect(ended.answer).toEqual({
        outcome: status,
        reason: 'why',
        answered_by: 'lead',
        surface: 'cli',
        answered_at_ms: 42,
      });
      expect(ended.delivery).toMatchObject({ state: 'due', attempts: 0 });
      expect(winnerOf(ended)).toEqual({ outcome: status, answered_by: 'lead', surface: 'cli', answered_at_ms: 42 });
    }
  });

  it('denies every approval that the server ends without a decision, whatever the reason says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ENDED),
        fc.oneof(fc.string(), fc.constantFrom('allow', 'approved', 'yes')),
        (status, reason) => {
          const decision = withoutDecision(pending('approval'), reason);
          const ended = endAsk(pending('approval'), status, decision, { answeredBy: 'system', surface: 'system' }, 1);
          expect(ended.answer.behavior).toBe('deny');
          expect(ended.answer.reason).toBe(reason);
        },
      ),
    );
  });

  it('records no behaviour for a question', () => {
    expect(withoutDecision(pending('question'), 'expired')).toEqual({ reason: 'expired' });
  });

  it('binds an allow to the digest of the updated input, else of the shown input', () => {
    const author = { answeredBy: 'lead', surface: 'api' } as const;
    const shown = endAsk(pending('approval'), 'answered', { behavior: 'allow' }, author, 1);
    const changed = endAsk(pending('approval'), 'answered', { behavior: 'allow', digest: 'sha256:new' }, author, 1);
    expect(answeredDigest(shown)).toBe(pending('approval').digest);
    expect(answeredDigest(changed)).toBe('sha256:new');
  });
});

describe('a command on an ended ask', () => {
  const question: Record<EndedStatus, [plain: string, clarification: string]> = {
    answered: ['question_state_conflict', 'question_resolution_conflict'],
    declined: ['question_state_conflict', 'question_resolution_conflict'],
    cancelled: ['question_state_conflict', 'question_resolution_conflict'],
    expired: ['question_expired', 'question_expired'],
    failed: ['question_state_conflict', 'question_state_conflict'],
  };

  it.each(ENDED)('is refused with a code and the winner when the ask was %s', (status) => {
    for (const clarification of [false, true]) {
      const refusal = lateRefusal(ended(status, 'question'), clarification);
      expect(refusal.code).toBe(question[status][clarification ? 1 : 0]);
      expect(refusal.winner).toEqual(winnerOf(ended(status, 'question')));
      const approval = lateRefusal(ended(status, 'approval'), clarification);
      expect(approval).toMatchObject({ code: 'approval_state_conflict', winner: { outcome: status } });
      expect(approval.detail).toContain(status === 'expired' ? 'expired at' : 'mate');
    }
  });
});

function pending(kind: AskKind, expiresAt?: number): PendingAsk {
  const base = {
    id: 'ask_1',
    mode: 'blocking' as const,
    status: 'pending' as const,
    sessionId: 'ses_1',
    runId: 'run_1',
    toolCallId: 'call',
    digest: 'sha256:shown',
    payloadHash: 'sha256:payload',
    createdAt: 1,
    expiresAt,
    seenBy: [],
    activity: {},
    raisedBy: undefined,
  };
  return kind === 'approval'
    ? { ...base, kind, content: { tool_name: 'Bash', input: {}, reason: '', scope: 'session' } }
    : { ...base, kind, content: { questions: [] } };
}

const ended = (status: EndedStatus, kind: AskKind, expiresAt?: number) =>
  endAsk(pending(kind, expiresAt), status, {}, { answeredBy: 'mate', surface: 'web' }, 7);

const askIn = (status: AskStatus, kind: AskKind, expiresAt: number | undefined): Ask =>
  status === 'pending' ? pending(kind, expiresAt) : ended(status, kind, expiresAt);
