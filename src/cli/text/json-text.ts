// Serialises JSON for standard output. Characters that a terminal could interpret or hide are escaped; JSON.stringify
// escapes the other control characters.
import { HIDDEN_IN_JSON } from '../../core/hidden-characters.ts';

const escaped = (text: string): string =>
  [...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** On one line, or indented. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(HIDDEN_IN_JSON, escaped);
