// Names of authors: one spelling of what looks the same, nothing invisible, none of the server's own.
import { expect, it } from 'vitest';
import { hasInvisible, isReserved, lookOf, normalName } from '../../src/core/author-name.ts';

it('finding 9: stores one spelling of a name', () => {
  expect(normalName(' Ｊoséphine\u3000 Ö ')).toBe('Joséphine Ö');
});

it("finding 9: finds the server's own names in every disguise", () => {
  for (const name of [
    'system',
    'SYSTEM',
    'ѕystem',
    'sуѕтеm',
    'ｓystem',
    'sýstem',
    'Everyone',
    'policy:x',
    'Grant:1',
    'rule:a',
    'tok_1',
  ])
    expect([name, isReserved(name)]).toEqual([name, true]);
  for (const name of ['systems', 'Anna', 'Анна', '李', 'policy'])
    expect([name, isReserved(name)]).toEqual([name, false]);
});

it('finding 9: sees what cannot be seen', () => {
  for (const name of ['a\u200b', 'a\u00ad', '\u2060b', 'a\ufe0f', 'x\u202e', 'x\u0007', '\u{e0041}'])
    expect([name, hasInvisible(name)]).toEqual([name, true]);
  expect(['Anna Lee', 'Zoë', '李小龍', 'O’Brien'].some(hasInvisible)).toBe(false);
});

it('finding 9: takes names that look alike for one', () => {
  expect(lookOf('Аnnа')).toBe(lookOf('anna'));
  expect(lookOf('Anna')).not.toBe(lookOf('Hanna'));
});
