// Sanitises text of agents and people for a terminal: afterwards it contains no escape sequence, control, invisible or
// bidirectional character. All such text must pass through here. Nothing is dropped silently, except colours in prose:
// every other character that cannot be shown is spelled out.
import { exactSegments, proseSegments, spelledOut } from '../../core/hidden-characters.ts';

const withoutTabs = (text: string): string => text.replaceAll('\t', '  ');

/** Verbatim, for commands, inputs and diffs: every character that would not be seen is spelled out. */
export const exact = (text: string): string => withoutTabs(spelledOut(exactSegments(text)));

/** For prose: without colours, and with line ends of any system as line feeds. */
export const prose = (text: string): string => withoutTabs(spelledOut(proseSegments(text)));

/** On one line, for labels, lists and names. */
export const oneLine = (text: string): string => prose(text).replace(/\s+/g, ' ').trim();
