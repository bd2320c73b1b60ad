// What was sent and whose reply has not been seen: the key it went out under, kept in this window with what it said. The
// same content sent again, also after a reload, is the same operation; other content is another. A reply that was seen ends
// it, so that whoever says the same thing once more on purpose is heard. Owns no sending.
type Keys = Readonly<Record<string, string>>;

export interface Tried {
  /** The key of this content: the one it went out under before, if it did. */
  keyFor(content: string): string;
  /** It was sent, and whether it was carried out is unknown. */
  has(content: string): boolean;
  /** The reply was seen, or there is nothing left that could be sent again. */
  forget(): void;
}

/** `place` says what is sent from here, such as one ask. Without one (a secret) it is kept as long as this object. */
export function triedIn(place: string | undefined, storage: Storage = sessionStorage): Tried {
  const name = `holdpoint-tried-${place}`;
  let keys: Keys = JSON.parse((place !== undefined && storage.getItem(name)) || '{}');
  return {
    keyFor(content) {
      const known = keys[content];
      if (known !== undefined) return known;
      const key = crypto.randomUUID();
      keys = { ...keys, [content]: key };
      if (place !== undefined) keep(storage, name, keys);
      return key;
    },
    has: (content) => Object.hasOwn(keys, content),
    forget() {
      keys = {};
      if (place !== undefined) storage.removeItem(name);
    },
  };
}

function keep(storage: Storage, name: string, keys: Keys): void {
  try {
    storage.setItem(name, JSON.stringify(keys));
  } catch {
    // There is no room: it holds until the page is left.
  }
}
