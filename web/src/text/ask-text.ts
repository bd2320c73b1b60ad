// Describes an ask in words: the line in lists, and the sentence for how it ended. Pure; text only. What an ask is about is summarised by client/action-summary.ts; this spells out hidden characters in it.
import { type AskRequest, actionSummary, isPlan, isQuestion } from '../../../src/client/action-summary.ts';
import { folderOf } from '../../../src/client/approval-groups.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { AskView } from '../../../src/core/views.ts';
import { isUnusedForChange } from '../state/asked-again.ts';
import { plainMarkdown } from './plain-markdown.ts';
import { oneLine } from './visible.ts';

/** The tool, or how much is asked. */
export const heading = (request: AskRequest): string => oneLine(actionSummary(request).heading);

/** What is asked, on one line, without the name of the tool. */
export const summary = (request: AskRequest): string => oneLine(plainText(request));

function plainText(request: AskRequest): string {
  const { text } = actionSummary(request);
  return isQuestion(request) || isPlan(request) ? plainMarkdown(text) : text;
}

/** The same where there is little room, with the path within the folder. What draws it marks its hidden characters. */
export const shortSummary = (ask: AskView): string => within(folderOf(ask), plainText(ask.request));

/** A path as it is within the folder, where it is in it. */
export const within = (folder: string | undefined, path: string): string =>
  folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** Why its answer was of no use to the agent, with paths as they are within the folder. */
export function undeliveredWhy(ask: AskView): string {
  const folder = folderOf(ask);
  const why = oneLine(ask.delivery.reason ?? 'the agent can no longer take it');
  return folder === undefined ? why : why.replaceAll(`${folder}/`, '');
}

const SURFACE_NAMES: Record<string, string> = {
  web: 'from the web inbox',
  cli: 'from the command line',
  thread: 'from the thread',
  form: 'from the form',
  api: 'through the API',
  mcp: 'through MCP',
  link: 'from a notification',
};

type Ended = Pick<AnswerView, 'outcome' | 'behavior' | 'answered_by' | 'surface' | 'reason' | 'justification'>;

/** Answered at the agent's own prompt, or no longer needed. A person may write the same word as a reason. */
export const isWithdrawn = ({ outcome, reason }: Ended): boolean => outcome === 'cancelled' && reason === 'withdrawn';

/** Nobody cancelled it: its run or its worker ended. */
export const isStopped = ({ outcome, surface }: Ended): boolean => outcome === 'cancelled' && surface === 'system';
const STOPS: Record<string, string> = { worker_restart: 'its worker was restarted' };

/** A plan is approved, whatever else is allowed. */
export function verbOf({ behavior }: Pick<Ended, 'behavior'>, request?: AskRequest): string {
  const isOfPlan = request !== undefined && !isQuestion(request) && isPlan(request);
  return behavior === 'allow' && isOfPlan ? 'Approved' : VERBS[behavior ?? 'answer'];
}

/** `Allowed by lead from the command line`; to `me`, who did it, `You allowed this`. */
export function endSentence(answer: Ended, me?: string, request?: AskRequest): string {
  if (isWithdrawn(answer)) return `Withdrawn by its agent: ${oneLine(answer.justification ?? 'no longer needed')}`;
  if (answer.outcome === 'expired') return 'Expired before anyone answered';
  if (answer.outcome === 'failed') return 'Ended with its run, which failed';
  if (isStopped(answer)) return `Cancelled: ${STOPS[answer.reason ?? ''] ?? oneLine(answer.reason || 'its run ended')}`;
  const by = oneLine(answer.answered_by);
  const from = SURFACE_NAMES[answer.surface] ?? `from ${answer.surface}`;
  const verb = answer.outcome === 'answered' ? verbOf(answer, request) : capitalised(answer.outcome);
  if (me !== undefined && answer.answered_by === me)
    return `You ${verb.toLowerCase()} this${answer.surface === 'web' ? '' : ` ${from}`}`;
  return answer.surface === 'system' ? `${verb} by ${by}` : `${verb} by ${by} ${from}`;
}

/** An answer of a person that the agent did not take and never will. */
export const isNotTaken = ({ answer, delivery }: AskView): boolean =>
  delivery.state === 'undeliverable' && (answer?.outcome === 'answered' || answer?.outcome === 'declined');

const MAX_REASON_CHARACTERS = 400;

/** What became of an answer that the agent did not take; empty where it did. */
export function unusedSentence(ask: AskView): string {
  if (!isNotTaken(ask)) return '';
  if (ask.delivery.reason === undefined) return 'The agent did not get it.';
  const all = undeliveredWhy(ask);
  const why = all.length > MAX_REASON_CHARACTERS ? `${all.slice(0, MAX_REASON_CHARACTERS)}…` : all;
  return isUnusedForChange(ask) ? `It was not run and was asked again: ${why}` : `The agent did not get it: ${why}`;
}

/** How it ended, and that it came to nothing. `isAskedAgain`: the other request is listed beside it. */
export function endText(ask: AskView, me?: string, isAskedAgain = false): string {
  if (isAskedAgain) return `Not run, asked again: ${undeliveredWhy(ask)}`;
  if (!ask.answer) return '';
  return [endSentence(ask.answer, me, ask.request), unusedSentence(ask)].filter(Boolean).join('. ');
}

export const VERBS = { allow: 'Allowed', deny: 'Denied', answer: 'Answered' } as const;

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
