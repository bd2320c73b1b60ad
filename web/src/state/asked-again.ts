// Recognises a request that is asked again because a file that it was bound to has changed, and finds it for the request
// whose approval was therefore not used. Pure.
import { type AskRequest, isQuestion } from '../../../src/client/action-summary.ts';
import type { InboxEntry } from '../../../src/client/inbox-model.ts';
import type { ApprovalRequest, AskView } from '../../../src/core/views.ts';

/** How a worker begins the reason of a call whose files changed. An agent that writes so marks only its own request. */
const ASKED_AGAIN = 'Asked again: ';

export const isAskedAgain = (request: AskRequest): boolean =>
  !isQuestion(request) && request.files !== undefined && request.reason.startsWith(ASKED_AGAIN);

/** What changed, in the words of the worker, and the reason of the agent, which follows it. */
export function askedAgainWhy({ reason }: Pick<ApprovalRequest, 'reason'>): { why: string; reason: string } {
  const end = reason.indexOf('\n\n');
  const why = reason.slice(ASKED_AGAIN.length, end < 0 ? undefined : end);
  return { why, reason: end < 0 ? '' : reason.slice(end + 2) };
}

/** In the words of the worker: why an allow was not used, and the call was asked again. */
const CHANGED = / since this was asked\.| is no file any more that can be looked at\./;

/** It was allowed, and not run because a file that it was bound to has changed. */
export const isUnusedForChange = ({ answer, delivery }: Pick<AskView, 'answer' | 'delivery'>): boolean =>
  delivery.state === 'undeliverable' && answer?.behavior === 'allow' && CHANGED.test(delivery.reason ?? '');

/** The same call of the same run, asked again after the answer to `ask` could not be used. */
export const repeatOf = (ask: AskView, entries: readonly InboxEntry[]): AskView | undefined =>
  ask.delivery.state === 'undeliverable' && ask.answer?.behavior === 'allow'
    ? entries.find((entry) => isRepeat(entry.ask, ask))?.ask
    : undefined;

const isRepeat = (later: AskView, { run_id, created_at_ms, request }: AskView): boolean =>
  later.run_id === run_id &&
  later.created_at_ms > created_at_ms &&
  isAskedAgain(later.request) &&
  actionOf(later.request) === actionOf(request);

const actionOf = (request: AskRequest): string =>
  isQuestion(request) ? '' : JSON.stringify([request.tool_name, request.input]);
