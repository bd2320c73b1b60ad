// Escapes mentions in text that reaches an agent as a message of its user but was not written by them: what the agent asked
// or left for its next run, and the answers, which may repeat its words. An agent may read the file that `@path`
// mentions without asking. A message that a person writes is never escaped.

/** A mention begins where no letter or digit precedes the sign: e-mail addresses and versions are none. */
const MENTION = /(?<![\p{L}\p{N}])@/gu;

/** For prose, which may contain JSON made by `escapedJson`. */
export const escapeMentions = (text: string): string => text.replace(MENTION, '\\@');

/** JSON of exactly the same value. */
export const escapedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(MENTION, '\\u0040');
