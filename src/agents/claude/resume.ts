// What holds when a process of Claude Code takes a session up again: which conversation it is, its permission mode, the
// rules that were allowed "in this session", and which calls are not to be made any more. These come from what people
// decided. What the run left about itself in its outputs may only make it stricter. Pure.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hasEnded } from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import { callIdOf } from '../kit/ask-ids.ts';
import { PLAN_TOOL, rulesTaken, ruleText } from './asks.ts';

/** `left`: what Claude Code called it. Whatever is no id could be read as an option on its command line. */
export function conversationAgain(left: unknown, sessionId: string): string {
  return z.uuid().safeParse(left).data ?? conversationOf(sessionId);
}

/** The same for the same session on every worker: Claude Code wants a UUID. */
function conversationOf(sessionId: string): string {
  const hex = createHash('sha256').update(`holdpoint ${sessionId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `chosen`: for the run. `left`: the mode it was last seen in; where none was chosen, the mode of the session. */
export function modeAgain(chosen: string | undefined, left: unknown, asks: readonly AskView[]): string {
  if (left === 'plan') return left;
  if (chosen === undefined) return 'default';
  return chosen === 'plan' && asks.findLast(isUsedPlan)?.answer?.behavior === 'allow' ? 'default' : chosen;
}

const isUsedPlan = (ask: AskView): boolean =>
  ask.kind === 'approval' && ask.request.tool_name === PLAN_TOOL && hasEnded(ask) && ask.delivery.state === 'delivered';

/** As `permissions.allow` of its settings takes them. None where it only plans: they would let commands change files. */
export function rulesAgain(mode: string, asks: readonly AskView[]): string[] {
  if (mode === 'plan') return [];
  return [...new Set(asks.filter(hasEnded).flatMap(rulesTaken).map(ruleInSettings))];
}

/** As `permissions.allow` takes it, where a backslash and parentheses inside a rule are read only behind a backslash. */
export function ruleInSettings({
  toolName,
  ruleContent,
}: {
  toolName: string;
  ruleContent?: string | undefined;
}): string {
  return ruleText({ toolName, ruleContent: ruleContent?.replaceAll(/[\\()]/g, '\\$&') });
}

/**
 * What earlier runs were held on. Claude Code keeps such a call and makes it by itself when its conversation is taken up,
 * whatever it is told; but that run is over, so nobody can allow it any more. `carried`: the form that this run answers.
 */
export function callsOver(asks: readonly AskView[], runId: string, carried: unknown): ReadonlySet<string> {
  const held = asks.filter((ask) => ask.run_id !== runId && ask.mode !== 'blocking');
  return new Set(held.map(callIdOf).filter((id) => id !== carried));
}
