// Draws one question: options with notes and previews and "Other", or a text field, masked where the answer is secret. Owns
// no answer: the card does.
import { Eye, EyeOff } from 'lucide-react';
import { lazy, Suspense, useId, useMemo, useState } from 'react';
import type { Question } from '../../../src/core/question.ts';
import type { Field } from '../state/answer-form.ts';
import { hidesText } from '../text/plan-text.ts';
import { questionParts } from '../text/question-parts.ts';
import { Key } from './key.tsx';
import { Preview } from './preview.tsx';
import { focus } from './reason-field.tsx';
import { Prose } from './text.tsx';
import './question-field.css';

const Markdown = lazy(() => import('./markdown.tsx'));

interface QuestionFieldProps {
  question: Question;
  /** `2 of 3` in a set; empty otherwise. */
  position: string;
  field: Field;
  problem: string | undefined;
  /** Number keys choose here. */
  hasKeys: boolean;
  /** Something in it got the focus. */
  onActive: () => void;
  onChoose: (optionId: string) => void;
  onOther: (isOther: boolean) => void;
  onText: (text: string) => void;
}

const MAX_NUMBERED = 9;
/** More can be filtered. */
const MANY_OPTIONS = 12;

export function QuestionField(props: QuestionFieldProps) {
  const { question, position, problem } = props;
  const id = useId();
  const notes = [
    question.multi_select && 'Select all that apply',
    !question.required && 'Optional',
    // The sign at the top says who can read it.
    question.secret && 'Secret',
  ].filter((note) => typeof note === 'string');
  const header = question.header === question.question || /^Question \d+$/.test(question.header) ? '' : question.header;
  return (
    <fieldset
      className="question"
      data-question={question.id}
      onFocus={props.onActive}
      aria-describedby={problem === undefined ? undefined : `${id}-problem`}
    >
      <legend>
        <div className="question-head">
          {position !== '' && <span className="chip">{position}</span>}
          {header !== '' && (
            <span className="chip accent">
              <Prose text={header} />
            </span>
          )}
          {notes.map((note) => (
            <span key={note} className="tiny muted">
              {note}
            </span>
          ))}
        </div>
        <QuestionText text={question.question} id={`${id}-text`} />
      </legend>
      {question.options.length > 0 ? <Options {...props} id={id} /> : <TextField {...props} id={id} />}
      {problem !== undefined && (
        <p className="error" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}

/** Most questions have none, and are drawn at once. */
const MARKS = /\*\*|`|\]\(/;

/** What leads to a long question is formatted as prose, unless formatting would hide a part of it. */
export function QuestionText({ text, id }: { text: string; id?: string }) {
  const { lead, asked } = useMemo(() => questionParts(text), [text]);
  const plain = (
    <div className="prose">
      <Prose text={lead} />
    </div>
  );
  return (
    <div id={id}>
      {lead !== '' && (
        <div className="question-lead" dir="auto">
          {hidesText(lead) ? (
            plain
          ) : (
            <Suspense fallback={plain}>
              <Markdown text={lead} />
            </Suspense>
          )}
        </div>
      )}
      {asked !== '' && (
        <div className="question-text" dir="auto">
          {MARKS.test(asked) && !hidesText(asked) ? (
            <Suspense fallback={<Prose text={asked} />}>
              <Markdown text={asked} />
            </Suspense>
          ) : (
            <Prose text={asked} />
          )}
        </div>
      )}
    </div>
  );
}

function Options({ question, field, hasKeys, onChoose, onOther, onText, id }: QuestionFieldProps & { id: string }) {
  const type = question.multi_select ? 'checkbox' : 'radio';
  const [sought, setSought] = useState('');
  const [isOtherOpen, setOtherOpen] = useState(false);
  const isMany = question.options.length > MANY_OPTIONS;
  const words = sought.trim().toLowerCase();
  // What is chosen stays in view, so that nothing is sent that the filter hides.
  const shown = question.options.filter(
    ({ id: optionId, label, description = '' }) =>
      field.chosen.includes(optionId) || `${label} ${description}`.toLowerCase().includes(words),
  );
  const other = (isChecked: boolean) => {
    setOtherOpen(isChecked);
    onOther(isChecked);
  };
  return (
    <div className="options">
      {isMany && (
        <input
          type="search"
          className="field"
          aria-label="Filter options"
          placeholder={`Filter ${question.options.length} options`}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      {shown.map((option) => (
        <label key={option.id} className="option">
          <input
            type={type}
            name={id}
            checked={field.chosen.includes(option.id)}
            onChange={() => onChoose(option.id)}
            onClick={() => field.chosen.includes(option.id) || onChoose(option.id)}
          />
          <span className="option-label">
            <Prose text={option.label} />
            {option.recommended && <span className="chip good">recommended</span>}
          </span>
          {hasKeys && <NumberKey at={question.options.indexOf(option)} />}
          {option.description !== undefined && (
            <span className="option-note">
              <Prose text={option.description} />
            </span>
          )}
          {option.preview !== undefined && <Preview text={option.preview} />}
        </label>
      ))}
      {question.allow_other && (
        <div className="option">
          <input
            type={type}
            name={id}
            id={`${id}-other`}
            checked={field.isOther}
            onChange={(event) => other(event.target.checked)}
          />
          <label className="option-label" htmlFor={`${id}-other`}>
            Other
          </label>
          {hasKeys && <Key>o</Key>}
          {field.isOther && (
            <textarea
              ref={isOtherOpen ? focus : undefined}
              className="field"
              rows={1}
              aria-label="Your own answer"
              placeholder={question.placeholder ?? 'Your own answer'}
              value={field.text}
              onChange={(event) => onText(event.target.value)}
            />
          )}
        </div>
      )}
    </div>
  );
}

const NumberKey = ({ at }: { at: number }) => at < MAX_NUMBERED && <Key>{at + 1}</Key>;

function TextField({ question, field, onText, problem, id }: QuestionFieldProps & { id: string }) {
  const [isShown, setShown] = useState(false);
  const common = {
    className: 'field',
    value: field.text,
    placeholder: question.placeholder,
    'aria-labelledby': `${id}-text`,
    'aria-required': question.required,
    'aria-invalid': problem !== undefined,
    onChange: (event: { target: { value: string } }) => onText(event.target.value),
  };
  if (!question.secret) return <textarea {...common} rows={3} />;
  return (
    <div className="secret">
      <input {...common} type={isShown ? 'text' : 'password'} autoComplete="new-password" spellCheck={false} />
      <button type="button" className="button" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
        {isShown ? <EyeOff className="icon" /> : <Eye className="icon" />}
        {isShown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}
