// Idempotency keys: what a usable key is, what it is scoped by, and what makes two requests the same.

import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkKey, fingerprint, KEY_TTL_MS, keyScope } from '../../src/core/idempotency.ts';

const check = (key: string) => checkKey(key, Buffer.byteLength(key))?.code;
const keepText = (text: string) => text;

describe('an idempotency key', () => {
  it('accepts a key of 1 to 256 bytes, counted as bytes', () => {
    expect(check('')).toBe('invalid_idempotency_key');
    expect(check('k')).toBeUndefined();
    expect(check('k'.repeat(256))).toBeUndefined();
    expect(check('k'.repeat(257))).toBe('invalid_idempotency_key');
    expect(check('é'.repeat(128))).toBeUndefined();
    expect(check('é'.repeat(129))).toBe('invalid_idempotency_key');
  });

  it('refuses a key with a C0 or C1 control character anywhere', () => {
    const controls = [...Array(0x20).keys(), ...[...Array(0x21).keys()].map((i) => 0x7f + i)];
    for (const code of controls) {
      const c = String.fromCharCode(code);
      for (const key of [c, `a${c}`, `${c}a`, `a${c}b`])
        expect([code, check(key)]).toEqual([code, 'invalid_idempotency_key']);
    }
    for (const key of [' ', 'a b', '\u00a0', '🦀', '"\\/']) expect(check(key)).toBeUndefined();
  });

  it('keeps a key for seven days', () => {
    expect(KEY_TTL_MS).toBe(7 * 24 * 3600 * 1000);
  });
});

describe('scope and fingerprint', () => {
  const word = fc.string({ maxLength: 8 });
  const request = fc.tuple(word, fc.array(word, { maxLength: 3 }), word);

  it('scopes a key by operation, path ids and key, without ambiguity between them', () => {
    fc.assert(
      fc.property(request, request, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        expect(keyScope(a[0], a[1], a[2], keepText) === keyScope(b[0], b[1], b[2], keepText)).toBe(same);
      }),
    );
    expect(keyScope('op', ['a', 'b'], 'k', keepText)).not.toBe(keyScope('op', ['a'], 'bk', keepText));
    expect(keyScope('op', ['a'], 'k', keepText)).not.toBe(keyScope('op', ['b'], 'k', keepText));
  });

  it('fingerprints a request by its content, not by the order of its fields', () => {
    fc.assert(
      fc.property(fc.dictionary(word, fc.jsonValue(), { minKeys: 2, maxKeys: 4 }), (body) => {
        const turned = Object.fromEntries(Object.entries(body).reverse());
        expect(fingerprint('op', ['x'], turned, keepText)).toBe(fingerprint('op', ['x'], body, keepText));
        const [first = ''] = Object.keys(body);
        const changed = { ...body, [first]: [body[first]] };
        expect(fingerprint('op', ['x'], changed, keepText)).not.toBe(fingerprint('op', ['x'], body, keepText));
      }),
    );
  });

  it('fingerprints a request differently for another operation or path', () => {
    const all = [
      fingerprint('a', ['x'], {}, keepText),
      fingerprint('b', ['x'], {}, keepText),
      fingerprint('a', ['y'], {}, keepText),
    ];
    expect(new Set(all).size).toBe(3);
  });
});
