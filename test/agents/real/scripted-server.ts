// Serves a scripted model on loopback: the part that is the same on every wire.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export abstract class ScriptedServer {
  /** Requests that no script answers: there should be none. */
  readonly others: string[] = [];
  readonly #server = createServer((request, response) => void this.answer(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
