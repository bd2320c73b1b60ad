// Compares two texts into lines with numbers. Pure. Where comparing would take too long, both are shown whole. The library
// that compares is loaded with the first change, so nothing that every card needs may import this.
import { structuredPatch } from 'diff';
import { type DiffBlock, type DiffLine, kindOf } from './diff-lines.ts';

const COMPARE_TIMEOUT_MS = 200;
const MAX_EDITS = 2000;
const CONTEXT_LINES = 3;

export function blocksOfChange(change: { before: string; after: string }): DiffBlock[] {
  // Two passages that both end within a line differ in no line end, and nothing is known of the file's.
  const isWithinLine = change.before !== '' && ![change.before, change.after].some((text) => text.endsWith('\n'));
  const [before, after] = [change.before, change.after].map((text) => (isWithinLine ? `${text}\n` : text)) as [
    string,
    string,
  ];
  const options = { context: CONTEXT_LINES, timeout: COMPARE_TIMEOUT_MS, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (!patch) return [{ head: '', lines: [...whole(before, 'removed'), ...whole(after, 'added')] }];
  return patch.hunks.map(({ oldStart, newStart, lines }, i) => ({
    head: i === 0 ? '' : `… line ${newStart}`,
    lines: numbered(lines, oldStart, newStart),
  }));
}

const whole = (text: string, kind: 'added' | 'removed'): DiffLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => ({ kind, text: line, [kind === 'added' ? 'after' : 'before']: i + 1 }));

function numbered(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  let before = oldStart;
  let after = newStart;
  return lines.map((line): DiffLine => {
    const kind = kindOf(line);
    return {
      kind,
      text: kind === 'note' ? line : line.slice(1),
      before: kind === 'removed' || kind === 'same' ? before++ : undefined,
      after: kind === 'added' || kind === 'same' ? after++ : undefined,
    };
  });
}
