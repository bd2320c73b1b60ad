// Shows one ask, pending or ended, in its frame, and chooses the card of its kind to answer it. When it ends, on whatever
// surface, it shows how and takes no more answers; the form that the person is typing in stays until they leave it.

import { useEffect, useMemo, useState } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { isTypedInto } from '../hooks/gesture.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { tellDone, tellTooLate } from '../hooks/missed-notice.ts';
import { useFetched } from '../hooks/queries.ts';
import { focusCard } from '../hooks/row-focus.ts';
import { endLink } from '../hooks/toasts.ts';
import { forgetTouched } from '../hooks/touched-asks.ts';
import { isShownWhole } from '../state/approval.ts';
import { cancelledForm, formAnswer, questionsOfPayload } from '../state/form-payload.ts';
import { lateSentence, type Refusal } from '../state/refusal.ts';
import { endSentence } from '../text/ask-text.ts';
import { ApprovalCard } from './approval-card.tsx';
import { CardFrame, type Frame } from './card-frame.tsx';
import { DismissibleNotice } from './dismissible-notice.tsx';
import { EndedAsk } from './ended-ask.tsx';
import { QuestionCard } from './question-card.tsx';

const VIEW_ONLY = 'It is waiting for an answer. You have view-only access.';

interface AskCardProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  /** Inside another page, not filling the screen. */
  isInline: boolean;
  hasKeys: boolean;
  onBack: (() => void) | undefined;
  /** The page that it goes back to. */
  backTo?: string;
  onDone: (ask: AskView, what: string) => void;
  /** An allow of it is held back, and can be undone. */
  onHeld?: ((ask: AskView) => void) | undefined;
}

export default function AskCard({ ask, sessions, isInline, hasKeys, onBack, backTo, onDone, onHeld }: AskCardProps) {
  const mayAnswer = useMayAnswer();
  const me = useMe();
  const [isExpanded, setExpanded] = useState(false);
  const isOver = ask.status !== 'pending';
  useEffect(() => endLink(ask.ask_id), [ask.ask_id]);
  const [wasOpen] = useState(!isOver);
  const [end, setEnd] = useState({ isOver, isTypedInto: false });
  if (isOver !== end.isOver) setEnd({ isOver, isTypedInto: isOver && isTypedInto(ask.ask_id) });
  const leave = () => setEnd({ isOver, isTypedInto: false });
  useCommands(end.isTypedInto ? { back: leave } : {});
  const frame: Frame = (body, ownActions, isWhole = true) => {
    const actions = ownActions && (
      <>
        {end.isTypedInto && ask.answer && (
          <DismissibleNotice
            text={`${endSentence(ask.answer, me?.name, ask.request)}. What you type is not sent; copy it if you need it.`}
            onDismiss={leave}
          />
        )}
        {ownActions}
      </>
    );
    return <CardFrame {...{ ask, sessions, isInline, isWhole, body, actions, onBack, backTo }} />;
  };
  const done = async (what: string, decided: AskView = ask) => {
    const sentence = await overtakenBy(ask.ask_id, me?.name);
    if (sentence !== undefined) return tellTooLate(ask, sentence);
    forgetTouched(ask.ask_id);
    if (!isInline) tellDone(decided, what);
    onDone(decided, what);
  };
  const refused = ({ isLate, text }: Refusal) => isLate && tellTooLate(ask, text);
  const expand = () => {
    setExpanded(true);
    focusCard(ask.ask_id);
  };
  const readOnly = <EndedAsk ask={ask} isWhole={isExpanded} onWhole={expand} wasOpen={wasOpen} />;
  if (isOver && !end.isTypedInto) return frame(readOnly, null);
  if (!mayAnswer) {
    const isWhole = ask.kind === 'question' || isShownWhole({ isWhole: isExpanded }, ask.request);
    return frame(readOnly, <p className="small muted">{VIEW_ONLY}</p>, isWhole);
  }
  const common = { hasKeys: hasKeys && !isOver, frame, onDone: done, onRefused: refused };
  if (ask.kind === 'approval')
    return (
      <ApprovalCard
        {...common}
        onHeld={onHeld && (() => onHeld(ask))}
        ask={ask}
        session={sessions.get(ask.session_id)}
      />
    );
  if (ask.mode === 'form') return <FormCard {...common} ask={ask} />;
  const { request } = ask;
  const answerRun = (resolution: object) => (options: { idempotencyKey: string }) =>
    api.questions.answerRun(ask.run_id, { resolution: { request_id: ask.ask_id, ...resolution } }, options);
  return (
    <QuestionCard
      {...common}
      ask={ask}
      questions={request.questions}
      context={request.context}
      answer={(answers) => answerRun({ answers })}
      decline={(why) => answerRun({ declined: true, ...(why !== '' && { justification: why }) })}
    />
  );
}

/** The server also accepts an answer that equals the winner's; the person is told who was first. */
async function overtakenBy(askId: string, me: string | undefined): Promise<string | undefined> {
  const ask = await api.asks.get(askId).catch(() => undefined);
  if (!ask?.answer || ask.answer.answered_by === me) return undefined;
  return lateSentence(ask.answer, ask.request);
}

type FormCardProps = Pick<Parameters<typeof QuestionCard>[0], 'ask' | 'hasKeys' | 'frame' | 'onDone' | 'onRefused'>;

/** A form is rendered from the payload that the server prepared; the ask's own questions are not used. */
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
