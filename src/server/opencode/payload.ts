// Reads the bodies and ids of OpenCode's calls, and refuses wrong ones with the texts of OpenCode's own server.
import { badRequest } from './errors.ts';
import { PERMISSION_REPLIES, type PermissionReply } from './protocol.ts';

export function requestIdIn(id: string, prefix: 'per' | 'que'): string {
  if (!id.startsWith(prefix))
    throw badRequest(
      `Expected a string starting with "${prefix}", got ${JSON.stringify(id)}\n  at ["requestID"]`,
      'Params',
    );
  return id;
}

export function objectIn(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw badRequest(`Expected object, got ${textOf(body)}`);
}

export function replyIn(body: Record<string, unknown>, field: 'reply' | 'response'): PermissionReply {
  const given = body[field];
  const reply = PERMISSION_REPLIES.find((one) => one === given);
  if (reply) return reply;
  const expected = PERMISSION_REPLIES.map((one) => `"${one}"`).join(' | ');
  throw badRequest(`Expected ${expected}, got ${textOf(given)}\n  at ["${field}"]`);
}

export function messageIn({ message }: Record<string, unknown>): string | undefined {
  if (message === undefined || typeof message === 'string') return message;
  throw badRequest(`Expected string | undefined, got ${textOf(message)}\n  at ["message"]`);
}

export function answersIn({ answers }: Record<string, unknown>): string[][] {
  if (!Array.isArray(answers)) throw badRequest(`Expected array, got ${textOf(answers)}\n  at ["answers"]`);
  for (const [i, answer] of answers.entries()) {
    if (!Array.isArray(answer)) throw badRequest(`Expected array, got ${textOf(answer)}\n  at ["answers"][${i}]`);
    const wrong = answer.findIndex((text) => typeof text !== 'string');
    if (wrong >= 0) throw badRequest(`Expected string, got ${textOf(answer[wrong])}\n  at ["answers"][${i}][${wrong}]`);
  }
  return answers as string[][];
}

const LONGEST_QUOTE = 200;
const textOf = (value: unknown): string =>
  value === undefined ? 'undefined' : JSON.stringify(value).slice(0, LONGEST_QUOTE);
