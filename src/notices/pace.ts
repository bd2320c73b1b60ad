// Paces messages about asks that nobody answers, so that an agent that asks for a lot does not bury the ask of another under
// its messages. Answers end the pace: who reacts is told at once. Pure.
import type { UnansweredMessage } from '../core/notice-store.ts';
import type { Session } from '../core/session.ts';

export interface Pace {
  /** Those that wait become one message, at most one in this time. Zero: a message of its own, now. */
  gapMs: number;
  batch?: string;
}

/** Asks of one session that come together are one message on a device, at most one in this time. */
const TOGETHER_MS = 10_000;
/** From so many unanswered messages of a session on, the time doubles with each. */
const MOST_OF_SESSION = 3;
const LONGEST_OF_SESSION_MS = 60 * 60 * 1000;
/** From so many of one agent on, its sessions share one message, unless it is one session alone that asks so much. */
const MOST_OF_AGENT = 12;
const LONGEST_OF_AGENT_MS = 5 * 60 * 1000;

/** As far back as unanswered messages count. */
export const PACED_MS = 60 * 60 * 1000;

export function paceOf(unanswered: readonly UnansweredMessage[], { id, agent }: Session, isUrgent: boolean): Pace {
  const bySession = new Map<string, number>();
  for (const each of unanswered)
    if (each.agent === agent) bySession.set(each.sessionId, (bySession.get(each.sessionId) ?? 0) + 1);
  const ofSession = bySession.get(id) ?? 0;
  const ofAgent = [...bySession.values()].reduce((sum, count) => sum + Math.min(count, MOST_OF_SESSION), 0);
  const kind = isUrgent ? 'urgent ' : '';
  if (ofAgent >= MOST_OF_AGENT)
    return { gapMs: doubled(ofAgent - MOST_OF_AGENT, LONGEST_OF_AGENT_MS), batch: `${kind}agent ${agent}` };
  if (isUrgent && ofSession < MOST_OF_SESSION) return { gapMs: 0 };
  return { gapMs: doubled(ofSession - MOST_OF_SESSION, LONGEST_OF_SESSION_MS), batch: `${kind}session ${id}` };
}

const doubled = (times: number, longestMs: number): number =>
  Math.min(TOGETHER_MS * 2 ** Math.max(0, times), longestMs);
