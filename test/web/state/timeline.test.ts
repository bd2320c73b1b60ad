// Tests how the events of a session become its runs as stretches of time.
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/core/views.ts';
import { endMs, heldMs, timeline } from '../../../web/src/state/timeline.ts';
import { answer } from '../../client/asks.ts';

type EventRow = [type: EventView['type'], at_ms: number, data?: Record<string, unknown>, ask_id?: string];

const events = (...rows: EventRow[]): EventView[] =>
  rows.map(([type, at_ms, data = {}, ask_id], i) => ({
    seq: i + 1,
    session_seq: i + 1,
    id: `evt_${i}`,
    at_ms,
    session_id: 'ses_1',
    run_id: 'run_1',
    ...(ask_id !== undefined && { ask_id }),
    type,
    data,
    prev_hash: '',
    hash: '',
  }));

const asks = (at: number, id: string): EventRow[] => [
  ['ask.raised', at, { kind: 'approval', tool_name: 'Bash' }, id],
  ['waiting_for_approval', at, {}, id],
];
const claims = (at: number, id: string): EventRow => ['ask.claimed', at, { answer: answer() }, id];

describe('the timeline of a run', () => {
  it('goes from queued to running, to held while any ask is pending, and back to running', () => {
    const [run] = timeline(
      events(
        ['accepted', 0, { kind: 'input' }],
        ['started', 10],
        ...asks(20, 'a'),
        ...asks(25, 'b'),
        claims(60, 'a'),
        claims(100, 'b'),
        ['completed', 130],
      ),
    );
    expect(run?.stretches).toEqual([
      { state: 'queued', fromMs: 0, toMs: 10 },
      { state: 'running', fromMs: 10, toMs: 20 },
      { state: 'held', fromMs: 20, toMs: 100 },
      { state: 'running', fromMs: 100, toMs: 130 },
    ]);
    expect(run?.status).toBe('completed');
    expect(run && heldMs(run, 999)).toBe(80);
    expect(run && endMs(run, 999)).toBe(130);
    expect(run?.holds.map((h) => [h.askId, h.toolName, (h.toMs ?? 0) - h.fromMs])).toEqual([
      ['a', 'Bash', 40],
      ['b', 'Bash', 75],
    ]);
  });

  it('knows an answer that the agent did not take', () => {
    const answered = [...asks(2, 'a'), ...asks(2, 'b'), claims(3, 'a'), claims(4, 'b')];
    const all = events(['accepted', 0], ...answered, ['ask.undeliverable', 5, {}, 'b']);
    expect(timeline(all)[0]?.holds.map(({ isUnused }) => isUnused)).toEqual([false, true]);
  });

  it('stays held while an ask is pending, and is queued again after its worker was lost', () => {
    const held = timeline(events(['accepted', 0], ['started', 1], ...asks(2, 'a')))[0];
    expect(held && heldMs(held, 50)).toBe(48);
    const lost = timeline(
      events(['accepted', 0], ['started', 1], ['run.recovered', 5, { as: 'queued' }], ['started', 9]),
    )[0];
    expect(lost?.stretches.map((s) => s.state)).toEqual(['queued', 'running', 'queued', 'running']);
  });

  it('ignores events after the end of the run', () => {
    const [run] = timeline(events(['accepted', 0], ['cancelled', 5], ['started', 9]));
    expect(run).toMatchObject({ status: 'cancelled', stretches: [{ state: 'queued', fromMs: 0, toMs: 5 }] });
  });
});
