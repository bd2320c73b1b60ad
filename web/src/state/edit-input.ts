// Converts the input of an approval to text that can be edited, and back: a command as plain text, whatever other fields
// there are; any other input as JSON. Pure. An invalid text is refused with the position of the error.

export interface Editable {
  text: string;
  /** The field that is edited as plain text; undefined where the whole input is edited as JSON. */
  key: string | undefined;
}

type Input = Record<string, unknown>;

export function editable(input: Input): Editable {
  const { command } = input;
  if (typeof command === 'string') return { text: command, key: 'command' };
  return { text: JSON.stringify(input, undefined, 2), key: undefined };
}

export type Edited = { input: Input; problem?: undefined } | { input?: undefined; problem: string };

export function readEdit(text: string, original: Input): Edited {
  const { key } = editable(original);
  if (key !== undefined)
    return text.trim() === '' ? { problem: `The ${key} is empty.` } : { input: { ...original, [key]: text } };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'The input must be a JSON object: { … }.' };
    return { input: value as Input };
  } catch (error) {
    return { problem: `This is no JSON yet: ${withLine((error as Error).message, text)}` };
  }
}

/** Replaces the position in an engine's message by line and column. */
function withLine(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined || /line \d+/.test(message)) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message.replace(/ at position \d+.*/, '')} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
