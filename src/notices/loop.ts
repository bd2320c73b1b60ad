// Runs turns one after the other: at once when there is news, otherwise every second while there is something to watch for.
// A turn that fails is tried again with the next tick.

const TICK_MS = 1000;

export class Loop {
  readonly #turn: (hasNews: boolean) => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasNews = true;
  #again = false;
  #stopped = false;

  constructor(turn: (hasNews: boolean) => Promise<boolean>, onError: (error: unknown) => void) {
    this.#turn = turn;
    this.#onError = onError;
  }

  start(isActive: () => boolean): void {
    this.wake(true);
    this.#timer = setInterval(() => isActive() && this.wake(false), TICK_MS);
    this.#timer.unref();
  }

  wake(hasNews: boolean): void {
    this.#hasNews ||= hasNews;
    this.#again = true;
    if (this.#stopped || this.#running) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // News that came after the last look.
      if (this.#again) this.wake(false);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const hasNews = this.#hasNews;
      this.#hasNews = false;
      try {
        if (await this.#turn(hasNews)) this.#again = true;
      } catch (error) {
        this.#hasNews ||= hasNews;
        this.#onError(error);
      }
    }
  }
}
