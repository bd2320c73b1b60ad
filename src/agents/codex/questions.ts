// What Codex asks a person to tell it, as question sets: its own user-input requests, questions it asks without waiting,
// the tool for asking that we give it, and the forms of MCP servers; and what was answered in the shape each expects.
// Pure translation. A question that was not answered is said to be so; it never becomes a made-up answer.

import { z } from 'zod';
import type { AskOutcome } from '../../client/outcome.ts';
import type { AskSpec } from '../../client/spec.ts';
import type { QuestionInput } from '../../core/question.ts';
import type { FilledIn } from '../kit/elicitation.ts';
import { fittingText } from '../kit/fitting-text.ts';
import { contentOfForm } from '../wire/elicitation-form.ts';
import { turnOf } from './approvals.ts';
import { areTheAnswers, type ToldCall } from './delivery-evidence.ts';
import type { DynamicCall, Item, UserInput } from './protocol.ts';

export interface QuestionReply {
  result: unknown;
  /** For the model, beside the result: where the result itself cannot say it. */
  tell?: string | undefined;
}

export interface WantedQuestion {
  kind: 'question';
  id: string;
  spec: AskSpec;
  /** The call in whose result the model is told what was answered, where that is seen. */
  call?: ToldCall;
  /** `again`: what was answered cannot be taken, and why, in words for the person. */
  answer(outcome: AskOutcome): QuestionReply | { again: string };
}

/** How the person's words beside the options, and a choice of none of them, are told to the model by Codex itself. */
const NOTE = 'user_note: ';
const OTHER = 'None of the above';
const MOST_OPTIONS = 50;

export function userInput(asked: z.infer<typeof UserInput>): WantedQuestion {
  return {
    kind: 'question',
    id: asked.itemId + turnOf(asked.turnId),
    spec: { questions: asked.questions.map(questionOf) },
    call: { id: asked.itemId, isAnswer: areTheAnswers },
    answer(outcome) {
      if (outcome.status !== 'answered') return { result: { answers: {} }, tell: notAnswered(outcome) };
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
  const offered = options?.length ? optionsOf(options) : undefined;
  // A secret is typed, never chosen: what could have been chosen is told in words.
  if (isSecret)
    return {
      id,
      ...headerOf(header),
      question: [question, ...(offered ?? []).map((o) => `- ${o.label}`)].join('\n'),
      secret: true,
    };
  return { id, ...headerOf(header), question, ...(offered && { options: offered, allow_other: isOther ?? true }) };
}

const headerOf = (header: string | null | undefined) => (header ? { header: fittingText(header, 200) } : {});

function optionsOf(options: readonly { label: string; description?: string | null | undefined }[]) {
  const seen = new Set<string>();
  const fresh = options.filter(({ label }) => {
    const isNew = label.trim() !== '' && !seen.has(label.trim().toLowerCase());
    seen.add(label.trim().toLowerCase());
    return isNew;
  });
  return fresh.slice(0, MOST_OPTIONS).map(({ label, description }) => ({
    label,
    ...(description && { description }),
    ...(/\(recommended\)\s*$/i.test(label) && { recommended: true }),
  }));
}

/** Newer models ask without waiting: the questions are an item, the answer a message to the model. */
export function laterQuestion(item: Item, turnId: string): WantedQuestion | undefined {
  if (item.type !== 'agentMessage' || item.delivery !== 'async' || !item.questions?.length || !item.id)
    return undefined;
  const questions = item.questions.map(({ title, options }, i): QuestionInput => {
    const offered = options?.length ? optionsOf(options.map((label) => ({ label }))) : undefined;
    return { id: `question-${i + 1}`, question: title, ...(offered && { options: offered }) };
  });
  return {
    kind: 'question',
    id: item.id + turnOf(turnId),
    spec: { questions },
    answer: (outcome) => ({ result: undefined, tell: inWords(questions, outcome) }),
  };
}

export const ASK_TOOL = 'ask_user';
const AskArguments = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string().trim().min(1).max(20_000),
        header: z.string().max(200).optional(),
        options: z
          .array(
            z.looseObject({ label: z.string().trim().min(1).max(4000), description: z.string().max(4000).optional() }),
          )
          .optional(),
        multi_select: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(20),
});

/** A tool of ours, so that the model can ask in any mode. */
export const askTool = {
  type: 'function',
  name: ASK_TOOL,
  description:
    'Ask the person you work for one or more questions and wait for the answers. Use it when you need a decision, a preference or a fact that you cannot find out yourself. A question without options is answered in free text.',
  inputSchema: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            question: { type: 'string' },
            header: { type: 'string', description: 'A word or two, as a title' },
            options: {
              type: 'array',
              items: {
                type: 'object',
                properties: { label: { type: 'string' }, description: { type: 'string' } },
                required: ['label'],
              },
            },
            multi_select: { type: 'boolean' },
          },
          required: ['question'],
        },
      },
    },
    required: ['questions'],
  },
} as const;

/** Undefined: the model called it with something else, and is told so. */
export function askedByTool(call: z.infer<typeof DynamicCall>): WantedQuestion | undefined {
  const read = AskArguments.safeParse(call.arguments);
  if (!read.success) return undefined;
  const questions = read.data.questions.map(({ question, header, options, multi_select }, i): QuestionInput => {
    const offered = options?.length ? optionsOf(options) : undefined;
    return {
      id: `question-${i + 1}`,
      question,
      ...headerOf(header),
      ...(offered && { options: offered, multi_select }),
    };
  });
  return {
    kind: 'question',
    id: call.callId + turnOf(call.turnId),
    spec: { questions },
    answer: (outcome) => ({ result: toolResult(inWords(questions, outcome), outcome.status === 'answered') }),
  };
}

export const toolResult = (text: string, success: boolean) => ({
  contentItems: [{ type: 'inputText', text }],
  success,
});

export function formQuestion({ kind, spec, form }: FilledIn, id: string): WantedQuestion {
  return {
    kind,
    id,
    spec,
    answer(outcome) {
      if (outcome.status !== 'answered') return { result: { action: 'decline', content: null, _meta: null } };
      const content = contentOfForm(form, outcome);
      if (typeof content === 'string') return { again: content };
      return { result: { action: 'accept', content, _meta: null } };
    },
  };
}

/** The questions with what was said to each, for a reader who may have forgotten them. */
export function inWords(questions: readonly Pick<QuestionInput, 'id' | 'question'>[], outcome: AskOutcome): string {
  if (outcome.status !== 'answered') return notAnswered(outcome);
  const lines = questions.map(({ id, question }) => {
    const given = outcome.answers.find((answer) => answer.question_id === id);
    const said = given ? [...given.labels, ...(given.text ? [given.text] : [])].join('; ') : '(skipped)';
    return `${question}\n→ ${said}`;
  });
  return lines.join('\n');
}

export function notAnswered({ status, reason, justification }: Exclude<AskOutcome, { status: 'answered' }>): string {
  const why = justification ?? (reason === status ? undefined : reason);
  const what = status === 'declined' ? 'The person declined to answer' : `The question was not answered (${status})`;
  return `${what}${why ? `: ${why}` : ''}. Do not ask it again; go on without the answer, or say that you cannot.`;
}
