// The reference: as little as a durable ask-and-answer server can do and still keep its word. `node:http`, `node:sqlite`
// (WAL, synchronous=FULL), every request that arrived in one turn of the event loop in one commit, one event stream for
// each agent process. No identity, validation, history, expiry, redelivery or acknowledgement.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync(process.argv[2] ?? ':memory:');
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE IF NOT EXISTS asks (id INTEGER PRIMARY KEY, agent TEXT NOT NULL, body TEXT NOT NULL, answer TEXT)`);
const insert = db.prepare('INSERT INTO asks (agent, body) VALUES (?, ?)');
const claim = db.prepare('UPDATE asks SET answer = ? WHERE id = ? AND answer IS NULL RETURNING agent');
const begin = db.prepare('BEGIN IMMEDIATE');
const commit = db.prepare('COMMIT');

const streams = new Map<string, ServerResponse>();
let batch: (() => () => void)[] = [];

/** Writes now, tells the callers after the commit. */
function write(unit: () => () => void): void {
  if (batch.push(unit) > 1) return;
  setImmediate(() => {
    const units = batch;
    batch = [];
    begin.run();
    const told = units.map((run) => run());
    commit.run();
    for (const tell of told) tell();
  });
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function ask(body: string, response: ServerResponse): void {
  const { agent } = JSON.parse(body) as { agent: string };
  write(() => {
    const id = insert.run(agent, body).lastInsertRowid;
    return () => send(response, 201, `{"id":"${id}"}`);
  });
}

function answer(id: string, body: string, response: ServerResponse): void {
  JSON.parse(body);
  write(() => {
    const claimed = claim.get(body, Number(id)) as { agent: string } | undefined;
    return () => {
      send(response, claimed ? 200 : 409, `{"id":"${id}"}`);
      if (claimed) streams.get(claimed.agent)?.write(`data: {"id":"${id}","answer":${body}}\n\n`);
    };
  });
}

/** GET /events?agent=… is the stream; any other GET is held for ever, as a long poll would be. */
function hold(url: string, response: ServerResponse): void {
  if (!url.startsWith('/events')) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(':\n\n');
  streams.set(url.slice(url.indexOf('=') + 1), response);
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '';
  if (request.method === 'GET') hold(url, response);
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    const [, , id] = url.split('/');
    if (request.method === 'GET') return;
    if (id === undefined) ask(body, response);
    else answer(id, body, response);
  });
}

const server = createServer({ keepAliveTimeout: 72_000 }, serve).listen(0, '127.0.0.1', () => {
  process.stdout.write(`reference ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
