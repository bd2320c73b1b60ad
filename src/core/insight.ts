// Computes statistics of ended asks: how long people take, and what is asked by which agent. Pure, fed one outcome after
// another. Only decisions of people count as waits: rules answer at once, deadlines are no answer.
import { z } from 'zod';
import { instant } from './fields.ts';
import type { Outcome } from './ports.ts';

const count = z.int().nonnegative();
export const Waits = z.object({ p50_ms: count, p90_ms: count, p99_ms: count }).partial();
export const NamedCount = z.object({ name: z.string(), count, answered: count, p50_ms: count.optional() });

export const InsightsView = z.object({
  from_ms: instant,
  to_ms: instant,
  /** From when on asks were counted, if there were too many since `from_ms`. */
  counted_from_ms: instant,
  is_complete: z.boolean(),
  ended: count,
  answered_by_people: count,
  waits: Waits,
  histogram: z.array(z.object({ up_to_ms: count.nullable(), count })),
  interval_ms: count,
  over_time: z.array(
    z.object({ start_ms: instant, ended: count, answered: count, p50_ms: count.optional(), p90_ms: count.optional() }),
  ),
  by_agent: z.array(NamedCount),
  by_tool: z.array(NamedCount),
  by_outcome: z.array(NamedCount),
  by_surface: z.array(NamedCount),
  by_decider: z.array(NamedCount),
});
export type InsightsView = z.infer<typeof InsightsView>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Histogram steps. */
const BUCKETS = [
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  DAY,
  7 * DAY,
];
const INTERVALS = [HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY];
const MOST_INTERVALS = 62;
const MOST_NAMES = 20;

const intervalOf = (span: number): number =>
  INTERVALS.find((interval) => span / interval <= MOST_INTERVALS) ?? Math.ceil(span / MOST_INTERVALS / DAY) * DAY;

type Group = { count: number; waits: number[] };

export interface Tally {
  add(outcome: Outcome): void;
  result(countedFrom: number): InsightsView;
}

export function tallyOf(from: number, to: number): Tally {
  const interval = intervalOf(to - from);
  const waits: number[] = [];
  const overTime = Array.from({ length: Math.max(1, Math.ceil((to - from) / interval)) }, newGroup);
  const groups = {
    agent: groupsByName(),
    tool: groupsByName(),
    outcome: groupsByName(),
    surface: groupsByName(),
    decider: groupsByName(),
  };
  let ended = 0;

  return {
    add(outcome) {
      if (outcome.askedAt < from || outcome.askedAt >= to) return;
      ended += 1;
      const decider = deciderOf(outcome);
      const wait = decider === 'people' ? Math.max(0, outcome.endedAt - outcome.askedAt) : undefined;
      if (wait !== undefined) waits.push(wait);
      const slot = overTime[Math.floor((outcome.askedAt - from) / interval)];
      if (slot) note(slot, wait);
      note(groups.agent(outcome.agent), wait);
      note(groups.tool(outcome.tool ?? 'question'), wait);
      note(groups.outcome(outcomeOf(outcome)), wait);
      note(groups.surface(outcome.surface), wait);
      note(groups.decider(decider), wait);
    },
    result: (countedFrom) => ({
      from_ms: from,
      to_ms: to,
      counted_from_ms: countedFrom,
      is_complete: countedFrom <= from,
      ended,
      answered_by_people: waits.length,
      waits: waitsOf(waits, NEARLY_ALL),
      histogram: histogramOf(waits),
      interval_ms: interval,
      over_time: overTime.map((group, i) => ({
        start_ms: from + i * interval,
        ended: group.count,
        answered: group.waits.length,
        ...waitsOf(group.waits, MOST),
      })),
      by_agent: groups.agent.sorted(),
      by_tool: groups.tool.sorted(),
      by_outcome: groups.outcome.sorted(),
      by_surface: groups.surface.sorted(),
      by_decider: groups.decider.sorted(),
    }),
  };
}

/** `allowed` and `denied` are outcomes of approvals; the others have one name for both kinds. */
function outcomeOf({ outcome, behavior }: Outcome): string {
  if (outcome !== 'answered' || behavior === undefined) return outcome;
  return behavior === 'allow' ? 'allowed' : 'denied';
}

function deciderOf({ outcome, by }: Outcome): 'people' | 'rules' | 'grants' | 'policy' | 'nobody' {
  if (outcome !== 'answered' && outcome !== 'declined') return 'nobody';
  if (by.startsWith('rule:')) return 'rules';
  if (by.startsWith('grant:')) return 'grants';
  if (by.startsWith('policy:')) return 'policy';
  return by === 'system' ? 'nobody' : 'people';
}

const newGroup = (): Group => ({ count: 0, waits: [] });

function note(group: Group, wait: number | undefined): void {
  group.count += 1;
  if (wait !== undefined) group.waits.push(wait);
}

/** The largest groups by name; the rest in one. */
function groupsByName() {
  const groups = new Map<string, Group>();
  const find = (name: string): Group => {
    const found = groups.get(name) ?? newGroup();
    groups.set(name, found);
    return found;
  };
  const sorted = () => {
    const all = [...groups].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
    const rest = all.slice(MOST_NAMES).map(([, group]) => group);
    const shown = all.slice(0, MOST_NAMES);
    if (rest.length > 0) {
      const others = { count: rest.reduce((sum, g) => sum + g.count, 0), waits: rest.flatMap((g) => g.waits) };
      shown.push([`${rest.length} others`, others]);
    }
    return shown.map(([name, { count: n, waits }]) => ({
      name,
      count: n,
      answered: waits.length,
      ...waitsOf(waits, HALF),
    }));
  };
  return Object.assign(find, { sorted });
}

function histogramOf(waits: readonly number[]) {
  const counts = [...BUCKETS, null].map((up_to_ms) => ({ up_to_ms, count: 0 }));
  for (const wait of waits) {
    const bucket = counts.find(({ up_to_ms }) => up_to_ms === null || wait <= up_to_ms);
    if (bucket) bucket.count += 1;
  }
  return counts;
}

/** Percentiles of the waits; undefined without any. */
function waitsOf<K extends string>(waits: readonly number[], shares: Record<K, number>): { [P in K]?: number } {
  if (waits.length === 0) return {};
  const sorted = Float64Array.from(waits).sort();
  const at = (part: number) => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return Object.fromEntries(Object.entries<number>(shares).map(([name, part]) => [name, at(part)])) as {
    [P in K]?: number;
  };
}

const HALF = { p50_ms: 0.5 };
const MOST = { ...HALF, p90_ms: 0.9 };
const NEARLY_ALL = { ...MOST, p99_ms: 0.99 };
