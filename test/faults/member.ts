// One process of a fleet: started again when it was killed or could not start, paused and woken. Its end is a defect
// unless somebody here wanted it; so is what its log must never say.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Started, type StartOptions, spawnHoldpoint } from '../support/process.ts';

const RETRY_MS = 500;
/** A sweep that the database interrupts tries again, and says so. */
const FORGIVEN = /store_unavailable|could not be reached|shutting_down/;

export class Member {
  readonly name: string;
  /** Ready to be talked to, as far as is known. */
  url: string | undefined;
  starts = 0;
  readonly defects: string[] = [];
  readonly #options: () => StartOptions;
  #process: Started | undefined;
  #wanted = true;
  #expected = false;
  #paused = false;
  #life: Promise<void> = Promise.resolve();

  constructor(name: string, options: () => StartOptions) {
    this.name = name;
    this.#options = options;
  }

  /** Keeps it alive until `leave`. Resolves when it is ready for the first time. */
  async join(): Promise<void> {
    this.#life = this.#live();
    while (this.url === undefined) await sleep(20);
  }

  /** Sends a signal that ends it; it comes back by itself. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.#process || this.url === undefined) return;
    this.#expected = true;
    this.url = undefined;
    this.wake();
    await this.#process.end(signal);
  }

  /** Stops in the middle of whatever it does. */
  pause(): void {
    if (!this.#process || this.url === undefined) return;
    this.#paused = true;
    process.kill(this.#process.pid, 'SIGSTOP');
  }

  wake(): void {
    if (!this.#process || !this.#paused) return;
    this.#paused = false;
    process.kill(this.#process.pid, 'SIGCONT');
  }

  get pid(): number | undefined {
    return this.url === undefined ? undefined : this.#process?.pid;
  }

  async leave(): Promise<void> {
    this.#wanted = false;
    this.#expected = true;
    this.url = undefined;
    this.wake();
    await this.#process?.end('SIGKILL');
    await this.#life;
  }

  async #live(): Promise<void> {
    while (this.#wanted) {
      this.#expected = false;
      const options = this.#options();
      this.#process = spawnHoldpoint(options);
      const { exited, stderr } = this.#process;
      this.url = await readiness(this.#process, options.command?.[0] === 'worker');
      const wasReady = this.url !== undefined;
      if (wasReady) this.starts += 1;
      const exit = await exited;
      this.url = undefined;
      this.#paused = false;
      if (wasReady && !this.#expected)
        this.defects.push(`${this.name} ended by itself (${exit.code ?? exit.signal}): ${stderr().slice(-1500)}`);
      this.#readLog(stderr());
      // Without its database a server does not start; it is started again, as under any supervisor.
      if (!wasReady) await sleep(RETRY_MS);
    }
  }

  #readLog(log: string): void {
    for (const line of log.split('\n'))
      if (/unhandled|uncaught|"level":(50|60)/i.test(line) && !FORGIVEN.test(line))
        this.defects.push(`the log of ${this.name} says: ${line.slice(0, 1500)}`);
  }
}

/** Resolves to its address (a worker's name), or to nothing when it ended before. */
async function readiness(started: Started, isWorker: boolean): Promise<string | undefined> {
  if (!isWorker) return started.ready.catch(() => undefined);
  const exited = started.exited.then(() => 'exited' as const);
  for (;;) {
    const ready = /^holdpoint worker ready (\S+)$/m.exec(started.stdout())?.[1];
    if (ready) return ready;
    if ((await Promise.race([exited, sleep(50)])) === 'exited') return undefined;
  }
}
