// Sends and receives wake-ups between servers with NOTIFY and LISTEN: one notification for several commits, sent outside
// their transactions so that it delays none of them. Advisory: without a listening connection the store polls.
import pg from 'pg';
import type { PostgresOptions } from './postgres.ts';

const CHANNEL = 'holdpoint';
const NOTIFY_DELAY_MS = 2;
const POLL_MS = 100;
const RECONNECT_MS = 500;
const CONNECT_MS = 10_000;
/** A connection without a reply for this long is closed. */
const SILENCE_MS = 5000;

type WakeUpOptions = Pick<PostgresOptions, 'url' | 'pooled' | 'onError'>;

export class WakeUps {
  listener: () => void = () => {};
  readonly #options: WakeUpOptions;
  #client: pg.Client | undefined;
  #lose: () => void = () => {};
  #pending: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: WakeUpOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#poll = setInterval(() => {
      if (!this.#client) this.listener();
    }, POLL_MS);
    this.#poll.unref();
    if (!this.#options.pooled) await this.#connect();
  }

  /** Notifies the followers of this server at once, other servers after a short delay. */
  announce(): void {
    this.listener();
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      this.#client?.query(`NOTIFY ${CHANNEL}`).catch(() => this.#lose());
    }, NOTIFY_DELAY_MS);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: SILENCE_MS,
    });
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      if (this.#client === client) this.#client = undefined;
      client.removeAllListeners();
      client.on('error', () => {});
      client.end().catch(() => {});
      if (!this.#stopped) this.#retry = setTimeout(() => this.#connect(), RECONNECT_MS);
    };
    client.once('error', lost);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      this.#options.onError(error);
      lost();
      return;
    }
    if (isLost || this.#stopped) return lost();
    client.once('end', lost);
    client.on('notification', () => this.listener());
    this.#client = client;
    this.#lose = lost;
    this.listener();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#pending);
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    client?.removeAllListeners();
    client?.on('error', () => {});
    await client?.end().catch(() => {});
  }
}
