// Text that has to fit: whatever is cut, no character is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten, storable, truncate } from '../../src/core/text-limit.ts';

const texts = fc.string({ unit: 'grapheme-composite', maxLength: 60 });

describe('truncate', () => {
  it('leaves a text that fits as it is', () => expect(truncate('abc', 3)).toBe('abc'));

  it('ends with the mark where something was left out, within the limit', () => {
    expect([truncate('abcd', 3), truncate('abcd', 3, '')]).toEqual(['ab…', 'abc']);
  });

  it('never cuts a character in two', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, most) => {
        const kept = truncate(text, most);
        expect(kept.length).toBeLessThanOrEqual(most);
        expect(kept.isWellFormed()).toBe(true);
        expect(text.startsWith(kept.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});

it('shortens in the middle, and says how much was left out', () => {
  expect(shorten('0123456789', 4)).toBe('01\n[… 6 characters left out …]\n89');
  fc.assert(fc.property(texts, (text) => shorten(text, 5).isWellFormed()));
});

it('shows NUL and half characters by a sign, and nothing else', () => {
  expect(storable('a\0b\ud83e 🦀')).toBe('a␀b� 🦀');
  expect(storable(undefined)).toBeUndefined();
});
