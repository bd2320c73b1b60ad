// Connections of the 2025 protocol over HTTP, by their session id: each belongs to the token that opened it. They live in
// this process only; a client whose connection is gone is told so and opens another. What was asked is not kept here.
import {
  type HandleRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

interface Connection {
  tokenId: string;
  server: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
}

const MOST = 1000;

export class Connections {
  /** The one used last is last. */
  readonly #open = new Map<string, Connection>();

  async open(server: McpServer, tokenId: string, request: Request, options: HandleRequestOptions): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        this.#open.set(id, { tokenId, server, transport });
        this.#makeRoom();
      },
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    await server.connect(transport);
    return transport.handleRequest(request, options);
  }

  async handle(id: string, tokenId: string, request: Request, options: HandleRequestOptions): Promise<Response> {
    const known = this.#open.get(id);
    if (known?.tokenId !== tokenId) return gone();
    this.#open.delete(id);
    this.#open.set(id, known);
    return known.transport.handleRequest(request, options);
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  #makeRoom(): void {
    for (const [id, { server }] of this.#open) {
      if (this.#open.size <= MOST) return;
      this.#open.delete(id);
      void server.close();
    }
  }
}

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'This connection is not open. Initialize again.' } },
    { status: 404 },
  );
