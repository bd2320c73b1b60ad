// One ask, open or ended: says where it comes from, shows it in full, and lets it be answered by the card of its kind.
// When it ends, wherever that was, it says so at once and takes no more answers.
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../queries.ts';
import { useDraft } from '../state/draft.ts';
import { cancelledForm, formAnswer, questionsOfPayload } from '../state/form-payload.ts';
import { useMayAnswer } from '../state/me.ts';
import { isQuestion } from '../text/ask-text.ts';
import { Action } from './action.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { Code } from './code.tsx';
import { Crumbs, sessionName } from './crumbs.tsx';
import { QuestionCard } from './question-card.tsx';
import { Settled } from './settled.tsx';
import { Exact, Prose } from './text.tsx';

const LOOK_ONLY = 'It waits for an answer. This browser was signed in to look, not to answer.';

interface AskCardProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  /** Inside another page, not filling the screen. */
  isInline: boolean;
  hasKeys: boolean;
  onBack: (() => void) | undefined;
  onDone: (ask: AskView, what: string) => void;
}

export default function AskCard({ ask, sessions, isInline, hasKeys, onBack, onDone }: AskCardProps) {
  const session = sessions.get(ask.session_id);
  const requester = useRequester(ask);
  const mayAnswer = useMayAnswer();
  const frame = (body: ReactNode, actions: ReactNode) => (
    <article className={`card ${isInline ? 'inline' : ''}`} aria-label="Ask">
      <div className="card-scroll">
        <div className="card-body">
          {onBack && (
            <div className="back">
              <button type="button" className="button quiet" onClick={onBack}>
                <ArrowLeft className="icon" /> Inbox
              </button>
            </div>
          )}
          <Crumbs ask={ask} sessions={sessions} requester={requester} />
          {body}
        </div>
      </div>
      {actions && (
        <footer className="actions">
          <div className="actions-in">{actions}</div>
        </footer>
      )}
    </article>
  );
  const done = (what: string) => onDone(ask, what);
  if (ask.status !== 'pending') return frame(<Ended ask={ask} />, null);
  if (!mayAnswer) return frame(<Ended ask={ask} />, <p className="small muted">{LOOK_ONLY}</p>);
  const common = { ask, hasKeys, frame, onDone: done };
  if (!isQuestion(ask.request)) return <ApprovalCard {...common} session={session} />;
  if (ask.mode === 'form') return <FormCard {...common} />;
  const { request } = ask;
  return (
    <QuestionCard
      {...common}
      questions={request.questions}
      context={request.context}
      answer={(answers) => (options) =>
        api.questions.answerRun(ask.run_id, { resolution: { request_id: ask.ask_id, answers } }, options)
      }
      decline={(why) => (options) =>
        api.questions.answerRun(
          ask.run_id,
          { resolution: { request_id: ask.ask_id, declined: true, ...(why !== '' && { justification: why }) } },
          options,
        )
      }
    />
  );
}

type FormCardProps = Pick<Parameters<typeof QuestionCard>[0], 'ask' | 'hasKeys' | 'frame' | 'onDone'>;

/** A form is drawn from what the server prepared, fetched for this; the ask's own questions are not looked at. */
function FormCard(props: FormCardProps) {
  const { ask, frame } = props;
  const { data } = useFetched({ queryKey: ['ask', ask.ask_id], queryFn: () => api.asks.get(ask.ask_id) });
  const payload = data?.render_payload;
  const questions = useMemo(() => questionsOfPayload(payload), [payload]);
  if (!data) return frame(<p className="muted">Loading the form…</p>, null);
  if (!questions) return frame(<p className="notice bad">This form has no questions that can be shown.</p>, null);
  const send = (answer: object) => (options: { idempotencyKey: string }) =>
    api.sessions.say(ask.session_id, { interactive_form_answer: answer as never }, options);
  return (
    <QuestionCard
      {...props}
      questions={questions}
      context={undefined}
      answer={(answers) => send(formAnswer(ask.tool_call_id, questions, answers))}
      decline={(why) => send(cancelledForm(ask.tool_call_id, why))}
    />
  );
}

/** Read only: what was asked, how it ended, and what was typed for nothing. */
function Ended({ ask: known }: { ask: AskView }) {
  const [isWhole, setWhole] = useState(false);
  const isLost = !['pending', 'answered', 'declined'].includes(known.status);
  const { data } = useFetched({ queryKey: ['ask', known.ask_id], queryFn: () => api.asks.get(known.ask_id) });
  const ask = data ?? known;
  const { request } = ask;
  if (isQuestion(request))
    return (
      <>
        <Settled ask={ask} />
        {isLost && <LostDraft askId={ask.ask_id} />}
        {request.questions.map((question) => (
          <div key={question.id} className="question">
            <div className="question-text">
              <Prose text={question.question} />
            </div>
          </div>
        ))}
      </>
    );
  return (
    <>
      <div className="card-title">
        <h2>
          <code>
            <Exact text={request.tool_name} />
          </code>
        </h2>
      </div>
      <Settled ask={ask} />
      {isLost && <LostDraft askId={ask.ask_id} />}
      <Action request={request} isWhole={isWhole} onWhole={() => setWhole(true)} />
    </>
  );
}

/** It ended while somebody typed: the text is still there, to be copied. */
function LostDraft({ askId }: { askId: string }) {
  const { kept } = useDraft(askId, useMayAnswer());
  const answers = (kept?.answers ?? []).map(({ freeform_answer }) => freeform_answer);
  const texts = [...answers, kept?.reason, kept?.justification, kept?.updated_input].filter((text) => text?.trim());
  if (texts.length === 0) return null;
  const text = texts.join('\n\n');
  return <Code title="What you had typed" text={text} language="plain" isWhole onWhole={() => {}} />;
}

/** Which child asks its parent here, where that is so. */
function useRequester(ask: AskView): { sessionId: string; name: string } | undefined {
  const { data } = useFetched({
    queryKey: ['requester', ask.ask_id],
    queryFn: () => requesterOf(ask),
    enabled: ask.kind === 'question' && ask.status === 'pending',
  });
  return data ?? undefined;
}

async function requesterOf(ask: AskView) {
  const { items } = await api.questions.ofSession(ask.session_id);
  const sessionId = items.find((question) => question.request.id === ask.ask_id)?.requester_session_id;
  return sessionId === undefined ? null : { sessionId, name: sessionName(await api.sessions.get(sessionId)) };
}
