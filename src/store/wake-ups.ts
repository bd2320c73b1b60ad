// Sends and receives wake-ups between servers with NOTIFY and LISTEN, with the events that were committed: outside of their
// transactions so that it delays none of them, and while one statement is under way, the events for the next one gather.
// Nothing is sent while no other server listens. Every role that may connect to the database may listen and notify, so the
// events are sealed: what is not is no more than a wake-up. Advisory: without a listening connection the store polls, and
// events that do not fit are read from the table.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Event } from '../core/event.ts';
import type { PostgresOptions } from './postgres.ts';

const CHANNEL = 'holdpoint';
const LISTENER = 'holdpoint listener';
/** PostgreSQL takes less than 8000 bytes, and sealed text is a third longer. */
const EVENTS_BYTES = 5800;
const SEALED_FOR = 'wake-up';
/** How often to look whether another server listens. One that begins to says so itself. */
const LOOK_MS = 10_000;
/** Those of earlier releases are known by what they said last. */
const OTHERS = `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND (application_name = '${LISTENER}' OR query LIKE 'LISTEN ${CHANNEL}%' OR query LIKE 'NOTIFY ${CHANNEL}%')`;
const NOTIFY = `SELECT pg_notify('${CHANNEL}', text) FROM unnest($1::text[]) AS text`;
/** Events gather for this long after a notification, which costs servers and database together as much as a commit. */
const GATHER_MS = 4;
const POLL_MS = 100;
const RECONNECT_MS = 500;
const CONNECT_MS = 10_000;
/** A connection without a reply for this long is closed. */
const SILENCE_MS = 5000;

type WakeUpOptions = Pick<PostgresOptions, 'url' | 'pooled' | 'sealer' | 'onError'>;

export class WakeUps {
  /** Called with committed events, or without where they are not known. */
  listener: (appended?: readonly Event[]) => void = () => {};
  /** Called with events that another server has committed. */
  onForeign: (events: readonly Event[]) => void = () => {};
  /** Marks its own notifications, which come back. */
  readonly #id = randomUUID();
  readonly #options: WakeUpOptions;
  #client: pg.Client | undefined;
  #lose: () => void = () => {};
  #unsent: Event[] = [];
  #isSending = false;
  #isAlone = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
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

  /** Tells the followers of this server at once, then other servers. */
  announce(appended: readonly Event[]): void {
    this.listener(appended);
    if (!this.#client || (this.#isAlone && performance.now() - this.#lookedAt < LOOK_MS)) return;
    for (const event of appended) this.#unsent.push(event);
    if (!this.#isSending) this.#send();
  }

  /** Events that a lost connection did not send are read from the table. */
  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let client = this.#client; client && this.#unsent.length > 0; client = this.#client) {
        const payloads = this.#payloadsOf(this.#unsent);
        this.#unsent = [];
        await client.query(NOTIFY, [payloads]);
        if (performance.now() - this.#lookedAt >= LOOK_MS) await this.#look(client);
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      }
    } catch {
      this.#lose();
    }
    this.#unsent = [];
    this.#isSending = false;
  }

  async #look(client: pg.Client): Promise<void> {
    this.#lookedAt = performance.now();
    const { rows } = await client.query(OTHERS);
    this.#isAlone = Number(rows[0].n) === 0;
  }

  /** The events in as few texts as they fit into; where one does not fit into any, a text without events. */
  #payloadsOf(events: readonly Event[]): string[] {
    const lists = listsOf(events.map((event) => JSON.stringify(event)));
    return lists?.map((list) => `${this.#id} ${this.#options.sealer.seal(list, SEALED_FOR)}`) ?? [this.#id];
  }

  /** A server of an earlier release says nothing but that there is something; so does whoever has not the key. */
  #eventsIn(payload: string | undefined): Event[] | undefined {
    const sealed = payload?.split(' ')[1];
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(this.#options.sealer.open(sealed, SEALED_FOR));
    } catch {
      return undefined;
    }
  }

  #hear(payload: string | undefined): void {
    if (payload?.startsWith(this.#id)) return;
    this.#isAlone = false;
    const events = this.#eventsIn(payload);
    if (events) this.onForeign(events);
    this.listener(events);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: SILENCE_MS,
      application_name: LISTENER,
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
      // PostgreSQL gives every NOTIFY a transaction id, and would wait for the disk; a lost wake-up loses nothing.
      await client.query('SET synchronous_commit = off');
      await client.query(`LISTEN ${CHANNEL}`);
      await client.query(NOTIFY, [[this.#id]]);
      await this.#look(client);
    } catch (error) {
      this.#options.onError(error);
      lost();
      return;
    }
    if (isLost || this.#stopped) return lost();
    client.once('end', lost);
    client.on('notification', ({ payload }) => this.#hear(payload));
    this.#client = client;
    this.#lose = lost;
    this.listener();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    client?.removeAllListeners();
    client?.on('error', () => {});
    await client?.end().catch(() => {});
  }
}

/** JSON arrays of these texts; undefined where one is too long. */
function listsOf(texts: readonly string[]): string[] | undefined {
  const lists: string[] = [];
  let [list, bytes] = [[] as string[], 0];
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1;
    if (size > EVENTS_BYTES) return undefined;
    if (bytes + size > EVENTS_BYTES) {
      lists.push(`[${list.join(',')}]`);
      [list, bytes] = [[], 0];
    }
    list.push(text);
    bytes += size;
  }
  return [...lists, `[${list.join(',')}]`];
}
