// Tests how text of agents is cut into what is shown as it is and what is spelled out.
// Covers: src/core/hidden-characters.ts
import { describe, expect, it } from 'vitest';
import { exact, hiddenCount, lookalikeCount, oneLine, prose } from '../../../web/src/text/visible.ts';

const shown = (segments: { text: string }[]) => segments.map((s) => s.text).join('');

describe('text of an agent', () => {
  it('has invisible characters spelled out', () => {
    expect(exact('rm \u202e-rf\u200b \u0007')).toEqual([
      { text: 'rm ' },
      { text: 'U+202E', mark: 'U+202E right-to-left override' },
      { text: '-rf' },
      { text: 'U+200B', mark: 'U+200B zero width space' },
      { text: ' ' },
      { text: 'U+0007', mark: 'U+0007' },
    ]);
    expect(hiddenCount('a\u00a0b\u{e0041}')).toBe(2);
    expect(hiddenCount('plain text\n\twith lines')).toBe(0);
  });

  it('keeps emoji, tabs and line breaks, and loses terminal colours in prose only', () => {
    for (const emoji of ['❤️\t\n', '👩‍👩‍👧', '🧑🏽‍🚀', '🏳️‍🌈']) expect(shown(exact(emoji))).toBe(emoji);
    expect(shown(exact('👩\u200drm'))).toBe('👩U+200Drm');
    expect(shown(prose('rm\u200d👩'))).toBe('rmU+200D👩');
    expect(shown(prose('\u001b[31mred\u001b[0m\r\nnext'))).toBe('red\nnext');
    expect(shown(exact('\u001b[31m'))).toBe('U+001B[31m');
    expect(oneLine(' a\n\n b\u202e ')).toBe('a bU+202E');
    expect(shown(exact('\ud800'))).toBe('\ufffd');
  });

  it('has long runs of blanks replaced by their length, so that nothing is pushed out of view', () => {
    expect(shown(exact(`ls${'\n'.repeat(60)}curl evil`))).toBe('ls⟨60 line ends⟩\ncurl evil');
    expect(shown(exact(`ls${' '.repeat(600)}; rm`))).toBe('ls⟨600 blanks⟩ ; rm');
    expect(shown(exact('a\n\n\nb    c'))).toBe('a\n\n\nb    c');
    expect(shown(exact('rm\ufe0f'))).toBe('rmU+FE0F');
  });

  it('has combining marks counted where a letter carries more than any script writes', () => {
    const tower = `e${'\u0301'.repeat(60)}cho`;
    expect(shown(exact(tower))).toBe(`e${'\u0301'.repeat(4)}⟨+56⟩cho`);
    expect(exact(tower)[1]?.mark).toBe('56 more marks on this letter');
    expect(hiddenCount(tower)).toBe(1);
    expect(oneLine(`a${'\u0489'.repeat(6)}`)).toBe(`a${'\u0489'.repeat(4)}⟨+2⟩`);
    for (const word of ['Việt Nam'.normalize('NFD'), 'กู้', 'שָׁלוֹם', 'हिन्दी', 'བསྒྲུབས'])
      expect(shown(exact(word))).toBe(word);
  });

  it('finding 21: has letters of another script marked where they pass for Latin ones', () => {
    expect(exact('pаypal')).toEqual([
      { text: 'p' },
      { text: 'а⟨Cyrillic⟩', mark: 'Cyrillic in a Latin word', isLookalike: true },
      { text: 'ypal' },
    ]);
    expect(lookalikeCount('сору pаypal')).toBe(2);
    expect(hiddenCount('сору pаypal')).toBe(0);
    expect(lookalikeCount('привет, мир')).toBe(0);
  });
});
