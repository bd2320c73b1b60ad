// Fixtures that open and close by themselves: before and after all tests of a file, or each of them.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { type OpenGateway, openGateway } from './gateway.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { endEverything } from './process.ts';
import { Server, type ServerOptions } from './server.ts';

export function serverForAll(options: ServerOptions = {}): Server {
  const server = new Server(options);
  beforeAll(() => server.open());
  afterAll(() => server.close());
  return server;
}

/** The token of an operator with this name. */
export function operatorForAll(server: Server, name: string): { token: string } {
  const operator = { token: '' };
  beforeAll(async () => {
    operator.token = (await server.makeToken('operator', undefined, { name })).token;
  });
  return operator;
}

/** The operator's client of a server, from the first test on. */
export function clientForAll(server: Server): Client {
  const client = {} as Client;
  beforeAll(async () => void Object.assign(client, createClient({ url: await server.url(), token: server.token })));
  return client;
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

/** A gateway of its own for each test. Hooks that a file adds afterwards run while it is open. */
export function gatewayForEach(): OpenGateway {
  let open: OpenGateway;
  beforeEach(async () => {
    open = await openGateway();
  });
  afterEach(() => open.close());
  return {
    get gateway() {
      return open.gateway;
    },
    get ports() {
      return open.ports;
    },
    get store() {
      return open.store;
    },
    get now() {
      return open.now;
    },
    advance: (ms) => open.advance(ms),
    sweep: () => open.sweep(),
    restart: (lostWorkers) => open.restart(lostWorkers),
    close: () => open.close(),
  };
}
