// Opens a WebSocket over a local socket path and exchanges whole text messages until either side closes it. The only
// file that opens such sockets; it does not interpret the messages.
import { WebSocket } from 'ws';
import type { SocketConnection } from '../agents/agent.ts';

const LARGEST_TEXT = 64 * 1024 * 1024;
const OPEN_MS = 5000;

/** Rejects when nothing listens there. */
export function openSocket(
  path: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<SocketConnection> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = new WebSocket(`ws+unix://${path}:/`, {
      headers: { host: 'localhost' },
      maxPayload: LARGEST_TEXT,
      perMessageDeflate: false,
      handshakeTimeout: OPEN_MS,
    });
    const close = () => socket.terminate();
    const ended = new Promise<void>((over) =>
      socket.once('close', () => {
        signal.removeEventListener('abort', close);
        over();
      }),
    );
    signal.addEventListener('abort', close, { once: true });
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) onText(data.toString());
    });
    socket.once('open', () =>
      resolve({ send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text), close, ended }),
    );
  });
}
