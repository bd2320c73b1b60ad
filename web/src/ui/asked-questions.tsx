// Shows questions that cannot be answered here: all that was asked, with every option.
import type { QuestionAskView } from '../../../src/core/views.ts';
import { questionsOfPayload } from '../state/form-payload.ts';
import { Preview } from './preview.tsx';
import { QuestionText } from './question-field.tsx';
import { Prose } from './text.tsx';
import './question-field.css';

export function AskedQuestions({ ask }: { ask: QuestionAskView }) {
  const { request } = ask;
  const questions = ask.mode === 'form' ? (questionsOfPayload(ask.render_payload) ?? []) : request.questions;
  return (
    <>
      {request.context !== undefined && (
        <p className="prose muted">
          <Prose text={request.context} />
        </p>
      )}
      {questions.map(({ id, question, options }) => (
        <div key={id} className="question">
          <QuestionText text={question} />
          {options.length > 0 && (
            <ul className="bullets">
              {options.map(({ id: optionId, label, description, preview }) => (
                <li key={optionId}>
                  <Prose text={label} />
                  {description !== undefined && (
                    <div className="option-note">
                      <Prose text={description} />
                    </div>
                  )}
                  {preview !== undefined && <Preview text={preview} />}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </>
  );
}
