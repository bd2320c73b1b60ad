// Drains the transport at shutdown: answers requests that have begun, returns long polls, ends streams. A client that
// does not disconnect is cut off after a while.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Gateway } from '../gateway/gateway.ts';
import type { App } from './routes/route.ts';
import type { Streams } from './sse.ts';

const PATIENCE_MS = 5000;
const IDLE_CHECK_MS = 50;

/** Connections that have carried no request yet. Browsers and HTTP pools open such ahead; they are not counted as idle. */
export function freshConnections(app: App): Set<Socket> {
  const fresh = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  app.server.on('request', (request: IncomingMessage) => fresh.delete(request.socket));
  return fresh;
}

/** Runs before the server stops to listen; closing then waits until the last connection is gone. */
export function drain(app: App, gateway: Gateway, streams: Streams, fresh: ReadonlySet<Socket>): void {
  streams.close();
  gateway.releaseWaiters();
  const { server } = app;
  if (!server.listening) return;
  // A connection that was busy when the server closed stays open after its response, unless it is looked after.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of fresh) socket.destroy();
  }, IDLE_CHECK_MS);
  const rest = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  server.once('close', () => {
    clearInterval(idle);
    clearTimeout(rest);
  });
}
