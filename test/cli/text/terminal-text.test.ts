// Sanitising text of agents for a terminal: nothing in it acts on the terminal, and nothing visible is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exact, oneLine, prose } from '../../../src/cli/text/terminal-text.ts';
import { DANGEROUS, HOSTILE } from './hostile-text.ts';

describe('sanitised text', () => {
  it.each(Object.entries(HOSTILE))('contains nothing that acts on a terminal: %s', (_, text) => {
    for (const made of [exact(text), prose(text), oneLine(text)]) expect(made).not.toMatch(DANGEROUS);
  });

  it('keeps every visible character of any text', () => {
    const anything = fc.string({
      unit: fc.oneof(fc.constantFrom(...Object.values(HOSTILE)), fc.string({ unit: 'binary' })),
    });
    fc.assert(
      fc.property(anything, (text) => {
        for (const made of [exact(text), prose(text), oneLine(text)]) expect(made).not.toMatch(DANGEROUS);
        const letters = (s: string) => s.replace(/[^a-zA-Z]/g, '').length;
        expect(letters(exact(text))).toBeGreaterThanOrEqual(letters(text));
      }),
    );
  });

  it('spells out characters that would not be seen', () => {
    expect(exact('\u001b[8mrm\u0000')).toBe('␛[8mrm␀');
    expect(exact('a\u202eb\u200bc\u009bd\u007f')).toBe('a<U+202E>b<U+200B>c<U+009B>d␡');
    expect(exact('rm\u00a0-rf')).toBe('rm<U+00A0>-rf');
    expect(prose('non\u00a0breaking')).toBe('non\u00a0breaking');
    expect(prose('\u001b[1;32mok\u001b[0m\r\nnext')).toBe('ok\nnext');
    expect(oneLine('  a\n\tb  ')).toBe('a b');
  });

  it('leaves ordinary text of any language unchanged', () => {
    for (const text of ['Grüße, 日本語, עברית, العربية', '👍 ✔︎ ☎️', 'naïve café']) expect(exact(text)).toBe(text);
  });

  it('takes linear time for a megabyte of escape sequences', () => {
    const worst = '\u001b['.repeat(250_000) + '\u202e'.repeat(250_000);
    expect(exact(worst)).not.toMatch(DANGEROUS);
    expect(prose(worst)).not.toMatch(DANGEROUS);
  });
});
