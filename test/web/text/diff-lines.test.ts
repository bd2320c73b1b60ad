// Tests how a change of a file becomes lines with numbers.
// Covers: web/src/text/compare-texts.ts
import { describe, expect, it } from 'vitest';
import { blocksOfChange } from '../../../web/src/text/compare-texts.ts';
import { blocksOfPatch, firstLines, sideBySide } from '../../../web/src/text/diff-lines.ts';

describe('a change of a file', () => {
  it('is computed from two texts as lines with their numbers', () => {
    const [block] = blocksOfChange({ before: 'a\nb\nc\n', after: 'a\nB\nc\n' });
    expect(block?.lines).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'removed', text: 'b', before: 2, after: undefined },
      { kind: 'added', text: 'B', before: undefined, after: 2 },
      { kind: 'same', text: 'c', before: 3, after: 3 },
    ]);
    expect(sideBySide(block?.lines ?? []).map(([l, r]) => [l?.text, r?.text])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', 'c'],
    ]);
  });

  it('is read from a unified diff, also where its lines look like file headers', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- was a list\n+++ is a list\n same\nafterwards';
    const blocks = blocksOfPatch(patch);
    expect(blocks.map((b) => b.lines.map((l) => [l.kind, l.text]))).toEqual([
      [
        ['note', '--- a/x'],
        ['note', '+++ b/x'],
      ],
      [
        ['removed', '-- was a list'],
        ['added', '++ is a list'],
        ['same', 'same'],
      ],
      [['note', 'afterwards']],
    ]);
    expect(blocksOfPatch('no diff at all')).toEqual([{ head: '', lines: [{ kind: 'note', text: 'no diff at all' }] }]);
  });

  it('is truncated after so many lines, and the rest is counted', () => {
    const blocks = blocksOfChange({ before: '', after: 'a\nb\nc\nd\n' });
    expect(firstLines(blocks, 3)).toMatchObject({
      blocks: [{ lines: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }],
      left: 1,
    });
    expect(firstLines(blocks, Number.POSITIVE_INFINITY)).toEqual({ blocks, left: 0 });
  });

  it('is shown as both texts where comparing them would take too long', () => {
    const lines = (seed: number) => Array.from({ length: 20_000 }, (_, i) => (i * seed) % 9973).join('\n');
    const [block] = blocksOfChange({ before: lines(7), after: lines(13) });
    expect(block?.lines.length).toBe(40_000);
  });
});
