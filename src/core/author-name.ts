// Normalises the names by which tokens sign, so that two names that look the same are the same, and refuses those by which
// the server signs itself.

/** Authors of what is decided without a token, whom a route of notices means with it, and what a token's id looks like. */
const RESERVED = /^(?:system$|everyone$|(?:policy|grant|rule|delegate):|tok_)/;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cn}\p{Co}]/u;
const MARKS = /\p{M}/gu;

/** Letters of other scripts that look like these Latin ones. */
const LOOKALIKES: readonly [latin: string, others: string][] = [
  ['a', 'аα'],
  ['c', 'сϲ'],
  ['d', 'ԁ'],
  ['e', 'еєε'],
  ['g', 'ɡ'],
  ['i', 'іιı'],
  ['l', 'ӏ'],
  ['m', 'мϻ'],
  ['n', 'п'],
  ['o', 'оοσ'],
  ['p', 'рρ'],
  ['r', 'г'],
  ['s', 'ѕꜱ'],
  ['t', 'тτ'],
  ['u', 'υ'],
  ['y', 'уүγ'],
];
const LATIN = new Map(LOOKALIKES.flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));

/** As it is stored and shown. */
export const normalName = (name: string): string => name.normalize('NFKC').trim().replace(/\s+/gu, ' ');

export const hasInvisible = (name: string): boolean => INVISIBLE.test(name);

/** What a person takes it for: two names with the same look are one name. */
export function lookOf(name: string): string {
  const plain = normalName(name).normalize('NFKD').replace(MARKS, '').toLowerCase();
  return [...plain].map((letter) => LATIN.get(letter) ?? letter).join('');
}

export const isReserved = (name: string): boolean => RESERVED.test(lookOf(name));
