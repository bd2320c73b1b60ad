// Finds the request that is asked again because a file that it was bound to has changed, for the request whose approval was
// therefore not used. Pure.
import { type AskRequest, isQuestion } from '../../../src/client/action-summary.ts';
import type { InboxEntry } from '../../../src/client/inbox-model.ts';
import { isAskedAgain } from '../../../src/client/risk-text.ts';
import type { AskView } from '../../../src/core/views.ts';

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
  !isQuestion(later.request) &&
  isAskedAgain(later.request) &&
  actionOf(later.request) === actionOf(request);

const actionOf = (request: AskRequest): string =>
  isQuestion(request) ? '' : JSON.stringify([request.tool_name, request.input]);
