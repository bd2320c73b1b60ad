// The client that users have: Node's own fetch, one request at a time, connections kept by its pool. Beside it the
// sockets of connection.ts measure the servers alone; what an HTTP client costs is in the figures of both servers.
import type { Call, Caller, Endpoint } from './connection.ts';

export class Fetching implements Caller {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor({ port, token }: Endpoint) {
    this.#base = `http://127.0.0.1:${port}`;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  async post({ path, body }: Call): Promise<string> {
    const response = await fetch(this.#base + path, { method: 'POST', headers: this.#headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text;
  }

  close(): void {}
}
