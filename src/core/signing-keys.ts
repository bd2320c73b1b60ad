// Decides which key may sign at each point of a log: the keys that the reader trusts or, without any, the first that signed;
// and from then on each key that the one before it introduced.
import { type Introduction, introductionText } from './checkpoint.ts';

/** Checks a signature of a text by a key. */
export type Verify = (text: string, signature: string, key: string) => boolean;

export class SigningKeys {
  readonly seen = new Set<string>();
  readonly #pinned: readonly string[];
  readonly #allowed: Set<string>;
  readonly #verify: Verify;

  constructor(verify: Verify, pinned: readonly string[]) {
    this.#verify = verify;
    this.#pinned = pinned;
    this.#allowed = new Set(pinned);
  }

  allows(key: string): boolean {
    this.seen.add(key);
    if (this.#allowed.size === 0) this.#allowed.add(key);
    return this.#allowed.has(key);
  }

  /** From here on the new key signs, and the one before it no more. False: no key that may sign has introduced it. */
  introduce(said: Introduction): boolean {
    const { key, previous_key, signature } = said;
    const isSigned = this.allows(previous_key) && this.#verify(introductionText(said), signature, previous_key);
    this.#allowed.delete(previous_key);
    this.#allowed.add(key);
    this.seen.add(key);
    return isSigned || this.#pinned.includes(key);
  }
}
