// Questions to read, not to answer: all that was asked, with every option that was offered.
import type { QuestionAskView } from '../../../src/core/views.ts';
import { questionsOfPayload } from '../state/form-payload.ts';
import { Exact, Prose } from './text.tsx';

interface AskedQuestionsProps {
  ask: QuestionAskView;
}

export function AskedQuestions({ ask }: AskedQuestionsProps) {
  const { request } = ask;
  const questions = ask.mode === 'form' ? (questionsOfPayload(ask.render_payload) ?? []) : request.questions;
  return (
    <>
      {request.context !== undefined && (
        <p className="why">
          <Prose text={request.context} />
        </p>
      )}
      {questions.map(({ id, question, options }) => (
        <div key={id} className="question">
          <div className="question-text">
            <Prose text={question} />
          </div>
          {options.length > 0 && (
            <ul className="offered">
              {options.map(({ id: optionId, label, description, preview }) => (
                <li key={optionId}>
                  <Prose text={label} />
                  {description !== undefined && (
                    <div className="option-note">
                      <Prose text={description} />
                    </div>
                  )}
                  {preview !== undefined && (
                    <pre>
                      <Exact text={preview} />
                    </pre>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </>
  );
}
