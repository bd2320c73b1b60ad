// Text from elsewhere on its way to a terminal: nothing in it can act on the terminal, and nothing in it goes missing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalLines } from '../../../src/cli/text/ask-text.ts';
import { inputDiff, unifiedDiff } from '../../../src/cli/text/file-change.ts';
import { jsonLines, shellLines } from '../../../src/cli/text/highlight.ts';
import { jsonText } from '../../../src/cli/text/json-text.ts';
import { cells, crop, lineCells, shortIds, wrap } from '../../../src/cli/text/layout.ts';
import { hasColours, line, painter, plain, span } from '../../../src/cli/text/spans.ts';
import { exact, oneLine, prose } from '../../../src/cli/text/terminal-text.ts';

/** Control characters but the line feed; bidirectional and zero-width characters; tags. */
const DANGEROUS = /(?!\n)\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

const HOSTILE = {
  colours: '\u001b[31mred\u001b[0m',
  'hidden text': 'ls \u001b[8m; rm -rf ~\u001b[28m',
  'a title': '\u001b]0;pwned\u0007',
  'the clipboard': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'a link': '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  'a device string': '\u001bP+q544e\u001b\\',
  'cursor movement': 'good\u001b[2K\u001b[1Gevil',
  'C1 sequences': '\u009b31m\u009d52;c;x\u009c',
  'NUL and bell': 'a\u0000b\u0007c\u0008d',
  'a carriage return': 'rm -rf ~\rls      ',
  'bidirectional marks': 'a\u202egnirts\u202c \u2066x\u2069',
  'zero widths': 'r\u200bm\u2060 -rf\ufeff',
  tags: `x${'\u{e0041}\u{e0042}'}`,
  'an unfinished sequence': 'text\u001b[',
  'half a surrogate': 'a\ud800b',
  'line separators': 'a\u2028b\u2029c',
};

describe('text for the terminal', () => {
  it.each(Object.entries(HOSTILE))('%s does nothing there', (_, text) => {
    for (const made of [exact(text), prose(text), oneLine(text)]) expect(made).not.toMatch(DANGEROUS);
  });

  it('is harmless whatever it is, and keeps every visible character', () => {
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

  it('spells out what would not be seen', () => {
    expect(exact('\u001b[8mrm\u0000')).toBe('␛[8mrm␀');
    expect(exact('a\u202eb\u200bc\u009bd\u007f')).toBe('a<U+202E>b<U+200B>c<U+009B>d␡');
    expect(exact('rm\u00a0-rf')).toBe('rm<U+00A0>-rf');
    expect(prose('non\u00a0breaking')).toBe('non\u00a0breaking');
    expect(prose('\u001b[1;32mok\u001b[0m\r\nnext')).toBe('ok\nnext');
    expect(oneLine('  a\n\tb  ')).toBe('a b');
  });

  it('leaves ordinary text of any language as it is', () => {
    for (const text of ['Grüße, 日本語, עברית, العربية', '👍 ✔︎ ☎️', 'naïve café']) expect(exact(text)).toBe(text);
  });

  it('is made in time for a megabyte of the worst', () => {
    const worst = '\u001b['.repeat(250_000) + '\u202e'.repeat(250_000);
    expect(exact(worst)).not.toMatch(DANGEROUS);
    expect(prose(worst)).not.toMatch(DANGEROUS);
  });
});

describe('JSON for the terminal', () => {
  it('means the same and contains nothing that acts or hides', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.values(HOSTILE)), (value, hostile) => {
        const document = { value, hostile, [hostile]: 1 };
        for (const text of [jsonText(document), jsonText(document, 2)]) {
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
          expect(text).not.toMatch(DANGEROUS);
        }
      }),
    );
  });

  it('escapes C1 and bidirectional controls as \\uXXXX', () => {
    expect(jsonText('\u009b\u202e\u{e0041}')).toBe('"\\u009b\\u202e\\udb40\\udc41"');
  });
});

describe('lines', () => {
  const anyLine = fc
    .array(fc.string({ unit: fc.constantFrom('a', ' ', '日', 'é', '👍', '-', 'wide ') }), { maxLength: 6 })
    .map((texts) => line(...texts.map((text) => span(text, 'bold'))));

  it('are broken so that each fits and nothing is lost but blanks at the ends', () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 8, max: 50 }), fc.integer({ min: 0, max: 6 }), (of, width, indent) => {
        const lines = wrap(of, width, indent);
        for (const one of lines) expect(cells(plain(one).trimEnd())).toBeLessThanOrEqual(width);
        const solid = (text: string) => text.replaceAll(' ', '');
        expect(solid(lines.map(plain).join(''))).toBe(solid(plain(of)));
      }),
    );
  });

  it('of a megabyte are broken too, with and without blanks, also where nothing has a width', () => {
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

  it('are cut to fit, with an ellipsis', () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 1, max: 40 }), (of, width) => {
        const cut = crop(of, width);
        expect(lineCells(cut)).toBeLessThanOrEqual(width);
        if (lineCells(of) > width) expect(plain(cut).endsWith('…')).toBe(true);
        else expect(cut).toBe(of);
      }),
    );
  });

  it('have colours only where they are wanted', () => {
    expect(painter(true)(line(span('x', 'bad')))).toBe('\u001b[31mx\u001b[39m');
    expect(painter(false)(line(span('x', 'bad')))).toBe('x');
    expect(hasColours({}, true)).toBe(true);
    expect(hasColours({}, false)).toBe(false);
    expect(hasColours({ CI: '1' }, false)).toBe(false);
    expect(hasColours({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
    expect(hasColours({ TERM: 'dumb' }, true)).toBe(false);
    expect(hasColours({ FORCE_COLOR: '1' }, false)).toBe(true);
  });

  it('name ids by endings that tell them apart', () => {
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

describe('commands', () => {
  it('are highlighted without changing a letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab -\'"`$(){};&|<>\\#\n=~*'.split('')) }), (command) => {
        expect(shellLines(command).map(plain).join('\n')).toBe(exact(command));
      }),
    );
  });

  it('show programs, flags, strings, variables and what joins commands', () => {
    const styles = shellLines('FOO=1 git log --oneline "a b" $HOME && rm -rf ~ # all').flatMap((of) =>
      of.filter((s) => s.style !== 'plain').map((s) => [s.text, s.style]),
    );
    expect(styles).toEqual([
      ['FOO=1', 'variable'],
      ['git', 'program'],
      ['--oneline', 'flag'],
      ['"a b"', 'string'],
      ['$HOME', 'variable'],
      ['&&', 'operator'],
      ['rm', 'program'],
      ['-rf', 'flag'],
      ['# all', 'dim'],
    ]);
  });

  it('of a megabyte are still shown to the letter', () => {
    const command = `echo ${'"x" $y; '.repeat(130_000)}`;
    expect(shellLines(command).map(plain).join('\n')).toBe(command);
  });

  it('as JSON keep every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonLines(value).map(plain).join('\n')).toBe(exact(JSON.stringify(value, undefined, 2)));
      }),
    );
  });
});

describe('file changes', () => {
  const shown = (input: Record<string, unknown>) => inputDiff(input)?.lines.map(plain);

  it('are a diff of the old and new text, in every spelling of tools', () => {
    const expected = ['a.ts', ' one', '-two', '+three'];
    expect(shown({ file_path: 'a.ts', old_string: 'one\ntwo\n', new_string: 'one\nthree\n' })).toEqual(expected);
    expect(shown({ path: 'a.ts', old_str: 'one\ntwo\n', new_str: 'one\nthree\n' })).toEqual(expected);
    expect(shown({ path: 'a.ts', edits: [{ oldText: 'one\ntwo\n', newText: 'one\nthree\n' }] })).toEqual(expected);
    expect(shown({ file_path: 'a.ts', content: 'one\n' })).toEqual(['a.ts', '+one']);
    expect(shown({ command: 'ls' })).toBeUndefined();
    expect(shown({ path: 'a.ts', edits: [{ at: 3 }] })).toBeUndefined();
  });

  it('leave out what is far from any change, and say so', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const diff = shown({ path: 'a', old_str: lines.join('\n'), new_str: lines.with(15, 'changed').join('\n') });
    expect(diff?.filter((text) => /^[-+]/.test(text))).toEqual(['-line 15', '+changed']);
    expect(diff?.some((text) => text.startsWith('⋮ '))).toBe(true);
  });

  it('that would take too long to compare are shown whole', () => {
    const many = (word: string) => Array.from({ length: 4000 }, (_, i) => `${word} ${i}`).join('\n');
    const diff = shown({ path: 'a', old_str: many('old'), new_str: many('new') });
    expect(diff?.filter((text) => text.startsWith('-'))).toHaveLength(4000);
    expect(diff?.filter((text) => text.startsWith('+'))).toHaveLength(4000);
  });

  it('as sent by the agent are coloured, not believed', () => {
    const styles = unifiedDiff('--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\u001b[2J').map((of) => of[0]?.style);
    expect(styles).toEqual(['bold', 'bold', 'hunk', 'removed', 'added', 'plain']);
    expect(plain(unifiedDiff('+\u001b[2J')[0] ?? [])).toBe('+␛[2J');
  });
});

describe('an approval', () => {
  const ASKED = {
    id: 'ask_1',
    tool_call_id: 'c',
    tool_name: 'Bash',
    input: { command: 'ls' },
    scope: 's',
    reason: '',
    digest: 'd',
    created_at_ms: 2,
  };

  it('says what was decided before its agent was lost', () => {
    const earlier = {
      ask_id: 'ask_0',
      behavior: 'deny' as const,
      answered_by: 'lead',
      answered_at_ms: 1,
      reason: 'no',
    };
    const lines = approvalLines({ ...ASKED, earlier }, 80).map(plain);
    expect(lines).toContain('Before the worker was lost, lead denied this (no). Decide again.');
  });

  it('shows a long text of its input to the last line', () => {
    const plan = Array.from({ length: 3000 }, (_, n) => `${n + 1}. Make thing ${n + 1}.`);
    const asked = { ...ASKED, tool_name: 'ExitPlanMode', input: { plan: plan.join('\n') } };
    const lines = approvalLines(asked, 80).map((of) => plain(of).trim());
    expect(lines.filter((text) => text.startsWith('│ ')).map((text) => text.slice(2))).toEqual(plan);
  });
});
