// JSON that could be shown as something else than was sent: keys that occur twice, integers that a double cannot hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ambiguityIn, membersOf } from '../../src/core/json-ambiguity.ts';

/** May hold an integer beyond 2^53 - 1. */
const UNSAFE = /\d{16}/;
const ambiguity = (text: string) => ambiguityIn(text, membersOf(JSON.parse(text)));

describe('finding 23: ambiguous JSON', () => {
  it.each([
    ['{"command":"rm -rf /","command":"ls"}', 'command occurs twice'],
    ['{"a":{"b":[{},{"c":1,"\\u0063":2}]}}', 'a.b[1].c occurs twice'],
    ['{"a":1,"b":"a\\"","b" : 2}', 'b occurs twice'],
    ['[{"":1,"":1}]', '[0]. occurs twice'],
    ['{"a":{"id":9007199254740993}}', /^a\.id is 9007199254740993, an integer beyond 2\^53 - 1/],
    ['[0,[-9007199254740993]]', /^\[1\]\[0\] is -9007199254740993/],
    ['{"n":9007199254740993e0}', /^n is 9007199254740993e0/],
    ['{"n":90071992547409.93e2}', /^n is 90071992547409\.93e2/],
    ['12345678901234567890', /^the value is 12345678901234567890/],
  ])('is found in %s', (text, found) => {
    expect(ambiguity(text)).toMatch(found);
  });

  it.each([
    '{"a":{"x":1},"b":{"x":1}}',
    '[{"x":1},{"x":1}]',
    '{"a":"b","b":"a","c":["a","a"]}',
    '{"text":"{\\"a\\":1,\\"a\\":2} 9007199254740993"}',
    '{"n":[9007199254740991,-9007199254740991,1e20,1E+22,1.7976931348623157e308,0.30000000000000004,3.141592653589793238]}',
    '"a\\\\"',
    'null',
  ])('is not seen in %s', (text) => {
    expect(ambiguity(text)).toBeUndefined();
  });

  it('is not seen in what a program serialises, with any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!UNSAFE.test(text));
        expect(ambiguity(text)).toBeUndefined();
      }),
    );
  });

  it('is found wherever a member of an object is repeated', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(object, (value) => {
        const [key = '', member] = Object.entries(value)[0] ?? [];
        const text = JSON.stringify(value).slice(0, -1);
        fc.pre(!UNSAFE.test(text));
        expect(ambiguity(`${text},${JSON.stringify(key)}:${JSON.stringify(member)}}`)).toContain('occurs twice');
      }),
    );
  });

  it('is found in a number of half a megabyte as soon as in a short one', () => {
    const zeros = 500_000;
    const written = (last: string) => `{"n":1${'0'.repeat(zeros)}${last}e-${zeros - 17}}`;
    expect(ambiguity(written('1'))).toMatch(/^n is 1000/);
    expect(ambiguity(written('0'))).toBeUndefined();
  });

  it('is named with a path that stays short', () => {
    const key = 'k'.repeat(5000);
    expect(ambiguity(`{"${key}":1,"${key}":2}`)?.length).toBeLessThan(300);
  });
});
