// What an event of Claude Code shows about an ask that is not settled: every state of an ask against every kind of
// evidence, and which of several asks a call is about.
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/agents/claude/attached-calls.ts';
import { askAbout, type Evidence, effectOf } from '../../../src/agents/claude/delivery-evidence.ts';
import type { AskView } from '../../../src/core/views.ts';

const CALL: Call = { thread: undefined, tool: 'Bash', input: { command: 'make' } };
const ended = { outcome: 'answered', answered_by: 'operator', surface: 'api', answered_at_ms: 1 } as const;
const sent = { state: 'due', attempts: 1 } as const;

function approval(more: Partial<AskView> = {}, lineage?: string[]): AskView {
  const { tool_call_id = 'toolu_1' } = more;
  const about = { id: 'ask_1', tool_call_id, scope: 'session', reason: '', digest: '', created_at_ms: 0 };
  return {
    ...{ ask_id: 'ask_1', session_id: 'claude.1', run_id: 'run_1', tool_call_id, mode: 'blocking', created_at_ms: 0 },
    kind: 'approval',
    status: 'pending',
    request: { ...about, tool_name: 'Bash', input: CALL.input, ...(lineage && { lineage }) },
    delivery: { state: 'none', attempts: 0 },
    ...more,
  } as AskView;
}

const allow = { ...ended, behavior: 'allow' } as const;
const ASKS = {
  pending: approval(),
  'expired, not acknowledged': approval({
    status: 'expired',
    answer: { ...ended, outcome: 'expired' },
    delivery: { state: 'due', attempts: 0 },
  }),
  'denied, not sent': approval({
    status: 'answered',
    answer: { ...ended, behavior: 'deny' },
    delivery: { state: 'due', attempts: 0 },
  }),
  'allowed, not sent': approval({ status: 'answered', answer: allow, delivery: { state: 'due', attempts: 0 } }),
  'allowed, sent': approval({ status: 'answered', answer: allow, delivery: sent }),
  'allowed as that runs, sent': approval({
    status: 'answered',
    answer: { ...allow, updated_input: CALL.input },
    delivery: sent,
  }),
  'allowed with another input, sent': approval({
    status: 'answered',
    answer: { ...allow, updated_input: { command: 'make test' } },
    delivery: sent,
  }),
  'denied, sent': approval({ status: 'answered', answer: { ...ended, behavior: 'deny' }, delivery: sent }),
} satisfies Record<string, AskView>;

const WITHDRAWN = { state: 'withdrawn', reason: 'settled at the terminal of Claude Code' };
const ALLOWED_THERE = { state: 'withdrawn', reason: 'allowed at the terminal of Claude Code' };
const SETTLED = { ...WITHDRAWN, state: 'undeliverable' };
const UNSEEN = { state: 'undeliverable', reason: 'Claude Code was not seen to act on it' };
const DELIVERED = { state: 'delivered' };
const contradicted = (how: string) => ({
  state: 'undeliverable',
  isContradicted: true,
  reason: expect.stringMatching(new RegExp(`^${how}.*terminal of Claude Code had allowed it before`)),
});

const EFFECTS: Record<keyof typeof ASKS, Record<Evidence, unknown>> = {
  pending: { ran: ALLOWED_THERE, over: WITHDRAWN, 'thread ended': WITHDRAWN },
  'expired, not acknowledged': { ran: SETTLED, over: SETTLED, 'thread ended': SETTLED },
  'denied, not sent': { ran: contradicted('denied here, but ran'), over: SETTLED, 'thread ended': SETTLED },
  'allowed, not sent': { ran: SETTLED, over: SETTLED, 'thread ended': SETTLED },
  'allowed, sent': { ran: DELIVERED, over: undefined, 'thread ended': UNSEEN },
  'allowed as that runs, sent': { ran: DELIVERED, over: undefined, 'thread ended': UNSEEN },
  'allowed with another input, sent': {
    ran: contradicted('allowed here with a changed input, but another one ran'),
    over: undefined,
    'thread ended': UNSEEN,
  },
  'denied, sent': { ran: contradicted('denied here, but ran'), over: DELIVERED, 'thread ended': DELIVERED },
};

describe.each(Object.keys(ASKS) as (keyof typeof ASKS)[])('an ask that is %s', (name) => {
  it.each(['ran', 'over', 'thread ended'] as const)('when its call or thread is seen: %s', (evidence) => {
    expect(effectOf(ASKS[name], evidence, CALL)).toEqual(EFFECTS[name][evidence]);
  });
});

describe('the ask that a call is about', () => {
  const named = (tool_call_id: string, ask: Partial<AskView> = {}) => approval({ ...ask, tool_call_id });
  const about = (asks: AskView[], evidence: Evidence = 'ran', call = CALL) =>
    askAbout(asks, 'toolu_1', call, evidence)?.tool_call_id;

  it('is the one of its name, whatever else is open', () => {
    expect(about([named('other', ASKS['allowed, sent']), named('toolu_1')])).toBe('toolu_1');
  });

  it('is one for the same input in the same thread, where none has its name', () => {
    const ofSubAgent = approval({ tool_call_id: 'a1/other' }, ['reviewer']);
    expect(about([ofSubAgent, named('other')])).toBe('other');
    expect(about([ofSubAgent])).toBeUndefined();
    expect(about([ofSubAgent], 'ran', { ...CALL, thread: 'a1' })).toBe('a1/other');
    expect(about([named('other')], 'ran', { ...CALL, input: { command: 'rm' } })).toBeUndefined();
  });

  it('of several identical ones is the allowed one where it ran, then one that is pending', () => {
    const denied = named('denied', ASKS['denied, sent']);
    const open = named('open');
    expect(about([denied, open, named('allowed', ASKS['allowed, sent'])])).toBe('allowed');
    expect(about([denied, open])).toBe('open');
    expect(about([denied])).toBe('denied');
  });

  it('where it is over without having run is one that this settles', () => {
    const allowed = named('allowed', ASKS['allowed, sent']);
    expect(about([allowed, named('open')], 'over')).toBe('open');
    expect(about([allowed], 'over')).toBeUndefined();
  });
});
