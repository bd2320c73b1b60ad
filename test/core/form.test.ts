// What a page may render of a form: the documented keys in their order, and what only the API can say.
import { describe, expect, it } from 'vitest';
import { renderPayload } from '../../src/core/form.ts';
import { completeQuestions } from '../../src/core/question.ts';

const PLACE = { task_id: 1, subtask_id: 2 };

describe('render_payload', () => {
  it('has the documented keys in their order', () => {
    const payload = renderPayload('ask_1', { questions: completeQuestions([{ id: 'q', question: 'Q?' }]) }, PLACE);
    expect(JSON.stringify({ ...payload, questions: [] })).toBe(
      '{"type":"interactive_form_question","ask_id":"ask_1","task_id":1,"subtask_id":2,"questions":[]}',
    );
  });

  it('includes descriptions, secrets and options without free text, which only the API can set', () => {
    const questions = completeQuestions([
      { id: 'a', question: 'A?', secret: true },
      { id: 'b', question: 'B?', allow_other: false, options: [{ id: 'x', label: 'X', description: 'why' }] },
    ]);
    expect(renderPayload('ask_1', { questions }, PLACE).questions).toMatchObject([
      { id: 'a', secret: true },
      { id: 'b', allow_other: false, options: [{ label: 'X', value: 'X', description: 'why' }] },
    ]);
  });
});
