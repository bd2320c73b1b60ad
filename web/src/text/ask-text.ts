// Describes an ask in words: the line in lists, and the sentence for how it ended. Pure; text only. What an ask is about is summarised by client/action-summary.ts; this spells out hidden characters in it.
import { type AskRequest, actionSummary, isPlan, isQuestion } from '../../../src/client/action-summary.ts';
import { folderOf } from '../../../src/client/approval-groups.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { AskView } from '../../../src/core/views.ts';
import { plainMarkdown } from './plain-markdown.ts';
import { oneLine } from './visible.ts';

/** The tool, or how much is asked. */
export const heading = (request: AskRequest): string => oneLine(actionSummary(request).heading);

/** What is asked, on one line, without the name of the tool. */
export function summary(request: AskRequest): string {
  const { text } = actionSummary(request);
  return oneLine(isQuestion(request) || isPlan(request) ? plainMarkdown(text) : text);
}

/** The same where there is little room: a path within the folder needs only its last part. */
export function shortSummary(ask: AskView): string {
  const [folder, text] = [folderOf(ask), summary(ask.request)];
  return folder !== undefined && text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text;
}

const SURFACE_NAMES: Record<string, string> = {
  web: 'the web inbox',
  cli: 'the command line',
  thread: 'the thread',
  form: 'the form',
  api: 'the API',
  mcp: 'MCP',
  link: 'a notification',
};

const OWN_SURFACES: Record<string, string> = { cli: 'command line', api: 'API', mcp: 'MCP', link: 'notification' };

type Ended = Pick<AnswerView, 'outcome' | 'behavior' | 'answered_by' | 'surface' | 'reason' | 'justification'>;

/** Answered at the agent's own prompt, or no longer needed. A person may write the same word as a reason. */
export const isWithdrawn = ({ outcome, reason }: Ended): boolean => outcome === 'cancelled' && reason === 'withdrawn';

/** Nobody cancelled it: its run or its worker ended. */
export const isStopped = ({ outcome, surface }: Ended): boolean => outcome === 'cancelled' && surface === 'system';
const STOPS: Record<string, string> = { worker_restart: 'its worker was restarted' };

/** `Allowed by lead from the command line`; to `me`, who did it, `You allowed this (web)`. */
export function endSentence(answer: Ended, me?: string): string {
  if (isWithdrawn(answer)) return `Withdrawn by its agent: ${oneLine(answer.justification ?? 'no longer needed')}`;
  if (answer.outcome === 'expired') return 'Expired before anyone answered';
  if (answer.outcome === 'failed') return 'Ended with its run, which failed';
  if (isStopped(answer)) return `Cancelled: ${STOPS[answer.reason ?? ''] ?? oneLine(answer.reason || 'its run ended')}`;
  const by = oneLine(answer.answered_by);
  const verb = answer.outcome === 'answered' ? VERBS[answer.behavior ?? 'answer'] : capitalised(answer.outcome);
  if (me !== undefined && answer.answered_by === me)
    return `You ${verb.toLowerCase()} this (${OWN_SURFACES[answer.surface] ?? answer.surface})`;
  if (answer.surface === 'system') return `${verb} by ${by}`;
  return `${verb} by ${by} from ${SURFACE_NAMES[answer.surface] ?? answer.surface}`;
}

/** An answer of a person that the agent did not take and never will. */
export const isNotTaken = ({ answer, delivery }: AskView): boolean =>
  delivery.state === 'undeliverable' && (answer?.outcome === 'answered' || answer?.outcome === 'declined');

/** An answer of a person that the agent does not have yet. What ended otherwise has none to wait for. */
export const isInDelivery = ({ answer, delivery }: AskView): boolean =>
  delivery.state === 'due' && (answer?.outcome === 'answered' || answer?.outcome === 'declined');

/** How it ended, for lists: also that it came to nothing. */
export const endText = (ask: AskView, me?: string): string =>
  ask.answer ? `${endSentence(ask.answer, me)}${isNotTaken(ask) ? '; the agent did not take it' : ''}` : '';

/** What it means for the agent that nobody answered in time. */
export function expiredMeans({ kind, delivery, answer }: AskView): string | undefined {
  if (answer?.outcome !== 'expired') return undefined;
  const told = delivery.state === 'delivered' ? 'The agent was told that nobody answered.' : undefined;
  return kind === 'approval' ? `${told ?? 'Nobody answered.'} It counts as denied.` : told;
}

export const VERBS = { allow: 'Allowed', deny: 'Denied', answer: 'Answered' } as const;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
