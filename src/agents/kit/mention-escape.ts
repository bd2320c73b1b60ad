// Escapes `@path` mentions in text that an agent gets as a user message but the user did not write (questions, answers,
// stored state): an agent may read a mentioned file without asking. Messages that a person writes are never escaped.

/** A mention begins where no letter or digit precedes the sign: e-mail addresses and versions are none. */
const MENTION = /(?<![\p{L}\p{N}])@/gu;

/** For prose, which may contain JSON made by `escapedJson`. */
export const escapeMentions = (text: string): string => text.replace(MENTION, '\\@');

/** JSON of exactly the same value. */
export const escapedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(MENTION, '\\u0040');
