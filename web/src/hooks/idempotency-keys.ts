// Remembers the idempotency keys of requests whose reply was not received, by their content. The same content sent again,
// also after a reload, has the same key and so is the same operation. A received reply clears them, so that the same
// content sent again on purpose is a new operation. Sends nothing itself.
import { randomKey } from '../../../src/client/http.ts';

type Keys = Readonly<Record<string, string>>;

export interface IdempotencyKeys {
  /** The key of this content: the one it was sent under before, if it was. */
  keyFor(content: string): string;
  /** It was sent, and whether the server carried it out is unknown. */
  has(content: string): boolean;
  /** A reply was received, or there is nothing left to send again. */
  clear(): void;
}

/** `scope` names what is sent, such as one ask. Without one (a secret) nothing is written to storage. */
export function idempotencyKeys(scope: string | undefined, storage: Storage = sessionStorage): IdempotencyKeys {
  const name = `holdpoint-tried-${scope}`;
  let keys: Keys = JSON.parse((scope !== undefined && storage.getItem(name)) || '{}');
  return {
    keyFor(content) {
      const known = keys[content];
      if (known !== undefined) return known;
      const key = randomKey();
      keys = { ...keys, [content]: key };
      if (scope !== undefined) store(storage, name, keys);
      return key;
    },
    has: (content) => Object.hasOwn(keys, content),
    clear() {
      keys = {};
      if (scope !== undefined) storage.removeItem(name);
    },
  };
}

function store(storage: Storage, name: string, keys: Keys): void {
  try {
    storage.setItem(name, JSON.stringify(keys));
  } catch {
    // The quota is used up: the keys last until the page is left.
  }
}
