// Locks names within this process, so that its own units about one session run one after the other. Only the database can
// keep the units of other servers apart.

export class Locks {
  readonly #queues = new Map<string, (() => void)[]>();

  isTaken(name: string): boolean {
    return this.#queues.has(name);
  }

  /** Takes a free lock at once. */
  tryTake(name: string): boolean {
    if (this.#queues.has(name)) return false;
    this.#queues.set(name, []);
    return true;
  }

  /** In the order in which they came. */
  take(name: string): Promise<void> | undefined {
    if (this.tryTake(name)) return undefined;
    return new Promise((resolve) => {
      this.#queues.get(name)?.push(resolve);
    });
  }

  release(name: string): void {
    const queue = this.#queues.get(name);
    const next = queue?.shift();
    if (next) next();
    else this.#queues.delete(name);
  }
}
