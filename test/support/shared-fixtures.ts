// What a whole file of tests stands on: opened before its first test, taken apart after its last.
import { afterAll, beforeAll } from 'vitest';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { endEverything } from './process.ts';
import { Server, type ServerOptions } from './server.ts';

export function serverForAll(options: ServerOptions = {}): Server {
  const server = new Server(options);
  beforeAll(() => server.open());
  afterAll(() => server.close());
  return server;
}

/** Processes that were started on it end before it does. */
export function postgresForAll(): Pick<PostgresServer, 'database'> {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 180_000);
  afterAll(async () => {
    await endEverything();
    await postgres?.stop();
  });
  return {
    database() {
      if (!postgres) throw new Error('PostgreSQL is there when the first test begins, not before');
      return postgres.database();
    },
  };
}
