// Shows how far a set of questions is answered; on a narrow screen, where one question is shown at a time, each dot leads to
// its question.
import { ArrowLeft, ArrowRight } from 'lucide-react';
import './question-steps.css';

interface ProgressProps {
  /** By question, in order. */
  isAnswered: readonly boolean[];
  /** The question that is shown alone; undefined where all are shown. */
  step: number | undefined;
  onStep: (step: number) => void;
}

export function QuestionProgress({ isAnswered, step, onStep }: ProgressProps) {
  const answered = isAnswered.filter(Boolean).length;
  return (
    <div className="question-progress small">
      <span className="muted">
        {answered} of {isAnswered.length} answered
      </span>
      {step !== undefined && (
        <ol className="question-dots">
          {isAnswered.map((isDone, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: questions of one set, never moved
            <li key={i}>
              <button
                type="button"
                className={isDone ? 'is-done' : ''}
                aria-current={i === step ? 'step' : undefined}
                aria-label={`Question ${i + 1}${isDone ? ', answered' : ''}`}
                onClick={() => onStep(i)}
              />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

interface StepButtonsProps {
  step: number;
  count: number;
  onStep: (step: number) => void;
}

/** Moves between questions that are shown one at a time; sends nothing. */
export const StepButtons = ({ step, count, onStep }: StepButtonsProps) => (
  <>
    {step > 0 && (
      <button type="button" className="button" onClick={() => onStep(step - 1)}>
        <ArrowLeft className="icon" /> Previous
      </button>
    )}
    {step < count - 1 && (
      <button type="button" className="button primary" onClick={() => onStep(step + 1)}>
        Next <ArrowRight className="icon" />
      </button>
    )}
  </>
);
