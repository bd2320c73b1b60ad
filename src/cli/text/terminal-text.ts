// Text from elsewhere, made fit for a terminal: after this nothing in it can move the cursor, write to the clipboard,
// change colours, ring, hide or turn the reading direction. The only way by which text of agents reaches a terminal.
// Nothing is dropped silently, except colours in prose: what cannot be shown is spelled out.
import { COLOURS, CONTROLS, codePoint, FALSE_BLANKS, HIDDEN, picture } from '../../client/hidden-characters.ts';

const named = (c: string): string => `<${codePoint(c)}>`;

const harmless = (text: string): string =>
  text.replaceAll('\t', '  ').replace(CONTROLS, picture).replace(HIDDEN, named).toWellFormed();

/** To the letter, for commands, inputs and diffs: every character that would not be seen is spelled out. */
export const exact = (text: string): string => harmless(text).replace(FALSE_BLANKS, named);

/** For what agents and people say: the same, but colours go and line ends of any system are line ends. */
export const prose = (text: string): string => harmless(text.replace(COLOURS, '').replace(/\r\n?/g, '\n'));

/** On one line, for labels, lists and names. */
export const oneLine = (text: string): string => prose(text).replace(/\s+/g, ' ').trim();
