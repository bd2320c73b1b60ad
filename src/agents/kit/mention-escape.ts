// Words that reach an agent as a message in its user's name and are not its user's message: what the agent itself had
// asked, or left for later, and what was answered to that; an answer may be the agent's own words too, such as a label or
// a text that was filled in beforehand. In such a message an agent may take `@path` for its user's wish to show it that
// file, and asks nobody. Owns that nothing in these words names anything. What a person writes as a message is no case.

/** A name begins where no letter or digit is before the sign: addresses and versions stay as they are. */
const NAMING = /(?<![\p{L}\p{N}])@/gu;

/** Prose, with JSON in it that was made by `literalJson`. */
export const literally = (text: string): string => text.replace(NAMING, '\\@');

/** The same value, to the letter. */
export const literalJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(NAMING, '\\u0040');
