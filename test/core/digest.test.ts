// Canonical JSON (RFC 8785) and digests: one text for one value, and no digest of one thing stands for another.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalContent } from '../../src/core/ask.ts';
import { approvalDigest, canonical, digestOf, payloadHash, questionDigest } from '../../src/core/digest.ts';
import { FIRST_PREV_HASH, hashInput } from '../../src/core/event.ts';
import { fingerprint, keyScope } from '../../src/core/idempotency.ts';
import { completeQuestions } from '../../src/core/question.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
/** Keeps the text, so that two digests are equal only if what was hashed is equal. */
const keepText = (text: string) => text;

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 code units, at every depth', () => {
    expect(canonical({ b: 1, a: { d: 1, c: 2 }, A: 0, '10': 1, '9': 1 })).toBe(
      '{"10":1,"9":1,"A":0,"a":{"c":2,"d":1},"b":1}',
    );
    // U+1F980 is written as the surrogates D83E DD80, which sort before U+FB01 although the code point is larger.
    expect(canonical({ '\uFB01': 1, '\u{1F980}': 2, é: 3, z: 4 })).toBe('{"z":4,"é":3,"\u{1F980}":2,"\uFB01":1}');
  });

  it('writes numbers as ECMAScript does', () => {
    expect(canonical([1.0, -0, 1e21, 1e-7, 0.1 + 0.2, 123456789012345680000, 5e-324, -1.5e300])).toBe(
      '[1,0,1e+21,1e-7,0.30000000000000004,123456789012345680000,5e-324,-1.5e+300]',
    );
  });

  it('escapes only what must be escaped, in lower case', () => {
    expect(canonical('\u0000\u001f\b\t\n\f\r"\\/\u007f\u2028€ß')).toBe(
      '"\\u0000\\u001f\\b\\t\\n\\f\\r\\"\\\\/\u007f\u2028€ß"',
    );
  });

  it('refuses numbers that JSON does not have', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => canonical({ value })).toThrow();
  });

  it('writes equal values as one text, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.boolean()), (value, coin) => {
        const text = canonical(value);
        expect(canonical(reordered(value, coin))).toBe(text);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(JSON.parse(canonical(JSON.parse(text)))));
        expect(canonical(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('writes different values as different texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonical(a) === canonical(b);
        expect(same).toBe(isSameJson(a, b));
      }),
    );
  });

  it('refuses an unpaired surrogate, which would hash as another text', () => {
    for (const text of ['\ud800', 'a\udc00', '\udc00\ud800'])
      for (const value of [text, [text], { [text]: 1 }]) expect(() => canonical(value)).toThrow();
    expect(canonical('\ud83e\udd80')).toBe('"\u{1F980}"');
  });

  it('leaves out undefined fields, as JSON does', () => {
    expect(canonical({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
    expect(canonical(undefined)).toBe('null');
  });
});

describe('digests', () => {
  const action: ApprovalContent = { tool_name: 'Bash', input: { command: 'ls' }, reason: 'r', scope: 'session' };

  it('covers tool, input and work folder in the digest of an action, and no other field', () => {
    const digest = approvalDigest(action, '/home', sha256);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      approvalDigest({ ...action, reason: 'other', scope: 'x', diff: 'd', suggestions: [1] }, '/home', sha256),
    ).toBe(digest);
    const others = [
      approvalDigest({ ...action, tool_name: 'Bash2' }, '/home', sha256),
      approvalDigest({ ...action, work_folder: '/home/sub' }, '/home', sha256),
      approvalDigest({ ...action, input: { command: 'ls ' } }, '/home', sha256),
      approvalDigest({ ...action, input: { command: 'ls', cwd: undefined, x: null } }, '/home', sha256),
      approvalDigest(action, '/home/', sha256),
      approvalDigest(action, undefined, sha256),
    ];
    expect(new Set([digest, ...others]).size).toBe(others.length + 1);
  });

  it('changes the digest of a question set with every visible character', () => {
    const digest = (label: string, question = 'Which?') =>
      questionDigest({ questions: completeQuestions([{ question, options: [{ label }] }]) }, sha256);
    expect(digest('Red')).toBe(digest('Red'));
    expect(new Set([digest('Red'), digest('red'), digest('Red', 'Which ?')]).size).toBe(3);
  });

  it('covers kind, mode and content in the hash of a payload', () => {
    const all = [
      payloadHash('approval', 'blocking', {}, sha256),
      payloadHash('question', 'blocking', {}, sha256),
      payloadHash('question', 'deferred', {}, sha256),
      payloadHash('question', 'deferred', { a: 1 }, sha256),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('never gives values of different kinds the same digest', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const word = fc.oneof(fc.string(), fc.constantFrom('approval', 'question', 'payload', 'key', 'request'));
    const input = fc.dictionary(word, value, { maxKeys: 3 });
    const kinds: fc.Arbitrary<{ kind: string; text: string }>[] = [
      fc
        .tuple(word, input, word)
        .map(([tool, arg, folder]) =>
          of('approval', approvalDigest({ ...action, tool_name: tool, input: arg }, folder, keepText)),
        ),
      fc.array(value).map((list) => of('question', questionDigest({ questions: list as never[] }, keepText))),
      fc
        .tuple(fc.constantFrom('approval' as const, 'question' as const), word, value)
        .map(([kind, mode, content]) => of('payload', payloadHash(kind, mode, content, keepText))),
      fc
        .tuple(word, fc.array(word), word)
        .map(([op, ids, key]) => of('key', `sha256:${keyScope(op, ids, key, keepText)}`)),
      fc
        .tuple(word, fc.array(word), value)
        .map(([op, ids, body]) => of('request', `sha256:${fingerprint(op, ids, body, keepText)}`)),
      fc
        .tuple(word, value)
        .map(([session, data]) => of('event', `sha256:${hashInput(event(session, canonical(data)))}`)),
    ];
    fc.assert(
      fc.property(fc.oneof(...kinds), fc.oneof(...kinds), (a, b) => {
        if (a.kind !== b.kind) expect(a.text).not.toBe(b.text);
      }),
      { numRuns: 500 },
    );
  });

  it('gives different kinds made of the same values different digests', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (a, b, c) => {
        const [x, y, z] = [a, b, c] as [never, never, never];
        const all = [
          approvalDigest({ ...action, tool_name: x, input: y }, z, keepText),
          questionDigest({ questions: [x, y, z] }, keepText),
          questionDigest({ questions: [x, y], context: z }, keepText),
          payloadHash(x, y, z, keepText),
          `sha256:${keyScope(x, y, z, keepText)}`,
          `sha256:${fingerprint(x, y, z, keepText)}`,
        ];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('includes the kind of the value in its digest', () => {
    expect(digestOf('a', 1, sha256)).not.toBe(digestOf('b', 1, sha256));
    expect(digestOf('a', [1], sha256)).not.toBe(digestOf('a', 1, sha256));
  });
});

const of = (kind: string, text: string) => ({ kind, text });

const event = (sessionId: string, data: string) => ({
  sessionSeq: 1,
  id: `evt_${sessionId}_1`,
  at: 1,
  sessionId,
  runId: undefined,
  askId: undefined,
  type: 'accepted' as const,
  data,
  prevHash: FIRST_PREV_HASH,
});

/** The same value with the keys of every object written in another order. */
function reordered(value: unknown, coin: fc.Stream<boolean>): unknown {
  if (Array.isArray(value)) return value.map((v) => reordered(v, coin));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([k, v]) => [k, reordered(v, coin)] as const);
  const shuffled: (readonly [string, unknown])[] = [];
  for (const entry of entries) {
    if (coin.next().value) shuffled.push(entry);
    else shuffled.unshift(entry);
  }
  return Object.fromEntries(shuffled);
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => isSameJson(v, b[i]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && isSameJson(a[k], b[k]));
  }
  return a === b;
}

const isObject = (v: unknown): v is Record<string, unknown> => v !== null && typeof v === 'object' && !Array.isArray(v);
