// Splits text of agents into what can be shown as it is and marks for what would deceive the reader. Pure.
import { exactSegments, proseSegments, type Segment } from '../../../src/core/hidden-characters.ts';

export type { Segment };

/** To the letter, for commands, inputs and diffs. */
export const exact = (text: string): Segment[] => exactSegments(text).map(spelled);

/** For what agents and people say: terminal colours are removed, line ends normalised. */
export const prose = (text: string): Segment[] => proseSegments(text).map(spelled);

/** The pictures of control characters, such as that of escape, are in few fonts: a page names the character instead. */
const spelled = (segment: Segment): Segment =>
  segment.mark !== undefined && segment.text.length === 1
    ? { ...segment, text: segment.mark.split(' ', 1)[0] ?? '' }
    : segment;

/** On one line, for lists and titles. */
export const oneLine = (text: string): string =>
  prose(text)
    .map((segment) => segment.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

export const hiddenCount = (text: string): number => marksOf(text).filter((segment) => !segment.isLookalike).length;
export const lookalikeCount = (text: string): number => marksOf(text).filter((segment) => segment.isLookalike).length;

const marksOf = (text: string): Segment[] => exact(text).filter((segment) => segment.mark !== undefined);
