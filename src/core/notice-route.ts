// Defines routes: who is told of which asks, by which channels, after how long, and then whom. The first route that matches
// an ask applies, with the matching of rules; what could match does, because a message too many is better than none.
import { z } from 'zod';
import type { Ask } from './ask.ts';
import { compileGlob, type Glob, LONGEST_PATTERN, matchesGlob } from './glob.ts';
import type { Contact, Tell } from './notice.ts';
import { Matches, sourced } from './rule.ts';
import { compileRules, type RuleSet } from './rule-index.ts';
import { decideByRules } from './rule-set.ts';
import type { Session } from './session.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,4})([smhd])$/;
const duration = z.string().regex(DURATION, 'must be a duration such as 30s, 5m or 2h');
const glob = z.string().min(1).max(LONGEST_PATTERN);
const name = z.string().min(1).max(128);
const tell = z
  .array(z.strictObject({ who: name, by: z.array(name).min(1).max(8).optional() }))
  .min(1)
  .max(50);

export const NoticeRoute = z.strictObject({
  match: z
    .strictObject({
      agent: glob.optional(),
      project: glob.optional(),
      kind: z.enum(['approval', 'question']).optional(),
      tool: glob.optional(),
      matches: Matches.optional(),
    })
    .optional(),
  tell,
  after: z.record(duration, tell).optional(),
  digest: duration.optional(),
  urgent: z.boolean().optional(),
  seen: z.literal('stops').optional(),
});
export type NoticeRoute = z.infer<typeof NoticeRoute>;
export const NoticeRoutes = z.strictObject({ routes: z.array(NoticeRoute).max(200) });

/** Everyone who has a device; an endpoint is only told where it is named. */
export const EVERYONE = 'everyone';

/** What a route says about an ask. */
export interface RoutePlan {
  /** From 1; undefined: none matched, and everyone with a device is told at once. */
  position: number | undefined;
  tell: readonly Tell[];
  steps: readonly { afterMs: number; tell: readonly Tell[] }[];
  digestMs: number;
  isUrgent: boolean;
  seenStops: boolean;
}

interface CompiledRoute {
  plan: RoutePlan;
  agent: Glob | undefined;
  project: Glob | undefined;
  kind: Ask['kind'] | undefined;
  calls: RuleSet | undefined;
}

export type RouteSet = readonly CompiledRoute[];

export const durationMs = (text: string): number => {
  const [, count = '0', unit = 's'] = DURATION.exec(text) ?? [];
  return Number(count) * UNITS[unit as keyof typeof UNITS];
};

export const compileRoutes = (routes: readonly NoticeRoute[]): RouteSet =>
  routes.map(({ match = {}, ...route }, i) => ({
    plan: {
      position: i + 1,
      tell: route.tell,
      steps: stepsOf(route.after ?? {}),
      digestMs: route.digest === undefined ? 0 : durationMs(route.digest),
      isUrgent: route.urgent ?? false,
      seenStops: route.seen === 'stops',
    },
    agent: match.agent === undefined ? undefined : compileGlob(match.agent),
    project: match.project === undefined ? undefined : compileGlob(match.project),
    kind: match.kind,
    calls:
      match.tool === undefined && match.matches === undefined
        ? undefined
        : compileRules(sourced('organisation', 'routes', [callRule(match.tool ?? '*', match.matches)])),
  }));

/** In their order; `60s` and `1m` are one step. */
function stepsOf(after: NonNullable<NoticeRoute['after']>): RoutePlan['steps'] {
  const steps = new Map<number, Tell[]>();
  for (const [text, people] of Object.entries(after))
    steps.set(durationMs(text), [...(steps.get(durationMs(text)) ?? []), ...people]);
  return [...steps].map(([afterMs, people]) => ({ afterMs, tell: people })).sort((a, b) => a.afterMs - b.afterMs);
}

/** As a rule that restricts: it matches where it could. */
const callRule = (tool: string, matches: Matches | undefined) => ({
  tool,
  ...(matches && { matches }),
  action: 'ask' as const,
});

const DEFAULT: RoutePlan = {
  position: undefined,
  tell: [{ who: EVERYONE, by: ['push'] }],
  steps: [],
  digestMs: 0,
  isUrgent: false,
  seenStops: false,
};

type Asking = Pick<Session, 'agent' | 'projectIds' | 'workFolder'>;

export const planFor = (routes: RouteSet, ask: Ask, session: Asking): RoutePlan =>
  routes.find((route) => isFor(route, ask, session))?.plan ?? DEFAULT;

function isFor({ agent, project, kind, calls }: CompiledRoute, ask: Ask, session: Asking): boolean {
  if (kind !== undefined && kind !== ask.kind) return false;
  if (agent && !matchesGlob(agent, session.agent)) return false;
  if (project && !session.projectIds.some((id) => matchesGlob(project, id))) return false;
  if (!calls) return true;
  if (ask.kind !== 'approval') return false;
  const { tool_name: tool, input, lineage, work_folder: workFolder = session.workFolder } = ask.content;
  const { parts } = decideByRules(
    { sets: [calls] },
    { tool, input, context: lineage ? 'subagent' : 'thread', workFolder },
  );
  return parts.some(({ decidedBy }) => decidedBy !== undefined);
}

/** The contacts that a list of people means now, each once. A person is named as their token is, an endpoint by its name. */
export function contactsOf(tell: readonly Tell[], contacts: readonly Contact[]): Contact[] {
  const isMeant = (contact: Contact) =>
    tell.some(
      ({ who, by }) =>
        (by === undefined || by.includes(contact.channel)) &&
        (who === contact.name || (who === EVERYONE && contact.channel !== 'webhook')),
    );
  return contacts.filter((contact) => contact.endedAt === undefined && isMeant(contact));
}

/** Names in routes that no contact has. */
export const unknownNames = (routes: RouteSet, contacts: readonly Contact[]): string[] => {
  const named = routes.flatMap(({ plan }) => [...plan.tell, ...plan.steps.flatMap(({ tell: people }) => people)]);
  return [...new Set(named.filter((each) => contactsOf([each], contacts).length === 0).map(({ who }) => who))];
};
