// Converts the input of an approval to text that can be edited, and back: a command, the text of a file or a plan as plain
// text, whatever other fields there are; any other input as JSON. Pure. An invalid text is refused with the position of
// the error.

import { withoutHidden } from '../../../src/core/hidden-characters.ts';

export interface Editable {
  text: string;
  /** The field that is edited as plain text; undefined where the whole input is edited as JSON. */
  key: string | undefined;
}

type Input = Record<string, unknown>;

export function editable(input: Input): Editable {
  const key = TEXTS.find((name) => typeof input[name] === 'string');
  if (key !== undefined) return { text: String(input[key]), key };
  return { text: JSON.stringify(input, undefined, 2), key: undefined };
}

/** Fields that hold what a call is about, the most telling first. */
const TEXTS = ['command', 'new_string', 'new_str', 'content', 'plan'];
/** An empty one would do something else than what was asked: remove the passage, or empty the file. */
const NAMES: Record<string, string> = {
  command: 'command',
  new_string: 'replacement',
  new_str: 'replacement',
  content: 'content',
  plan: 'plan',
};

export const editLabel = (key: string | undefined): string =>
  key === undefined ? 'Edit input (JSON)' : `Edit ${NAMES[key] ?? key}`;

export type Edited = { input: Input; problem?: undefined } | { input?: undefined; problem: string };

export function readEdit(text: string, original: Input): Edited {
  const { key, text: before } = editable(original);
  // No field shows them, and no difference: an edit has none, wherever it comes from.
  if (text !== before && withoutHidden(text) !== text)
    return { problem: 'Your edit contains hidden characters. Remove them to allow it.' };
  if (key !== undefined)
    return text.trim() === '' && original[key] !== text
      ? { problem: `The ${NAMES[key] ?? key} is empty.` }
      : { input: { ...original, [key]: text } };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'The input must be a JSON object: { … }.' };
    return { input: value as Input };
  } catch (error) {
    return { problem: `Invalid JSON: ${withLine((error as Error).message, text)}` };
  }
}

/** Replaces the position in an engine's message by line and column. */
function withLine(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined || /line \d+/.test(message)) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message.replace(/ at position \d+.*/, '')} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
