// Who answers what is shown here: the person at the terminal, or in the demo without one a scripted person. Both answer
// through the public API, as anybody would.
import type { ApprovalResolution, QuestionResolution } from '../../core/answer.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../../core/views.ts';
import { promptApproval, promptQuestions, type Terminal } from './ask-prompt.ts';
import { lookFirst } from './typing-guard.ts';

export interface Person {
  readonly isScripted: boolean;
  /** Undefined when the person left without an answer. */
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalResolution | undefined>;
  answer(request: UserQuestionRequest, signal: AbortSignal): Promise<QuestionResolution | undefined>;
}

export const personAt = (terminal: Omit<Terminal, 'signal'>): Person => {
  const asked = async <T>(signal: AbortSignal, prompt: (on: Terminal) => Promise<T | undefined>) => {
    const on = { ...terminal, signal };
    return (await lookFirst(on)) ? prompt(on) : undefined;
  };
  return {
    isScripted: false,
    decide: (request, signal) => asked(signal, (on) => promptApproval(request, on)),
    answer: (request, signal) => asked(signal, (on) => promptQuestions(request, on)),
  };
};

const DESTRUCTIVE = /\brm\s+-rf?\b/;

/** Takes what is recommended, refuses what destroys, allows the rest; after a moment, as people do. */
export const scriptedPerson = (pause: (signal: AbortSignal) => Promise<void>): Person => ({
  isScripted: true,
  async decide(request, signal) {
    await pause(signal);
    const request_id = request.id;
    if (DESTRUCTIVE.test(JSON.stringify(request.input)))
      return { request_id, behavior: 'deny', reason: 'do not rewrite every snapshot, correct the one test' };
    return { request_id, behavior: 'allow' };
  },
  async answer(request, signal) {
    await pause(signal);
    const answers = request.questions.map(({ id, options }) => {
      const option = options.find((o) => o.recommended) ?? options[0];
      if (!option) return { question_id: id, freeform_answer: 'Whatever you think best.' };
      return { question_id: id, selected_option_ids: [option.id] };
    });
    return { request_id: request.id, answers };
  },
});
