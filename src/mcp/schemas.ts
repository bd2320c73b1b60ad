// What the tools tell a model about themselves: titles, descriptions, the JSON Schema of their arguments.
import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface Tool {
  title: string;
  description: string;
  inputSchema: JsonSchemaType;
  readOnly?: boolean;
}

const option = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'What the person reads' },
    value: { type: 'string', description: 'What comes back; the label unless given' },
    recommended: { type: 'boolean' },
  },
  required: ['label'],
} as const;

const question = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Your own short name for the question, unique' },
    question: { type: 'string', description: 'The question, as the person reads it; at most 4000 characters' },
    input_type: { type: 'string', enum: ['choice', 'text'], description: 'choice needs options' },
    options: { type: 'array', maxItems: 50, items: { anyOf: [{ type: 'string' }, option] } },
    multi_select: { type: 'boolean', description: 'Several options may be chosen' },
    required: { type: 'boolean', default: true },
    default: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    placeholder: { type: 'string' },
  },
} as const;

const questions = (required: readonly string[]): JsonSchemaType => ({
  type: 'object',
  properties: {
    questions: { type: 'array', minItems: 1, maxItems: 20, items: { ...question, required: [...required] } },
  },
  required: ['questions'],
});

export const FORM: Tool = {
  title: 'Display a form',
  description:
    'Shows a form to the person and ends your turn. Their answers arrive with the next message. Use it once, with all your questions, and call no other tool afterwards.',
  inputSchema: questions(['id', 'question']),
};

export const ASK_USER: Tool = {
  title: 'Ask the person',
  description:
    'Asks the person and waits for the answer. If it says "pending", nobody has answered yet: look again with check_answer.',
  inputSchema: questions(['question']),
};

export const REQUEST_APPROVAL: Tool = {
  title: 'Ask for approval',
  description:
    'Asks the person to allow an action before you do it, and waits. Act only if behavior is "allow", and then with updatedInput exactly. Anything else is a denial.',
  inputSchema: {
    type: 'object',
    properties: {
      tool_name: { type: 'string', description: 'What would be done, such as Bash' },
      input: { type: 'object', description: 'With what: the whole input, as it would be used' },
      reason: { type: 'string', description: 'Why it is needed' },
      tool_use_id: { type: 'string' },
    },
    required: ['tool_name', 'input'],
  },
};

export const CLARIFY: Tool = {
  title: 'Ask the parent session',
  description:
    'For a sub-agent: asks the session that started this one. Does not wait; look for the answer with check_answer.',
  inputSchema: questions(['question']),
};

export const CHECK_ANSWER: Tool = {
  title: 'Look for an answer',
  description: 'Says what became of something asked earlier. Waits up to wait_ms for it.',
  inputSchema: {
    type: 'object',
    properties: { ask_id: { type: 'string' }, wait_ms: { type: 'integer', minimum: 0 } },
    required: ['ask_id'],
  },
  readOnly: true,
};

export const PARENT_ASKED =
  'The parent was asked. Go on with other work, and call check_answer with this ask_id later.';

export const ApprovalArguments = z.looseObject({
  tool_name: z.string().trim().min(1).max(256),
  input: z.record(z.string(), z.unknown()),
  reason: z.string().max(20_000).optional(),
  tool_use_id: z.string().max(256).optional(),
});

export const CheckArguments = z.looseObject({
  ask_id: z.string().min(1).max(256),
  wait_ms: z.number().min(0).optional(),
});

export function problemsOf(error: z.ZodError, tool: string): string {
  const told = error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return `Nobody was asked. ${told.join('; ')}. Correct this and call ${tool} again.`;
}
