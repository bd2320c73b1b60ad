// Translates what Codex asks a person to tell it into question sets: its user-input requests, questions of newer models
// that do not block the turn, the `ask_user` tool that this adapter gives to the model, and forms of MCP servers; and the
// answers into what each of them expects. Pure. An unanswered question is reported as such, never filled in.
import { z } from 'zod';
import type { AskOutcome } from '../../client/outcome.ts';
import type { AskSpec } from '../../client/spec.ts';
import { OptionInput, QuestionInput } from '../../core/question.ts';
import type { FilledIn } from '../kit/elicitation.ts';
import { headerOf, optionsOf } from '../kit/question-options.ts';
import { answerText, notAnsweredText } from '../kit/resume-message.ts';
import { contentOfForm } from '../wire/elicitation-form.ts';
import { type AnsweredCall, areTheAnswers } from './delivery-evidence.ts';
import { type DynamicCall, elicitationResponse, type Item, idInTurn, type UserInput } from './protocol.ts';

export interface QuestionResponse {
  result: unknown;
  /** For the model, where the result cannot carry it. */
  message?: string | undefined;
}

export interface QuestionAsk {
  kind: 'question';
  id: string;
  spec: AskSpec;
  /** The call whose output tells the model the answers, where there is one. */
  call?: AnsweredCall;
  /** `invalid`: why the answers cannot be used, for the person who is asked again. */
  responseTo(outcome: AskOutcome): QuestionResponse | { invalid: string };
}

/** How Codex itself reports a person's own text beside the options, and a choice of none of them. */
const NOTE = 'user_note: ';
const OTHER = 'None of the above';

export function userInput(asked: z.infer<typeof UserInput>): QuestionAsk {
  return {
    kind: 'question',
    id: idInTurn(asked.itemId, asked.turnId),
    spec: { questions: asked.questions.map(questionOf) },
    call: { id: asked.itemId, isAnswer: areTheAnswers },
    responseTo(outcome) {
      if (outcome.status !== 'answered') return { result: { answers: {} }, message: notAnsweredText(outcome) };
      const answers = outcome.answers.map(({ question_id, labels, text }) => {
        const hasOptions = (asked.questions.find(({ id }) => id === question_id)?.options ?? []).length > 0;
        const chosen = labels.length === 0 && hasOptions ? [OTHER] : labels;
        return [question_id, { answers: text ? [...chosen, NOTE + text] : chosen }];
      });
      return { result: { answers: Object.fromEntries(answers) } };
    },
  };
}

type Asked = z.infer<typeof UserInput>['questions'][number];

function questionOf({ id, header, question, isOther, isSecret, options }: Asked): QuestionInput {
  const offered = optionsOf(options);
  // A secret is typed, never chosen: its options become part of the question.
  if (isSecret) {
    const text = [question, ...(offered ?? []).map(({ label }) => `- ${label}`)].join('\n');
    return { id, ...headerOf(header), question: text, secret: true };
  }
  return { id, ...headerOf(header), question, ...(offered && { options: offered, allow_other: isOther ?? true }) };
}

/** `request_user_input_async`: the questions are a completed item, and the answer is a message to the model. */
export function asyncQuestion(item: Item, turnId: string): QuestionAsk | undefined {
  if (item.type !== 'agentMessage' || item.delivery !== 'async' || !item.questions?.length || !item.id)
    return undefined;
  const questions = item.questions.map(({ title, options }, i) => {
    const offered = optionsOf(options?.map((label) => ({ label })));
    return { id: `question-${i + 1}`, question: title, ...(offered && { options: offered }) };
  });
  return {
    kind: 'question',
    id: idInTurn(item.id, turnId),
    spec: { questions },
    responseTo: (outcome) => ({ result: undefined, message: answersText(questions, outcome) }),
  };
}

export const ASK_TOOL = 'ask_user';
const AskedOption = OptionInput.pick({ label: true, description: true }).loose();
const AskedQuestion = QuestionInput.pick({ question: true, header: true, multi_select: true })
  .extend({ options: z.array(AskedOption).optional() })
  .loose();
const AskArguments = z.looseObject({ questions: z.array(AskedQuestion).min(1).max(20) });

const string = { type: 'string' } as const;
const ASK_OPTION = { type: 'object', properties: { label: string, description: string }, required: ['label'] };
const ASK_QUESTION = {
  type: 'object',
  properties: {
    question: string,
    header: { ...string, description: 'A word or two, as a title' },
    options: { type: 'array', items: ASK_OPTION },
    multi_select: { type: 'boolean' },
  },
  required: ['question'],
};

/** A dynamic tool, so that the model can ask in any mode. */
export const askTool = {
  type: 'function',
  name: ASK_TOOL,
  description:
    'Ask the person you work for one or more questions and wait for the answers. Use it when you need a decision, a preference or a fact that you cannot find out yourself. A question without options is answered in free text.',
  inputSchema: {
    type: 'object',
    properties: { questions: { type: 'array', minItems: 1, items: ASK_QUESTION } },
    required: ['questions'],
  },
};

/** Undefined if the arguments do not fit its schema. */
export function askToolQuestion(call: z.infer<typeof DynamicCall>): QuestionAsk | undefined {
  const read = AskArguments.safeParse(call.arguments);
  if (!read.success) return undefined;
  const questions = read.data.questions.map(({ question, header, options, multi_select }, i) => {
    const offered = optionsOf(options);
    const choice = offered && { options: offered, multi_select };
    return { id: `question-${i + 1}`, question, ...headerOf(header), ...choice };
  });
  return {
    kind: 'question',
    id: idInTurn(call.callId, call.turnId),
    spec: { questions },
    responseTo: (outcome) => ({ result: toolResult(answersText(questions, outcome), outcome.status === 'answered') }),
  };
}

export const toolResult = (text: string, success: boolean) => ({
  contentItems: [{ type: 'inputText', text }],
  success,
});

export function formQuestion({ kind, spec, form }: FilledIn, id: string): QuestionAsk {
  return {
    kind,
    id,
    spec,
    responseTo(outcome) {
      if (outcome.status !== 'answered') return { result: elicitationResponse(null) };
      const content = contentOfForm(form, outcome);
      return typeof content === 'string' ? { invalid: content } : { result: elicitationResponse(content) };
    },
  };
}

/** Repeats each question: the model may no longer have them in sight. */
function answersText(questions: readonly { id: string; question: string }[], outcome: AskOutcome): string {
  if (outcome.status !== 'answered') return notAnsweredText(outcome);
  return questions.map(({ id, question }) => `${question}\n→ ${answerText(outcome.answers, id)}`).join('\n');
}
