// The end of the door: requests that have begun are answered, long polls with what there is, streams are ended. Only a
// client that does not let go is cut off, after a while.
import type { Gateway } from '../gateway/gateway.ts';
import type { App } from './routes/route.ts';
import type { Streams } from './sse.ts';

const PATIENCE_MS = 5000;
const IDLE_CHECK_MS = 50;

/** Runs before the server stops to listen; closing then waits until the last connection is gone. */
export function drain(app: App, gateway: Gateway, streams: Streams): void {
  streams.close();
  gateway.releaseWaiters();
  const { server } = app;
  if (!server.listening) return;
  // A connection that was busy when the server closed stays open after its response, unless it is looked after.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const rest = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  server.once('close', () => {
    clearInterval(idle);
    clearTimeout(rest);
  });
}
