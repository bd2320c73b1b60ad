// Computes statistics of ended asks: how long people take, what is asked by which agent, and how long agents stood still.
// Pure, fed one outcome after another. Only decisions of people count as waits: rules answer at once, deadlines are no
// answer. Time that an agent lost counts however the ask ended, and once where a run had several asks open.
import { z } from 'zod';
import { instant } from './fields.ts';
import type { Outcome } from './ports.ts';
import { agentNameOf } from './session.ts';

const count = z.int().nonnegative();
export const Waits = z.object({ p50_ms: count, p90_ms: count, p99_ms: count }).partial();
export const NamedCount = z.object({
  name: z.string(),
  count,
  answered: count,
  p50_ms: count.optional(),
  lost_ms: count.optional(),
});

export const InsightsView = z.object({
  from_ms: instant,
  to_ms: instant,
  /** From when on asks were counted, if there were too many since `from_ms`. */
  counted_from_ms: instant,
  is_complete: z.boolean(),
  ended: count,
  answered_by_people: count,
  waits: Waits,
  lost_ms: count.describe('How long runs stood still; one with several asks open counts once'),
  histogram: z.array(z.object({ up_to_ms: count.nullable(), count })),
  interval_ms: count,
  over_time: z.array(
    z.object({
      start_ms: instant,
      ended: count,
      answered: count,
      p50_ms: count.optional(),
      p90_ms: count.optional(),
      lost_ms: count,
    }),
  ),
  by_agent: z.array(NamedCount),
  /** Project ids, else the work folder. */
  by_project: z.array(NamedCount),
  by_person: z.array(NamedCount),
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

type Group = { count: number; waits: number[]; lost: number };

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
    project: groupsByName(),
    person: groupsByName(),
    tool: groupsByName(),
    outcome: groupsByName(),
    surface: groupsByName(),
    decider: groupsByName(),
  };
  const runs = new Map<string, StoodStill[]>();
  let ended = 0;

  return {
    add(outcome) {
      if (outcome.askedAt < from || outcome.askedAt >= to) return;
      ended += 1;
      const decider = deciderOf(outcome);
      const wait = decider === 'people' ? Math.max(0, outcome.endedAt - outcome.askedAt) : undefined;
      if (wait !== undefined) waits.push(wait);
      const slot = overTime[Math.floor((outcome.askedAt - from) / interval)];
      const [agent, project] = [groups.agent(agentNameOf(outcome.session)), groups.project(projectOf(outcome))];
      for (const group of [slot, agent, project]) if (group) note(group, wait);
      if (decider === 'people') note(groups.person(outcome.by), wait);
      const stood = runs.get(outcome.runId);
      const span = { from: outcome.askedAt, to: outcome.endedAt, groups: [slot, agent, project] };
      if (stood) stood.push(span);
      else runs.set(outcome.runId, [span]);
      note(groups.tool(outcome.tool ?? 'question'), wait);
      note(groups.outcome(outcomeOf(outcome)), wait);
      note(groups.surface(outcome.surface), wait);
      note(groups.decider(decider), wait);
    },
    result: (countedFrom) => {
      const lost = noteLost(runs.values());
      return {
        from_ms: from,
        to_ms: to,
        counted_from_ms: countedFrom,
        is_complete: countedFrom <= from,
        ended,
        answered_by_people: waits.length,
        waits: waitsOf(waits, NEARLY_ALL),
        lost_ms: lost,
        histogram: histogramOf(waits),
        interval_ms: interval,
        over_time: overTime.map((group, i) => ({
          start_ms: from + i * interval,
          ended: group.count,
          answered: group.waits.length,
          ...waitsOf(group.waits, MOST),
          lost_ms: group.lost,
        })),
        by_agent: groups.agent.sorted(true),
        by_project: groups.project.sorted(true),
        by_person: groups.person.sorted(),
        by_tool: groups.tool.sorted(),
        by_outcome: groups.outcome.sorted(),
        by_surface: groups.surface.sorted(),
        by_decider: groups.decider.sorted(),
      };
    },
  };
}

interface StoodStill {
  from: number;
  to: number;
  groups: readonly (Group | undefined)[];
}

/** Adds the time to the groups of the ask that began it, without what an earlier ask of the same run covers already. */
function noteLost(runs: Iterable<StoodStill[]>): number {
  let total = 0;
  for (const spans of runs) {
    let until = 0;
    for (const { from, to, groups } of spans.sort((a, b) => a.from - b.from)) {
      const lost = Math.max(0, to - Math.max(from, until));
      until = Math.max(until, to);
      total += lost;
      for (const group of groups) if (group) group.lost += lost;
    }
  }
  return total;
}

const projectOf = ({ session: { projectIds, workFolder } }: Outcome): string =>
  projectIds.length > 0 ? projectIds.join(', ') : (workFolder ?? 'no project');

/** `allowed` and `denied` are outcomes of approvals; the others have one name for both kinds. */
function outcomeOf({ outcome, behavior }: Outcome): string {
  if (outcome !== 'answered' || behavior === undefined) return outcome;
  return behavior === 'allow' ? 'allowed' : 'denied';
}

export function deciderOf({
  outcome,
  by,
}: Pick<Outcome, 'outcome' | 'by'>): 'people' | 'rules' | 'grants' | 'policy' | 'nobody' {
  if (outcome !== 'answered' && outcome !== 'declined') return 'nobody';
  if (by.startsWith('rule:')) return 'rules';
  if (by.startsWith('grant:')) return 'grants';
  if (by.startsWith('policy:')) return 'policy';
  return by === 'system' ? 'nobody' : 'people';
}

const newGroup = (): Group => ({ count: 0, waits: [], lost: 0 });

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
  const sorted = (withLost = false) => {
    const all = [...groups].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
    const rest = all.slice(MOST_NAMES).map(([, group]) => group);
    const shown = all.slice(0, MOST_NAMES);
    if (rest.length > 0) {
      const sum = (of: (group: Group) => number) => rest.reduce((total, group) => total + of(group), 0);
      const others = { count: sum((g) => g.count), lost: sum((g) => g.lost), waits: rest.flatMap((g) => g.waits) };
      shown.push([`${rest.length} others`, others]);
    }
    return shown.map(([name, { count: n, waits, lost }]) => ({
      name,
      count: n,
      answered: waits.length,
      ...waitsOf(waits, HALF),
      ...(withLost && { lost_ms: lost }),
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
