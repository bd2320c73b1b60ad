// An ask to read, not to answer: what was asked, how it ended, whether a click of this person came too late, and what they
// had typed for nothing.
import { TriangleAlert } from 'lucide-react';
import type { Question } from '../../../src/core/question.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { type DraftContent, unsavedDraft, useKeptDraft } from '../hooks/draft.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { leaveBegun, useBegun } from '../hooks/touched-asks.ts';
import { isQuestion } from '../text/ask-text.ts';
import { isPlan } from '../text/plan-text.ts';
import { oneLine } from '../text/visible.ts';
import { AskedQuestions } from './asked-questions.tsx';
import { Code } from './code.tsx';
import { FolderFact } from './folder-fact.tsx';
import { Proposal } from './proposal.tsx';
import { Settled } from './settled.tsx';
import { Exact } from './text.tsx';

interface EndedAskProps {
  ask: AskView;
  /** What is long is folded away until then. */
  isWhole: boolean;
  onWhole: () => void;
}

export function EndedAsk({ ask: known, isWhole, onWhole }: EndedAskProps) {
  const { data } = useFetched({ queryKey: ['ask', known.ask_id], queryFn: () => api.asks.get(known.ask_id) });
  const ask = data ?? known;
  if (ask.kind === 'question')
    return (
      <>
        <NotSent ask={ask} />
        <Settled ask={ask} />
        <LostDraft ask={ask} />
        <AskedQuestions ask={ask} />
      </>
    );
  const { request } = ask;
  const folder = request.work_folder ?? ask.asked_from?.work_folder;
  return (
    <>
      <div className="card-title">
        <h2>
          {isPlan(request) ? (
            'Plan'
          ) : (
            <code>
              <Exact text={request.tool_name} />
            </code>
          )}
        </h2>
      </div>
      <NotSent ask={ask} />
      <Settled ask={ask} />
      <LostDraft ask={ask} />
      <Proposal request={request} folder={folder} isWhole={isWhole} onWhole={onWhole} />
      {folder !== undefined && (
        <dl className="facts">
          <FolderFact folder={folder} />
        </dl>
      )}
    </>
  );
}

/** The person had begun here, and it ended otherwise: said until they have read it. */
function NotSent({ ask: { ask_id, status } }: { ask: AskView }) {
  const why = useBegun().get(ask_id);
  if (why === undefined || status === 'pending') return null;
  return (
    <div className="notice not-sent" role="alert">
      <TriangleAlert className="icon" />
      <span>{why || 'It ended before you sent your answer.'}</span>
      <button type="button" className="button small end" onClick={() => leaveBegun(ask_id)}>
        Got it
      </button>
    </div>
  );
}

/** It ended while the person typed: the text is still there, to be copied. */
function LostDraft({ ask }: { ask: AskView }) {
  const me = useMe();
  const isSpent = ['answered', 'declined'].includes(ask.status) && ask.answer?.answered_by === me?.name;
  const isKept = useMayAnswer() && ask.status !== 'pending' && !isSpent;
  const kept = useKeptDraft(ask.ask_id, isKept);
  const draft = isKept ? (unsavedDraft(ask.ask_id) ?? kept) : undefined;
  const texts = draft ? textsOf(draft, ask) : [];
  return texts.map(({ title, text }) => (
    <Code key={title} title={title} text={text} language="plain" isWhole onWhole={() => {}} />
  ));
}

function textsOf({ answers = [], reason, justification, updated_input }: DraftContent, { request }: AskView) {
  const questions = isQuestion(request) ? request.questions : [];
  const given = answers.map(({ question_id, freeform_answer }, i) => ({
    title:
      questions.length > 1 ? `What you had typed, ${i + 1}: ${nameOf(questions, question_id)}` : 'What you had typed',
    text: freeform_answer,
  }));
  return [
    ...given,
    { title: 'Your reason, not sent', text: reason ?? justification },
    { title: 'What you had edited', text: updated_input },
  ].flatMap(({ title, text }) => (text?.trim() ? [{ title, text }] : []));
}

const nameOf = (questions: readonly Question[], id: string): string =>
  oneLine(questions.find((question) => question.id === id)?.question ?? '').slice(0, 80);
