// One ask, open or ended: says where it comes from, shows it in full, and lets it be answered by the card of its kind.
// When it ends, wherever that was, it says so at once and takes no more answers.
import { useMemo, useState } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { type Refused, wonBy } from '../hooks/submission.ts';
import { cameTooLate, leaveBegun } from '../hooks/touched-asks.ts';
import { cancelledForm, formAnswer, questionsOfPayload } from '../state/form-payload.ts';
import { isQuestion } from '../text/ask-text.ts';
import { isLong } from './action.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { CardFrame, type Frame } from './card-frame.tsx';
import { sessionName } from './crumbs.tsx';
import { EndedAsk } from './ended-ask.tsx';
import { QuestionCard } from './question-card.tsx';

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
  const me = useMe();
  const [isUnfolded, setUnfolded] = useState(false);
  const frame: Frame = (body, actions, isWhole = true) => (
    <CardFrame {...{ ask, sessions, requester, isInline, isWhole, body, actions, onBack }} />
  );
  const done = async (what: string) => {
    const sentence = await overtaken(ask.ask_id, me?.name);
    if (sentence !== undefined) return cameTooLate(ask.ask_id, sentence);
    leaveBegun(ask.ask_id);
    onDone(ask, what);
  };
  const refused = ({ isLate, text }: Refused) => isLate && cameTooLate(ask.ask_id, text);
  const toRead = <EndedAsk ask={ask} isWhole={isUnfolded} onWhole={() => setUnfolded(true)} />;
  if (ask.status !== 'pending') return frame(toRead, null);
  if (!mayAnswer)
    return frame(
      toRead,
      <p className="small muted">{LOOK_ONLY}</p>,
      isQuestion(ask.request) || isUnfolded || !isLong(ask.request),
    );
  const common = { hasKeys, frame, onDone: done, onRefused: refused };
  if (ask.kind === 'approval') return <ApprovalCard {...common} ask={ask} session={session} />;
  if (ask.mode === 'form') return <FormCard {...common} ask={ask} />;
  const { request } = ask;
  return (
    <QuestionCard
      {...common}
      ask={ask}
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

/** The same answer as the winner's is accepted too; whose it was is said all the same. */
async function overtaken(askId: string, me: string | undefined): Promise<string | undefined> {
  const answer = (await api.asks.get(askId).catch(() => undefined))?.answer;
  if (!answer || answer.answered_by === me) return undefined;
  return `${wonBy(answer, Date.now())} Yours came later, said the same, and changed nothing.`;
}

type FormCardProps = Pick<Parameters<typeof QuestionCard>[0], 'ask' | 'hasKeys' | 'frame' | 'onDone' | 'onRefused'>;

/** A form is drawn from what the server prepared, fetched for this; the ask's own questions are not looked at. */
function FormCard(props: FormCardProps) {
  const { ask, frame } = props;
  const { data } = useFetched({ queryKey: ['ask', ask.ask_id], queryFn: () => api.asks.get(ask.ask_id) });
  const payload = data?.kind === 'question' ? data.render_payload : undefined;
  const questions = useMemo(() => questionsOfPayload(payload), [payload]);
  if (!data) return frame(<p className="muted">Loading the form…</p>, null, false);
  if (!questions)
    return frame(<p className="notice bad">This form has no questions that can be shown.</p>, null, false);
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
