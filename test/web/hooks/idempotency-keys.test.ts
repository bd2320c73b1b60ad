// Tests the idempotency keys of requests without a reply. Two objects on one storage stand for two loads of the page.
import { expect, it } from 'vitest';
import { idempotencyKeys } from '../../../web/src/hooks/idempotency-keys.ts';

function storage(room = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    key: (i) => [...items.keys()][i] ?? null,
    getItem: (name) => items.get(name) ?? null,
    removeItem: (name) => void items.delete(name),
    setItem(name, value) {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
      items.set(name, value);
    },
  };
}

it('gives the same content the same key until a reply was received, also after a reload', () => {
  const kept = storage();
  const before = idempotencyKeys('composer', kept);
  const [first, other] = [before.keyFor('"go on"'), before.keyFor('"stop"')];
  expect(other).not.toBe(first);
  const after = idempotencyKeys('composer', kept);
  expect(after.has('"go on"')).toBe(true);
  expect(after.has('"go on!"')).toBe(false);
  expect([after.keyFor('"go on"'), after.keyFor('"stop"')]).toEqual([first, other]);
  expect(idempotencyKeys('elsewhere', kept).keyFor('"go on"')).not.toBe(first);
  after.clear();
  expect(after.has('"go on"')).toBe(false);
  expect(idempotencyKeys('composer', kept).keyFor('"go on"')).not.toBe(first);
});

it('writes nothing to storage without a scope, for secrets', () => {
  const kept = storage();
  const keys = idempotencyKeys(undefined, kept);
  expect(keys.keyFor('"hunter2"')).toBe(keys.keyFor('"hunter2"'));
  expect(kept.length).toBe(0);
  expect(idempotencyKeys(undefined, kept).has('"hunter2"')).toBe(false);
});

it('keeps a key until the page is left when the storage is full', () => {
  const kept = storage(10);
  const keys = idempotencyKeys('composer', kept);
  expect(keys.keyFor('"a long text"')).toBe(keys.keyFor('"a long text"'));
  expect(idempotencyKeys('composer', kept).has('"a long text"')).toBe(false);
});
