// A server that dies by kill -9 and comes back on the same state folder. Callers keep calling: a request whose connection
// is lost is sent again, unchanged, until it is answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Received, type Sent, send } from '../support/http.ts';
import { type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../support/process.ts';

const RETRY_MS = 15;

/** As much of a server, or of several, as its clients need to know. */
export type Server = Pick<Phoenix, 'call' | 'read' | 'url' | 'token'>;

export class Phoenix {
  readonly data: string;
  readonly token: string;
  kills = 0;
  /** Requests that had to be sent again. */
  lost = 0;
  /** What its log should never say, whatever is killed when. */
  readonly defects: string[] = [];
  #url: string | undefined;
  #process: Started;
  #onSend: (() => void) | undefined;

  /** The first process ends by itself: only then Node keeps what it has compiled, which makes all later starts quick. */
  static async rise(): Promise<Phoenix> {
    const first = await startHoldpoint({ via: 'main' });
    await first.end('SIGTERM');
    return new Phoenix(await startHoldpoint({ via: 'main', data: first.data }));
  }

  private constructor(first: Holdpoint) {
    this.data = first.data;
    this.token = first.token;
    this.#process = first;
    this.#url = first.url;
  }

  /** Ends the process with SIGKILL, wherever it is. */
  async kill(): Promise<void> {
    this.#url = undefined;
    this.kills += 1;
    await this.#process.end('SIGKILL');
    this.#readLog();
  }

  /** Asks the process to end, which it does by itself and with nothing left undone. */
  async stop(): Promise<void> {
    const ended = await this.#process.end('SIGTERM');
    this.#url = undefined;
    this.#readLog();
    if (ended.code !== 0) this.defects.push(`ended with ${ended.code ?? ended.signal} when it was asked to`);
  }

  #readLog(): void {
    const { stderr } = this.#process;
    if (/unhandled|uncaught|"level":(50|60)/i.test(stderr()))
      this.defects.push(`the log says: ${stderr().slice(0, 2000)}`);
  }

  /** Begins to start again; `up` waits until it is there. */
  spawn(): void {
    this.#process = spawnHoldpoint({ data: this.data, via: 'main' });
  }

  async up(): Promise<void> {
    this.#url = await this.#process.ready;
  }

  /** Resolves at the n-th change that is sent from now on, or when the time is over. */
  nthChange(n: number, atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      let left = n;
      const done = () => {
        clearTimeout(timer);
        this.#onSend = undefined;
        resolve();
      };
      const timer = setTimeout(done, atMostMs);
      this.#onSend = () => {
        left -= 1;
        if (left === 0) done();
      };
    });
  }

  /** Bound, so that it can be handed around. A failure of the server's own is not asked for twice. */
  readonly call = async <T>(sent: Sent): Promise<Received<T>> => {
    for (;;) {
      const url = await this.url();
      if (sent.body !== undefined) this.#onSend?.();
      const received = await send<T>(url, { token: this.token, ...sent }).catch(() => undefined);
      if (received && received.status < 500) return received;
      if (received) throw new Error(`${sent.path} answered ${received.status}: ${received.text}`);
      this.lost += 1;
      await sleep(RETRY_MS);
    }
  };

  /** The body of a read that has no reason to be refused. */
  readonly read = async <T>(path: string, token = this.token): Promise<T> => {
    const { status, text, body } = await this.call<T>({ path, token });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  };

  async url(): Promise<string> {
    while (this.#url === undefined) await sleep(RETRY_MS);
    return this.#url;
  }
}
