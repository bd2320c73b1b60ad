// The client under both contenders: one keep-alive socket, one request at a time, responses cut by Content-Length.
// Plain `node:net`, because an HTTP client library would cost more than the servers it measures.
import { connect, type Socket } from 'node:net';

export interface Call {
  path: string;
  body: string;
}

export interface Endpoint {
  port: number;
  /** Sent as a bearer token; the reference takes none and ignores it. */
  token: string;
}

/** One side of a lane: sends a call, gets the body of a 2xx response. */
export interface Caller {
  post(call: Call): Promise<string>;
  close(): void;
}

export class Connection implements Caller {
  readonly #socket: Socket;
  readonly #headers: string;
  #received: Buffer | undefined;
  #resolve: ((body: string) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(socket: Socket, headers: string) {
    this.#socket = socket;
    this.#headers = headers;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#reject?.(error));
    socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  static open({ port, token }: Endpoint): Promise<Connection> {
    const headers = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket, headers)));
      socket.once('error', reject);
    });
  }

  /** The body of a 2xx response; anything else rejects. */
  post({ path, body }: Call): Promise<string> {
    return this.#send(
      `POST ${path} HTTP/1.1\r\n${this.#headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  get(path: string): Promise<string> {
    return this.#send(`GET ${path} HTTP/1.1\r\n${this.#headers}\r\n`);
  }

  #send(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(text);
    });
  }

  /** Sends a GET whose response is not awaited: a parked waiter. */
  park(path: string, accept = 'application/json'): void {
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${this.#headers}Accept: ${accept}\r\n\r\n`);
  }

  close(): void {
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (!this.#resolve) return;
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk;
    this.#received = received;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = received.toString('latin1', 0, headEnd);
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < bodyEnd) return;
    this.#received = undefined;
    const body = received.toString('utf8', bodyStart, bodyEnd);
    if (head.charCodeAt(9) === 50) this.#resolve(body);
    else this.#reject?.(new Error(`${head.split('\r\n')[0]} ${body}`));
  }
}
