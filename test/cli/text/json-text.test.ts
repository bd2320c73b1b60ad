// JSON on standard output: the same values, safe to print.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../../src/cli/text/json-text.ts';
import { DANGEROUS, HOSTILE } from './hostile-text.ts';

describe('JSON output', () => {
  it('parses to the same value and contains nothing that acts on a terminal', () => {
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

  it('finding 21: escapes variation selectors and stacked marks', () => {
    expect(jsonText('deploy\ufe0f.sh')).toBe('"deploy\\ufe0f.sh"');
    expect(jsonText(`e${'\u0301'.repeat(5)}`)).toBe(`"e${'\u0301'.repeat(4)}\\u0301"`);
    expect(jsonText('☎️')).toBe('"☎️"');
  });
});
