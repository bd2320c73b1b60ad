// The run's state machine as a total table, written out a second time by hand from the specification.

import { describe, expect, it } from 'vitest';
import { checkMove, heldStatus, isTerminal, isWaiting, RUN_STATUSES, RUN_TABLE } from '../../src/core/run.ts';

// `M` moves, `=` stays, `R` only in recovery, `H` only when another run carries on, `.` is refused.
// The two waiting states reach each other: an ask of the other kind can join or leave while the run is held.
const TO = 'queued running approval question completed failed interrupted cancelled'.split(' ');
const TABLE = `
  queued       =  M  .  .  .  M  .  M
  running      R  =  M  M  M  M  M  M
  approval     R  M  =  M  .  M  M  M
  question     R  M  M  =  H  M  M  M
  completed    .  .  .  .  =  .  .  .
  failed       .  .  .  .  .  =  .  .
  interrupted  .  .  .  .  .  .  =  .
  cancelled    .  .  .  .  .  .  .  =`;
const WORD: Record<string, string> = { M: 'move', '=': 'stay', R: 'recover', H: 'handover', '.': 'refuse' };
const nameOf = (short: string) =>
  short === 'approval' ? 'waiting_for_approval' : short === 'question' ? 'waiting_for_user_question' : short;

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const cells = rows.flatMap(([from = '', ...marks]) =>
  marks.map((mark, i) => ({ from: nameOf(from), to: nameOf(TO[i] ?? ''), move: WORD[mark] ?? mark })),
);

describe('the run table', () => {
  it('covers every pair of statuses', () => {
    expect(cells).toHaveLength(RUN_STATUSES.length ** 2);
    expect(new Set(cells.map((c) => c.from))).toEqual(new Set(RUN_STATUSES));
    expect(new Set(cells.map((c) => c.to))).toEqual(new Set(RUN_STATUSES));
  });

  it('equals the table of the specification', () => {
    const real = Object.entries(RUN_TABLE).flatMap(([from, row]) =>
      Object.entries(row).map(([to, move]) => ({ from, to, move })),
    );
    expect(sorted(real)).toEqual(sorted(cells));
  });

  it('classifies exactly the terminal and the waiting states', () => {
    expect(RUN_STATUSES.filter(isTerminal)).toEqual(['completed', 'failed', 'interrupted', 'cancelled']);
    expect(RUN_STATUSES.filter(isWaiting)).toEqual(['waiting_for_approval', 'waiting_for_user_question']);
  });
});

describe('checkMove', () => {
  const entitlements = [undefined, 'recover', 'handover'] as const;

  it.each(entitlements)('allows exactly the moves of the table, entitled to %s', (also) => {
    for (const from of RUN_STATUSES)
      for (const to of RUN_STATUSES) {
        const move = cells.find((c) => c.from === from && c.to === to)?.move;
        const allowed = move === 'move' || move === 'stay' || move === also;
        expect([from, to, checkMove(from, to, also)?.code]).toEqual([
          from,
          to,
          allowed ? undefined : 'run_state_conflict',
        ]);
      }
  });

  it('names both states when it refuses a move', () => {
    expect(checkMove('completed', 'running')?.detail).toMatch(/completed.*running/);
  });

  it.each(entitlements)('never leaves a terminal state, entitled to %s', (also) => {
    for (const from of RUN_STATUSES.filter(isTerminal))
      expect(RUN_STATUSES.filter((to) => !checkMove(from, to, also))).toEqual([from]);
  });
});

describe('the status of a held run', () => {
  it('is waiting_for_user_question when both kinds are pending, and running when none is', () => {
    const [approval, question] = [{ kind: 'approval' }, { kind: 'question' }] as const;
    expect(heldStatus([])).toBe('running');
    expect(heldStatus([approval, approval])).toBe('waiting_for_approval');
    expect(heldStatus([question])).toBe('waiting_for_user_question');
    expect(heldStatus([approval, question, approval])).toBe('waiting_for_user_question');
  });

  it('can be reached from any other held status', () => {
    const held = RUN_STATUSES.filter((s) => s === 'running' || isWaiting(s));
    for (const from of held) for (const to of held) expect(checkMove(from, to)).toBeUndefined();
  });
});

function sorted<T extends { from: string; to: string }>(list: T[]): T[] {
  return [...list].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`));
}
