// How long agents stood still: once for a run with several asks open, however they ended, under the name that people see.
import { expect, it } from 'vitest';
import { tallyOf } from '../../src/core/insight.ts';
import type { Outcome } from '../../src/core/ports.ts';

const HOUR = 3_600_000;
const outcome = (runId: string, askedAt: number, endedAt: number, more: Partial<Outcome> = {}): Outcome => ({
  session: { id: 's1', agent: 'external', agentId: 'claude', projectIds: ['shop'], workFolder: '/shop' },
  runId,
  tool: 'Bash',
  outcome: 'answered',
  behavior: 'allow',
  by: 'lead',
  surface: 'web',
  askedAt,
  endedAt,
  ...more,
});

it('counts the time of a run once, to the ask that began it', () => {
  const tally = tallyOf(0, 10 * HOUR);
  const other = { id: 's2', agent: 'codex', agentId: 'codex-s2', projectIds: [], workFolder: undefined };
  // Newest first, as they are read.
  tally.add(
    outcome('r2', 2 * HOUR, 3 * HOUR, { session: other, outcome: 'expired', by: 'system', behavior: undefined }),
  );
  tally.add(outcome('r1', HOUR, 5 * HOUR));
  tally.add(outcome('r1', 30, 2 * HOUR + 30));
  tally.add(outcome('r1', 20, 40, { by: 'rule:organisation' }));
  tally.add(outcome('r1', 11 * HOUR, 20 * HOUR));
  const { lost_ms, by_agent, by_project, by_person, over_time, waits } = tally.result(0);
  expect(lost_ms).toBe(5 * HOUR - 20 + HOUR);
  expect(by_agent.map(({ name, lost_ms: lost }) => [name, lost])).toEqual([
    ['claude', 5 * HOUR - 20],
    ['codex', HOUR],
  ]);
  expect(by_project.map(({ name }) => name)).toEqual(['shop', 'no project']);
  expect(by_person).toMatchObject([{ name: 'lead', count: 2 }]);
  expect(over_time.reduce((sum, slot) => sum + slot.lost_ms, 0)).toBe(lost_ms);
  expect(over_time[0]?.lost_ms).toBe(2 * HOUR + 10);
  expect(waits.p50_ms).toBe(2 * HOUR);
});
