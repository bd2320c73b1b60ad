// A question set: every question with its answer, kept as a draft while it is given; sent whole, or declined. The server
// judges, and what it does not like is said at the question it is about.
import { Ban, Send } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { QuestionAnswer } from '../../../src/core/answer.ts';
import type { Question } from '../../../src/core/question.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useCommands } from '../hooks/commands.ts';
import { useDraft } from '../hooks/draft.ts';
import { type KeyedCall, type Refused, useSending } from '../hooks/submission.ts';
import {
  type AnswerForm,
  answersOf,
  choose,
  draftOf,
  fieldOf,
  missing,
  openForm,
  toggleOther,
  withDraft,
  write,
} from '../state/answer-form.ts';
import { heading } from '../text/ask-text.ts';
import type { Frame } from './card-frame.tsx';
import { Key } from './key.tsx';
import { QuestionField } from './question-field.tsx';
import { Refusal, SavedNote } from './refusal.tsx';
import { Prose } from './text.tsx';

interface QuestionCardProps {
  ask: AskView;
  questions: readonly Question[];
  context: string | undefined;
  hasKeys: boolean;
  answer: (answers: QuestionAnswer[]) => KeyedCall;
  decline: (why: string) => KeyedCall;
  frame: Frame;
  onDone: (what: 'Answered' | 'Declined') => void;
  onRefused: (refused: Refused) => void;
}

export function QuestionCard(props: QuestionCardProps) {
  const { ask, questions, context, hasKeys, frame, onDone, onRefused } = props;
  const [form, setForm] = useState(() => openForm(questions));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [isDeclining, setDeclining] = useState(false);
  const [why, setWhy] = useState('');
  const place = questions.some(({ secret }) => secret) ? undefined : `ask-${ask.ask_id}`;
  const { isSending, isSlow, refused, send, clear } = useSending(place);
  const { taken, state, save, hold } = useDraft(ask.ask_id);
  const first = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const whyField = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (!taken) return;
    const { content, isNews } = taken;
    setForm((mine) => withDraft(questions, mine, content.answers ?? [], isNews));
    const { justification = '' } = content;
    setWhy((mine) => (isNews ? justification : mine || justification));
  }, [taken, questions]);
  useEffect(() => {
    if (isDeclining) whyField.current?.focus();
  }, [isDeclining]);

  const change = (next: AnswerForm) => {
    setForm(next);
    setProblems(new Map());
    clear();
    save({ answers: draftOf(questions, next), ...(why !== '' && { justification: why }) });
  };
  const deliver = async (content: object, call: KeyedCall, what: 'Answered' | 'Declined') => {
    const draft = hold();
    const refusal = await send(content, call);
    if (!refusal) {
      draft.drop();
      return onDone(what);
    }
    draft.release();
    onRefused(refusal);
  };
  const submit = async () => {
    if (isSending || isDeclining) return;
    const open = missing(questions, form);
    setProblems(open);
    if (open.size > 0) return;
    const answers = answersOf(questions, form);
    await deliver({ answers }, props.answer(answers), 'Answered');
  };
  const decline = async () => {
    if (isSending) return;
    if (!isDeclining) return setDeclining(true);
    const justification = why.trim();
    await deliver({ justification }, props.decline(justification), 'Declined');
  };
  const [numbered] = questions;
  useCommands(
    hasKeys
      ? {
          allow: () => void submit(),
          deny: () => void decline(),
          other: () => first.current?.focus(),
          choose: (n) => {
            const option = numbered?.options[n - 1];
            if (numbered && option) change(choose(form, numbered, option.id));
          },
          ...(isDeclining && { back: () => setDeclining(false) }),
        }
      : {},
  );
  const sendKeys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void (isDeclining ? decline() : submit());
  };
  const problemOf = (id: string) => problems.get(id) ?? (refused?.questionId === id ? refused.text : undefined);
  const isPlaced = questions.some(({ id }) => id === refused?.questionId);
  const several = questions.length > 1;

  const body = (
    // biome-ignore lint/a11y/noStaticElementInteractions: only listens for Ctrl+Enter in the fields inside
    <div className="card-body-questions" onKeyDown={sendKeys}>
      {several && (
        <div className="card-title">
          <h2>{heading(ask.request)}</h2>
        </div>
      )}
      {context !== undefined && (
        <p className="why">
          <Prose text={context} />
        </p>
      )}
      {questions.map((question, i) => (
        <QuestionField
          key={question.id}
          question={question}
          place={several ? `${i + 1} of ${questions.length}` : ''}
          field={fieldOf(form, question.id)}
          problem={problemOf(question.id)}
          hasKeys={hasKeys && i === 0}
          otherRef={i === 0 ? first : undefined}
          onChoose={(option) => change(choose(form, question, option))}
          onOther={(isOther) => change(toggleOther(form, question, isOther))}
          onText={(text) => change(write(form, question, text))}
        />
      ))}
    </div>
  );
  const actions = (
    // biome-ignore lint/a11y/noStaticElementInteractions: only listens for Ctrl+Enter in the field inside
    <div className="actions-questions" onKeyDown={sendKeys}>
      {isDeclining && (
        <div>
          <label className="label" htmlFor={`why-${ask.ask_id}`}>
            Decline to answer. Why? The agent is told. <span className="muted">Optional</span>
          </label>
          <textarea
            id={`why-${ask.ask_id}`}
            ref={whyField}
            className="field"
            value={why}
            onChange={(event) => {
              setWhy(event.target.value);
              save({ answers: draftOf(questions, form), justification: event.target.value });
            }}
          />
        </div>
      )}
      <Refusal refused={isPlaced ? undefined : refused} isSlow={isSlow} />
      {problems.size > 0 && (
        <p className="error" role="alert">
          {problems.size === 1 ? 'One question needs an answer.' : `${problems.size} questions need an answer.`}
        </p>
      )}
      <div className="buttons">
        {!isDeclining && (
          <button type="button" className="button primary" disabled={isSending} onClick={submit}>
            <Send className="icon" /> {several ? 'Send answers' : 'Answer'} {hasKeys && <Key>a</Key>}
          </button>
        )}
        <button
          type="button"
          className={`button ${isDeclining ? 'primary danger' : ''}`}
          disabled={isSending}
          onClick={decline}
        >
          <Ban className="icon" /> Decline {hasKeys && !isDeclining && <Key>d</Key>}
        </button>
        {isDeclining && (
          <button type="button" className="button quiet" onClick={() => setDeclining(false)}>
            Back {hasKeys && <Key>Esc</Key>}
          </button>
        )}
        <SavedNote state={state} />
      </div>
    </div>
  );
  return frame(body, actions);
}
