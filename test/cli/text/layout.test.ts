// Fitting styled lines into terminal cells.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells, crop, lineCells, shortIds, wrap } from '../../../src/cli/text/layout.ts';
import { line, plain, span } from '../../../src/cli/text/spans.ts';

describe('layout', () => {
  const anyLine = fc
    .array(fc.string({ unit: fc.constantFrom('a', ' ', '日', 'é', '👍', '-', 'wide ') }), { maxLength: 6 })
    .map((texts) => line(...texts.map((text) => span(text, 'bold'))));

  it('wraps lines to the width and loses nothing but trailing blanks', () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 8, max: 50 }), fc.integer({ min: 0, max: 6 }), (of, width, indent) => {
        const lines = wrap(of, width, indent);
        for (const one of lines) expect(cells(plain(one).trimEnd())).toBeLessThanOrEqual(width);
        const solid = (text: string) => text.replaceAll(' ', '');
        expect(solid(lines.map(plain).join(''))).toBe(solid(plain(of)));
      }),
    );
  });

  it('wraps a megabyte, with and without blanks, and of zero-width characters', () => {
    for (const text of [
      'x'.repeat(1_000_000),
      'word '.repeat(200_000),
      `a${'\u0301'.repeat(1_000_000)}`,
      ' '.repeat(1_000_000),
    ]) {
      const lines = wrap(line(text), 40);
      expect(lines.map(plain).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });

  it('truncates lines to the width with an ellipsis', () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 1, max: 40 }), (of, width) => {
        const cut = crop(of, width);
        expect(lineCells(cut)).toBeLessThanOrEqual(width);
        if (lineCells(of) > width) expect(plain(cut).endsWith('…')).toBe(true);
        else expect(cut).toBe(of);
      }),
    );
  });

  it('shortens ids to unique suffixes', () => {
    const ids = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 8, maxLength: 12 }));
    fc.assert(
      fc.property(ids, (all) => {
        const short = shortIds(all);
        for (const [id, ending] of short) {
          expect(id.endsWith(ending)).toBe(true);
          // An id that is itself the end of another has no ending of its own: it is shown whole.
          if (all.some((other) => other !== id && other.endsWith(id))) {
            expect(ending).toBe(id);
            continue;
          }
          expect(all.filter((other) => other.endsWith(ending))).toEqual([id]);
        }
      }),
    );
  });
});
