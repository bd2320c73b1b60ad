// Shows a set of questions with fields for the answers, saved as a draft while they are typed; sent together, or declined.
// What the server refuses is shown at the question it is about.
import { Ban, Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { QuestionAnswer } from '../../../src/core/answer.ts';
import type { Question } from '../../../src/core/question.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useCommands } from '../hooks/commands.ts';
import { useDraft } from '../hooks/draft.ts';
import { useIsNarrow } from '../hooks/narrow.ts';
import { type KeyedCall, useSubmission } from '../hooks/submission.ts';
import { onItsWay, useUnsent } from '../hooks/unsent.ts';
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
import type { Refusal } from '../state/refusal.ts';
import { heading } from '../text/ask-text.ts';
import { CardTitle, type Frame } from './card-frame.tsx';
import { Key } from './key.tsx';
import { QuestionField } from './question-field.tsx';
import { QuestionProgress, StepButtons } from './question-steps.tsx';
import { ReasonField, submitKeys } from './reason-field.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { SavedNote } from './saved-note.tsx';
import { Prose } from './text.tsx';
import './question-card.css';

interface QuestionCardProps {
  ask: AskView;
  questions: readonly Question[];
  context: string | undefined;
  hasKeys: boolean;
  answer: (answers: QuestionAnswer[]) => KeyedCall;
  decline: (why: string) => KeyedCall;
  frame: Frame;
  onDone: (what: 'Answered' | 'Declined') => void;
  onRefused: (refusal: Refusal) => void;
}

export function QuestionCard(props: QuestionCardProps) {
  const { ask, questions, context, hasKeys, frame, onDone, onRefused } = props;
  const [form, setForm] = useState(() => openForm(questions));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [isDeclining, setDeclining] = useState(false);
  const [why, setWhy] = useState('');
  const scope = questions.some(({ secret }) => secret) ? undefined : `ask-${ask.ask_id}`;
  const { isSending: isUnderWay, isSlow, refusal, send, clearRefusal } = useSubmission(scope);
  const isSending = useUnsent().has(ask.ask_id) || isUnderWay || ask.status !== 'pending';
  const { incoming, state, save, suspend } = useDraft(ask.ask_id);
  const set = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useState(questions[0]?.id);
  const isNarrow = useIsNarrow();
  const [step, setStep] = useState(0);
  const [seenSteps, setSeenSteps] = useState<ReadonlySet<number>>(new Set([0]));
  const goTo = (next: number) => {
    setStep(next);
    setSeenSteps(new Set(seenSteps).add(next));
    setActiveId(questions[next]?.id);
    set.current?.closest('.card-scroll')?.scrollTo(0, 0);
  };

  useEffect(() => {
    if (!incoming) return;
    const { content, isNewer } = incoming;
    setForm((mine) => withDraft(questions, mine, content.answers ?? [], isNewer));
    const { justification = '' } = content;
    setWhy((mine) => (isNewer ? justification : mine || justification));
  }, [incoming, questions]);

  const fieldsetOf = (id: string | undefined): HTMLElement | undefined =>
    [...(set.current?.querySelectorAll<HTMLElement>('fieldset') ?? [])].find(({ dataset }) => dataset.question === id);
  const change = (next: AnswerForm) => {
    setForm(next);
    setProblems(new Map());
    clearRefusal();
    // A secret is kept nowhere, so there is nothing to save where nothing else was typed.
    const answers = draftOf(questions, next);
    if (answers.length > 0 || why !== '') save({ answers, ...(why !== '' && { justification: why }) });
  };
  const changeWhy = (justification: string) => {
    setWhy(justification);
    save({ answers: draftOf(questions, form), justification });
  };
  const submit = async (content: object, call: KeyedCall, what: 'Answered' | 'Declined') => {
    const draft = suspend();
    const refused = await send(content, (options) => onItsWay([ask.ask_id], call(options)));
    if (refused) {
      draft.resume();
      return onRefused(refused);
    }
    draft.drop();
    onDone(what);
  };
  const focusOn = (id: string) => {
    const field = fieldsetOf(id);
    field?.scrollIntoView({ block: 'nearest' });
    field?.querySelector<HTMLElement>('input, textarea')?.focus({ preventScroll: true });
  };
  const isSet = questions.length > 1;
  const isTyped = questions.every(({ options }) => options.length === 0);
  // One question at a time, where there is no room for several.
  const isStepped = isSet && isNarrow;
  const given = new Set(answersOf(questions, form).map(({ question_id }) => question_id));
  const answer = () => {
    if (isSending || isDeclining) return;
    const unanswered = missing(questions, form);
    setProblems(unanswered);
    const [first] = unanswered.keys();
    if (first !== undefined && isStepped) return goTo(questions.findIndex(({ id }) => id === first));
    if (first !== undefined) return focusOn(first);
    const answers = answersOf(questions, form);
    void submit({ answers }, props.answer(answers), 'Answered');
  };
  const decline = () => {
    if (isSending) return;
    if (!isDeclining) return setDeclining(true);
    const justification = why.trim();
    void submit({ justification }, props.decline(justification), 'Declined');
  };
  // Keys belong to the question that was last chosen in, and change nothing out of view.
  const active = questions.find(({ id }) => id === activeId);
  const bringIntoView = (id: string | undefined): HTMLElement | undefined => {
    const field = fieldsetOf(id);
    if (field && isInView(field)) return field;
    field?.scrollIntoView({ block: 'nearest' });
    return undefined;
  };
  useCommands(
    hasKeys
      ? {
          allow: answer,
          deny: decline,
          other: () => {
            const field = bringIntoView(activeId);
            const text = field?.querySelector<HTMLElement>('textarea, .secret input');
            // The text field of "Other" appears, focused, once it is chosen.
            if (text) text.focus();
            else field?.querySelector<HTMLElement>('[id$="-other"]')?.click();
          },
          choose: (n) => {
            const option = active?.options[n - 1];
            if (!active || !option || !bringIntoView(active.id)) return;
            change(choose(form, active, option.id));
            const next = questions[questions.indexOf(active) + 1];
            if (active.multi_select || !next) return;
            setActiveId(next.id);
            bringIntoView(next.id);
          },
          ...(isDeclining && { back: () => setDeclining(false) }),
        }
      : {},
  );
  const problemOf = (id: string) => problems.get(id) ?? (refusal?.questionId === id ? refusal.text : undefined);
  const isShownAtQuestion = questions.some(({ id }) => id === refusal?.questionId);

  const body = (
    // biome-ignore lint/a11y/noStaticElementInteractions: only listens for Ctrl+Enter in the fields inside
    <div className="question-set" ref={set} onKeyDown={submitKeys(isDeclining ? decline : answer)}>
      {isSet && <CardTitle>{heading(ask.request)}</CardTitle>}
      {context !== undefined && (
        <p className="prose muted">
          <Prose text={context} />
        </p>
      )}
      {questions.map((question, i) =>
        isStepped && i !== step ? null : (
          <QuestionField
            key={question.id}
            question={question}
            position={isSet ? `${i + 1} of ${questions.length}` : ''}
            field={fieldOf(form, question.id)}
            problem={problemOf(question.id)}
            hasKeys={hasKeys && question.id === activeId}
            onActive={() => setActiveId(question.id)}
            onChoose={(option) => change(choose(form, question, option))}
            onOther={(isOther) => change(toggleOther(form, question, isOther))}
            onText={(text) => change(write(form, question, text))}
          />
        ),
      )}
    </div>
  );
  const actions = (
    <>
      {isDeclining && (
        <ReasonField
          id={`why-${ask.ask_id}`}
          label="Reason for declining (sent to the agent)"
          value={why}
          hasFocus
          onChange={changeWhy}
          onSubmit={decline}
        />
      )}
      {isSet && !isDeclining && (
        <QuestionProgress
          isAnswered={questions.map(({ id }) => given.has(id))}
          step={isStepped ? step : undefined}
          onStep={goTo}
        />
      )}
      <RefusalNotice refusal={isShownAtQuestion ? undefined : refusal} isSlow={isSlow} />
      {problems.size > 0 && (
        <p className="error" role="alert">
          {problems.size === 1 ? 'One question needs an answer.' : `${problems.size} questions need an answer.`}
        </p>
      )}
      <div className="buttons">
        {isStepped && !isDeclining && <StepButtons step={step} count={questions.length} onStep={goTo} />}
        {!isDeclining && !(isStepped && step < questions.length - 1) && (
          <button type="button" className="button primary" disabled={isSending} onClick={answer}>
            <Send className="icon" /> {isSet ? 'Send answers' : 'Answer'}{' '}
            {hasKeys && <Key>{isTyped ? 'Ctrl ↵' : 'a'}</Key>}
          </button>
        )}
        <button
          type="button"
          className={`button ${isDeclining ? 'primary danger' : ''}`}
          disabled={isSending}
          onClick={decline}
        >
          <Ban className="icon" /> Decline {hasKeys && !isDeclining && <Key>d</Key>}
          {isDeclining && <Key>Ctrl ↵</Key>}
        </button>
        {isDeclining && (
          <button type="button" className="button quiet" onClick={() => setDeclining(false)}>
            Back {hasKeys && <Key>Esc</Key>}
          </button>
        )}
        <SavedNote state={state} />
      </div>
    </>
  );
  return frame(body, actions, !isStepped || seenSteps.size === questions.length);
}

/** Most of it, so that a choice made by a key is seen. */
function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const frame = element.closest('.card-scroll')?.getBoundingClientRect();
  const [from, to] = [Math.max(0, frame?.top ?? 0), Math.min(innerHeight, frame?.bottom ?? innerHeight)];
  return Math.min(bottom, to) - Math.max(top, from) > Math.min(bottom - top, to - from) / 2;
}
