// Draws what a request is about on one line: the tool, where the rest does not say it, and the action or the question, with
// paths as they are within the folder and every hidden character marked. The same in the inbox, the history and the thread.
import type { AskView } from '../../../src/core/views.ts';
import { kindOf } from '../text/action-kind.ts';
import { heading, shortSummary } from '../text/ask-text.ts';
import { Exact, Prose } from './text.tsx';

/** What is asked is text of a program, not prose. */
export const isCode = ({ request }: Pick<AskView, 'request'>): boolean =>
  !['question', 'plan'].includes(kindOf(request));

export function AskLine({ ask }: { ask: AskView }) {
  const isNamed = isCode(ask) && kindOf(ask.request) !== 'command';
  return (
    <>
      {isNamed && <span className="muted tool-name">{heading(ask.request)} </span>}
      {ask.kind === 'approval' ? <Exact text={shortSummary(ask)} /> : <Prose text={shortSummary(ask)} />}
    </>
  );
}
