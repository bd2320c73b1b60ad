// Fits text into the limits of the server: truncates it at its end or in the middle, at character boundaries, and replaces
// characters that no database stores. Never used for content that a person decides about: that is shown in full.

/** How much of one output of an agent is kept. */
export const SAID_CHARACTERS = 150_000;

const HALF_AT_END = /[\ud800-\udbff]$/;
const HALF_AT_START = /^[\udc00-\udfff]/;

/** The beginning, at most so many code units, and `mark` where more followed. */
export function truncate(text: string, most: number, mark = '…'): string {
  if (text.length <= most) return text;
  return text.slice(0, most - mark.length).replace(HALF_AT_END, '') + mark;
}

/** The beginning and the end, about so many code units together, and between them the number of omitted ones. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const head = text.slice(0, half).replace(HALF_AT_END, '');
  const tail = text.slice(-half).replace(HALF_AT_START, '');
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** With ␀ for NUL and � for half of a character, which the server refuses. */
export const storable = <T extends string | undefined>(text: T): T => text?.replaceAll('\0', '␀').toWellFormed() as T;
