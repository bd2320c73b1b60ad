// A session's runs in time, from its events.
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/core/views.ts';
import { endMs, heldMs, timeline } from '../../../web/src/state/timeline.ts';
import { answer } from '../../client/asks.ts';

type Told = [type: EventView['type'], at_ms: number, data?: Record<string, unknown>, ask_id?: string];

const events = (...told: Told[]): EventView[] =>
  told.map(([type, at_ms, data = {}, ask_id], i) => ({
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

const asks = (at: number, id: string): Told[] => [
  ['ask.raised', at, { kind: 'approval', tool_name: 'Bash' }, id],
  ['waiting_for_approval', at, {}, id],
];
const claims = (at: number, id: string): Told => ['ask.claimed', at, { answer: answer() }, id];

describe('a run in time', () => {
  it('is queued, runs, is held while anything is open, and runs again', () => {
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

  it('goes on while nobody has answered, and is queued again after a lost worker', () => {
    const held = timeline(events(['accepted', 0], ['started', 1], ...asks(2, 'a')))[0];
    expect(held && heldMs(held, 50)).toBe(48);
    const lost = timeline(
      events(['accepted', 0], ['started', 1], ['run.recovered', 5, { as: 'queued' }], ['started', 9]),
    )[0];
    expect(lost?.stretches.map((s) => s.state)).toEqual(['queued', 'running', 'queued', 'running']);
  });

  it('stays over when it is over', () => {
    const [run] = timeline(events(['accepted', 0], ['cancelled', 5], ['started', 9]));
    expect(run).toMatchObject({ status: 'cancelled', stretches: [{ state: 'queued', fromMs: 0, toMs: 5 }] });
  });
});
