// Patterns with `*`: what they match, what they could match, and that the time is linear.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, couldMatchGlob, escapeGlob, exactText, matchesGlob } from '../../src/core/glob.ts';

const matches = (pattern: string, text: string) => matchesGlob(compileGlob(pattern), text);

describe('matchesGlob', () => {
  it.each([
    ['a', 'a'],
    ['*', ''],
    ['*', 'anything\nat all'],
    ['a*', 'a'],
    ['*a', 'ba'],
    ['a*b*c', 'a-b-b-c'],
    ['**', 'x'],
    ['a**b', 'a-b'],
    ['*aab*', 'aaab'],
    ['*abab*ab', 'abababab'],
    ['\\*', '*'],
    ['a\\\\b', 'a\\b'],
    ['a?[b]{c}', 'a?[b]{c}'],
    ['mcp__*', 'mcp__x__y'],
  ])('%j matches %j', (pattern, text) => expect(matches(pattern, text)).toBe(true));

  it.each([
    ['a', 'ab'],
    ['a', 'A'],
    ['a*', 'ba'],
    ['a*a', 'a'],
    ['*ab*ab*', 'abb'],
    ['\\*', 'x'],
    ['a?', 'ab'],
    ['', 'x'],
  ])('%j does not match %j', (pattern, text) => expect(matches(pattern, text)).toBe(false));

  const small = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });

  it('agrees with a search over all ways to match', () => {
    const slow = (p: string, t: string): boolean =>
      p === ''
        ? t === ''
        : p[0] === '*'
          ? slow(p.slice(1), t) || (t !== '' && slow(p, t.slice(1)))
          : p[0] === t[0] && t !== '' && slow(p.slice(1), t.slice(1));
    fc.assert(
      fc.property(pattern, small, (p, t) => matches(p, t) === slow(p, t)),
      { numRuns: 2000 },
    );
  });

  it('matches an escaped text exactly', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(matches(escapeGlob(text), text)).toBe(true);
        expect(exactText(compileGlob(escapeGlob(text)))).toBe(text);
      }),
    );
  });

  it('could match wherever some text between two ends does', () => {
    fc.assert(
      fc.property(pattern, small, small, small, (p, before, middle, after) => {
        if (matches(p, before + middle + after)) expect(couldMatchGlob(compileGlob(p), before, after)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads each character of the text a bounded number of times', () => {
    // The classic input for backtracking: stars between equal letters, and no end that matches.
    const reads = (size: number): number => {
      let count = 0;
      const text = new Proxy(Object('a'.repeat(size)), {
        get(target, key) {
          if (key === 'charCodeAt') count += 1;
          const value = target[key];
          return typeof value === 'function' ? value.bind(String(target)) : value;
        },
      });
      matchesGlob(compileGlob(`*${'a'.repeat(50)}b*${'aab*'.repeat(20)}`), text);
      return count;
    };
    expect(reads(1000)).toBeGreaterThan(900);
    expect(reads(2000) / reads(1000)).toBeLessThan(2.1);
    expect(reads(4000) / reads(2000)).toBeLessThan(2.1);
  });
});
