// Describes the tools to a model: titles, descriptions, JSON Schemas of arguments and results. A model reads all of it in
// every conversation, so the whole list stays below 1 000 tokens: the question schema is in one tool, the others name it.
import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { LONGEST_COMMENT } from '../core/activity.ts';
import { RaiseApproval } from '../core/bodies.ts';

export interface Tool {
  title: string;
  description: string;
  inputSchema: JsonSchemaType;
  outputSchema?: JsonSchemaType;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const expires_after_ms = { type: 'integer' } as const;

const option = {
  type: 'object',
  properties: {
    label: text,
    value: text,
    description: text,
    preview: text,
    recommended: flag,
  },
  required: ['label'],
} as const;

const question = {
  type: 'object',
  properties: {
    id: text,
    question: text,
    header: text,
    options: { type: 'array', maxItems: 50, items: { anyOf: [text, option] } },
    multi_select: flag,
    required: flag,
    allow_other: flag,
    default: text,
    placeholder: text,
    secret: { ...flag, description: 'A credential' },
  },
  required: ['question'],
} as const;

const asInAskUser = { type: 'array', items: { type: 'object' }, description: 'As in ask_user' } as const;

const resultOf = (properties: object = {}): JsonSchemaType =>
  ({
    type: 'object',
    properties: { ask_id: text, status: text, ...properties },
    required: ['status'],
  }) as JsonSchemaType;

const answers = {
  type: 'array',
  items: {
    type: 'object',
    properties: { question_id: text, values: { type: 'array', items: text }, text },
  },
} as const;

export const ASK_USER: Tool = {
  title: 'Ask the person',
  description:
    'Asks the person and waits up to 50 s. Without options an answer is free text; a value is returned instead of its label. If status is "pending", call check_answer.',
  inputSchema: {
    type: 'object',
    properties: {
      questions: { type: 'array', minItems: 1, maxItems: 20, items: question },
      context: text,
      expires_after_ms,
    },
    required: ['questions'],
  } as JsonSchemaType,
  outputSchema: resultOf({ answers }),
};

export const FORM: Tool = {
  title: 'Display a form',
  description:
    'Displays one form with all your questions, each with an id, and ends your turn. The answers arrive with the next message; if they do not, call check_answer.',
  inputSchema: {
    type: 'object',
    properties: { questions: asInAskUser, expires_after_ms },
    required: ['questions'],
  } as JsonSchemaType,
  outputSchema: resultOf(),
};

export const REQUEST_APPROVAL: Tool = {
  title: 'Ask for approval',
  description:
    'Asks the person to allow an action before you do it, and waits up to 50 s. Act only if behavior is "allow", and with updatedInput exactly; everything else is a denial. If status is "pending", call check_answer.',
  inputSchema: {
    type: 'object',
    properties: {
      tool_name: text,
      input: { type: 'object', description: 'The whole input of that tool' },
      reason: text,
      diff: text,
      work_folder: text,
      expires_after_ms,
      tool_use_id: text,
    },
    required: ['tool_name', 'input'],
  } as JsonSchemaType,
  // No output schema: as a permission prompt tool, its result may be a text only.
};

export const CLARIFY: Tool = {
  title: 'Ask the parent session',
  description: 'Asks the session that started this one. Does not wait: call check_answer later.',
  inputSchema: {
    type: 'object',
    properties: { questions: asInAskUser, expires_after_ms },
    required: ['questions'],
  } as JsonSchemaType,
  outputSchema: resultOf(),
};

export const CHECK_ANSWER: Tool = {
  title: 'Look for an answer',
  description:
    'Waits for what was asked earlier and returns it as the asking tool does. `reply` answers a comment of the person.',
  inputSchema: {
    type: 'object',
    properties: {
      ask_id: text,
      reply: text,
      wait_ms: { type: 'integer', minimum: 0, maximum: 50_000, default: 50_000 },
    },
    required: ['ask_id'],
  } as JsonSchemaType,
  outputSchema: resultOf(),
};

/** JSON inside a text, where a model wrote an object as one. */
const object = z.preprocess(
  (given) => {
    if (typeof given !== 'string') return given;
    try {
      return JSON.parse(given);
    } catch {
      return given;
    }
  },
  z.record(z.string(), z.unknown(), 'must be an object such as {"command": "ls"}'),
);

/** What an approval may say over the API, a model may say here. */
export const ApprovalArguments = z.object({
  ...RaiseApproval.omit({ kind: true, tool_call_id: true, mode: true, takes_comments: true, idempotency_key: true })
    .shape,
  input: object,
  tool_use_id: z.string().max(256).optional(),
});

export const Expiry = z.object(RaiseApproval.pick({ expires_at_ms: true, expires_after_ms: true }).shape);
export const QuestionArguments = Expiry.extend({ context: z.string().max(20_000).optional() });

export const CheckArguments = z.object({
  ask_id: z.string().trim().min(1).max(256),
  reply: z.string().trim().min(1).max(LONGEST_COMMENT).optional(),
  wait_ms: z.coerce.number().min(0).optional(),
});

export function problemsOf(error: z.ZodError, tool: string): string {
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return `${problems.join('; ')}. Correct this and call ${tool} again.`;
}
