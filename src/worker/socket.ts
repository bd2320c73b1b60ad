// A conversation over a socket of this machine that speaks WebSocket: whole texts in both directions, until one side is
// gone. The only place that opens such sockets. Knows nothing of what is said.
import { WebSocket } from 'ws';

export interface SocketTalk {
  send(text: string): void;
  hangUp(): void;
  /** Resolves when the conversation is over, however it ended. */
  readonly ended: Promise<void>;
}

const LARGEST_TEXT = 64 * 1024 * 1024;
const OPEN_MS = 5000;

/** Rejects when nobody answers there. */
export function talkOverSocket(path: string, onText: (text: string) => void, signal: AbortSignal): Promise<SocketTalk> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = new WebSocket(`ws+unix://${path}:/`, {
      headers: { host: 'localhost' },
      maxPayload: LARGEST_TEXT,
      perMessageDeflate: false,
      handshakeTimeout: OPEN_MS,
    });
    const hangUp = () => socket.terminate();
    const ended = new Promise<void>((over) =>
      socket.once('close', () => {
        signal.removeEventListener('abort', hangUp);
        over();
      }),
    );
    signal.addEventListener('abort', hangUp, { once: true });
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) onText(data.toString());
    });
    socket.once('open', () =>
      resolve({ send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text), hangUp, ended }),
    );
  });
}
