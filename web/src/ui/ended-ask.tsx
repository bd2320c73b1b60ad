// Shows an ask that cannot be answered here: what was asked, how it ended, whether this person's click came too late, and
// what they had typed and not sent.
import { CircleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Question } from '../../../src/core/question.ts';
import type { AskView, QuestionAskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { isHandled, run } from '../hooks/commands.ts';
import { type DraftContent, unsavedDraft, useSavedDraft } from '../hooks/draft.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { forgetTouched, useTouchedAsks } from '../hooks/touched-asks.ts';
import { repeatOf } from '../state/asked-again.ts';
import { draftText } from '../state/late-answer.ts';
import { oneLine } from '../text/visible.ts';
import { AskedQuestions } from './asked-questions.tsx';
import { Code } from './code.tsx';
import { DismissibleNotice } from './dismissible-notice.tsx';
import { Key } from './key.tsx';
import { LateAnswer } from './late-answer.tsx';
import { Proposal } from './proposal.tsx';
import { RiskSigns } from './risk-signs.tsx';
import { Settled } from './settled.tsx';

interface EndedAskProps {
  ask: AskView;
  /** What is long is truncated until then. */
  isWhole: boolean;
  onWhole: () => void;
  /** It was waiting when this card was opened. */
  wasOpen: boolean;
}

export function EndedAsk({ ask: known, isWhole, onWhole, wasOpen }: EndedAskProps) {
  const { data } = useFetched({ queryKey: ['ask', known.ask_id], queryFn: () => api.asks.get(known.ask_id) });
  const ask = data ?? known;
  const ending = (
    <>
      <NotSent ask={ask} wasOpen={wasOpen} />
      <Settled ask={ask} />
      <AskedAgain ask={ask} />
      <UnsentDraft ask={ask} />
    </>
  );
  if (ask.kind === 'question')
    return (
      <>
        {ending}
        <AskedQuestions ask={ask} />
      </>
    );
  const { request } = ask;
  const folder = request.work_folder ?? ask.asked_from?.work_folder;
  return (
    <>
      {ending}
      <Proposal request={request} folder={folder} isWhole={isWhole} onWhole={onWhole}>
        <RiskSigns ask={ask} />
      </Proposal>
    </>
  );
}

/** This person had begun to answer, or had it open, and it ended otherwise. */
function NotSent({ ask: { ask_id, status, answer }, wasOpen }: Pick<EndedAskProps, 'ask' | 'wasOpen'>) {
  const why = useTouchedAsks().get(ask_id);
  const me = useMe()?.name;
  const mayAnswer = useMayAnswer();
  if (status === 'pending') return null;
  const isOthers = answer !== undefined && answer.answered_by !== me;
  if (why === undefined) return wasOpen && mayAnswer && isOthers && <EndedMeanwhile />;
  return (
    <DismissibleNotice
      text={why || 'This ended before you answered. Your answer was not sent.'}
      onDismiss={() => forgetTouched(ask_id)}
    />
  );
}

/** The same action waits again, because a file that it uses has changed. */
function AskedAgain({ ask }: Pick<EndedAskProps, 'ask'>) {
  const again = repeatOf(ask, useInbox().entries);
  if (!again) return null;
  return (
    <p className="notice">
      <CircleAlert className="icon" /> It was not run, and is asked again.{' '}
      <Link className="link" href={`/asks/${again.ask_id}`}>
        Open the new request
      </Link>
    </p>
  );
}

const EndedMeanwhile = () => (
  <p className="notice">
    This ended while you had it open. You have not decided anything.
    {isHandled('next') && (
      <button type="button" className="button small" onClick={() => run('next')}>
        Next <Key>j</Key>
      </button>
    )}
  </p>
);

/** What this person had typed when it ended, to be copied. */
function UnsentDraft({ ask }: { ask: AskView }) {
  const me = useMe();
  const isOwnAnswer = ['answered', 'declined'].includes(ask.status) && ask.answer?.answered_by === me?.name;
  const isEnabled = useMayAnswer() && ask.status !== 'pending' && !isOwnAnswer;
  const saved = useSavedDraft(ask.ask_id, isEnabled);
  const draft = isEnabled ? (unsavedDraft(ask.ask_id) ?? saved) : undefined;
  const texts = draft ? textsOf(draft, ask) : [];
  const isLate = isEnabled && ask.status === 'expired' && ask.kind === 'question';
  return (
    <>
      {texts.map(({ title, text }) => (
        <Code key={title} title={title} text={text} language="plain" isWhole onWhole={() => {}} />
      ))}
      {isLate && <LateAnswer ask={ask} draft={draft ? lateDraft(ask, draft) : ''} />}
    </>
  );
}

const lateDraft = ({ request }: QuestionAskView, { answers = [], justification = '' }: DraftContent): string =>
  [draftText(request.questions, answers), justification].filter(Boolean).join('\n');

function textsOf({ answers = [], reason, justification, updated_input }: DraftContent, ask: AskView) {
  const questions = ask.kind === 'question' ? ask.request.questions : [];
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
