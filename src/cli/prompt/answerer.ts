// Who answers asks while a run is followed: the person at the terminal, or a script in the demo. Both answer through the
// public API.
import type { ApprovalResolution, QuestionResolution } from '../../core/answer.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../../core/views.ts';
import { promptApproval, promptQuestions, type Terminal } from './ask-prompt.ts';
import { waitForTypingPause } from './typing-guard.ts';

export interface Answerer {
  readonly isScripted: boolean;
  /** Undefined when the person left without a decision. */
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalResolution | undefined>;
  answer(request: UserQuestionRequest, signal: AbortSignal): Promise<QuestionResolution | undefined>;
}

export const terminalAnswerer = (terminal: Omit<Terminal, 'signal'>): Answerer => {
  const guarded = async <T>(signal: AbortSignal, prompt: (on: Terminal) => Promise<T | undefined>) => {
    const on = { ...terminal, signal };
    return (await waitForTypingPause(on)) ? prompt(on) : undefined;
  };
  return {
    isScripted: false,
    decide: (request, signal) => guarded(signal, (on) => promptApproval(request, on)),
    answer: (request, signal) => guarded(signal, (on) => promptQuestions(request, on)),
  };
};

const DESTRUCTIVE = /\brm\s+-rf?\b/;

/** Takes the recommended option, denies destructive commands and allows the rest, each after a pause. */
export const scriptedAnswerer = (pause: (signal: AbortSignal) => Promise<void>): Answerer => ({
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
