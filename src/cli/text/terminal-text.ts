// Text from elsewhere, made fit for a terminal: after this nothing in it can move the cursor, write to the clipboard,
// change colours, ring, hide or turn the reading direction. The only way by which text of agents reaches a terminal.
// Nothing is dropped silently, except colours in prose: what cannot be shown is spelled out.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
const COLOURS = /\u001b\[[0-9;:]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/**
 * C1 controls, line separators, and all that Unicode says is not shown: zero widths, joiners, fillers, tags, and what
 * turns the reading direction. The selectors that make a character an emoji or a text sign may stay.
 */
export const HIDDEN = /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\u0080-\u009f\u2028\u2029\ufff9-\ufffb]/gu;
/** Look like a blank and are none: harmless in prose, not in a command. */
const FALSE_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;

const named = (c: string): string => `<U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
/** ␛ for escape, ␀ for NUL, and so on. */
const picture = (c: string): string => (c === '\u007f' ? '␡' : String.fromCharCode(0x2400 + c.charCodeAt(0)));

const harmless = (text: string): string =>
  text.replaceAll('\t', '  ').replace(CONTROLS, picture).replace(HIDDEN, named).toWellFormed();

/** To the letter, for commands, inputs and diffs: every character that would not be seen is spelled out. */
export const exact = (text: string): string => harmless(text).replace(FALSE_BLANKS, named);

/** For what agents and people say: the same, but colours go and line ends of any system are line ends. */
export const prose = (text: string): string => harmless(text.replace(COLOURS, '').replace(/\r\n?/g, '\n'));

/** On one line, for labels, lists and names. */
export const oneLine = (text: string): string => prose(text).replace(/\s+/g, ' ').trim();
