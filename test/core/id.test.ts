// Ids: they sort by time, one tool call has one ask id, and no two things share a name.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askIdOf, CHOSEN_ID, messageIdOf, sortableId } from '../../src/core/id.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const random = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('sortable ids', () => {
  it('sorts ids by their instants, whatever their random parts', () => {
    fc.assert(
      fc.property(instant, instant, random, random, (a, b, ra, rb) => {
        fc.pre(a !== b);
        expect(sortableId('run', a, ra) < sortableId('run', b, rb)).toBe(a < b);
      }),
    );
  });

  it('gives neighbouring milliseconds different prefixes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), random, (at, bytes) => {
        expect(sortableId('ses', at, bytes) < sortableId('ses', at + 1, new Uint8Array(16))).toBe(true);
      }),
    );
  });

  it('builds an id from a prefix and 26 plain characters that use every random byte', () => {
    fc.assert(
      fc.property(instant, random, fc.nat({ max: 15 }), (at, bytes, i) => {
        const id = sortableId('msg', at, bytes);
        expect(id).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(CHOSEN_ID.test(id)).toBe(true);
        const other = Uint8Array.from(bytes);
        other[i] = (bytes[i] ?? 0) ^ 1;
        expect(sortableId('msg', at, other)).not.toBe(id);
      }),
    );
  });
});

describe('ask ids', () => {
  const run = fc.tuple(instant, random).map(([at, bytes]) => sortableId('run', at, bytes));

  it('derives the same ask id from the same call, and another one from another call or run', () => {
    fc.assert(
      fc.property(run, run, fc.string(), fc.string(), (runA, runB, callA, callB) => {
        expect(askIdOf(runA, callA, hash)).toBe(askIdOf(runA, callA, hash));
        if (callA !== callB) expect(askIdOf(runA, callA, hash)).not.toBe(askIdOf(runA, callB, hash));
        if (runA !== runB) expect(askIdOf(runA, callA, hash)).not.toBe(askIdOf(runB, callA, hash));
        expect(askIdOf(runA, callA, hash)).not.toBe(askIdOf(`${runA}_parent`, callA, hash));
      }),
    );
  });

  it('derives an ask id that is safe in a path, whatever the tool call id', () => {
    fc.assert(
      fc.property(
        run,
        fc.string({ unit: fc.nat({ max: 0xffff }).map((c) => String.fromCharCode(c)) }),
        (runId, call) => {
          expect(askIdOf(runId, call, hash)).toMatch(/^ask_[A-Za-z0-9_]+$/);
        },
      ),
    );
  });

  it('derives the id of the message that carries the end of an ask', () => {
    expect(messageIdOf('ask_x_parent_1')).toBe('msg_x_parent_1');
    expect(messageIdOf('ask_a')).not.toBe(messageIdOf('ask_b'));
  });
});

describe('chosen ids', () => {
  it.each(['a', '0', 'A.b_c:d-e', 'x'.repeat(128)])('accepts the chosen id %s', (id) =>
    expect(CHOSEN_ID.test(id)).toBe(true),
  );
  it.each(['', '-a', '_a', '.', 'a b', 'a/b', 'a\n', 'ä', 'x'.repeat(129), '../a'])('refuses the chosen id %j', (id) =>
    expect(CHOSEN_ID.test(id)).toBe(false),
  );
});
