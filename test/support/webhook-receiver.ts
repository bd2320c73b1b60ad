// An endpoint for webhooks that verifies each delivery with the published library, as a receiver should, and drops what it
// has by its id.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Delivered {
  id: string;
  type: string;
  data: { ask_id?: string; session_id?: string; text: string } & Record<string, unknown>;
}

/** What the receiver does with a delivery; `take` unless a test wants otherwise. */
type ReceiverMood = (response: ServerResponse, take: () => void) => void;

const readily: ReceiverMood = (response, take) => {
  take();
  response.writeHead(204).end();
};

export class WebhookReceiver {
  mood: ReceiverMood = readily;
  /** Set it to the secret of the webhook. Without one, bodies are kept as they are. */
  secret: string | undefined;
  /** Every delivery, repeats too. */
  readonly received: Delivered[] = [];
  readonly bodies: string[] = [];
  readonly forged: string[] = [];
  readonly #http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => this.mood(response, () => this.#take(request, body)));
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#http.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  /** What a receiver that knows repeats by their id acts on, in the order of arrival. */
  distinct(): Delivered[] {
    return [...new Map(this.received.map((each) => [each.id, each])).values()];
  }

  #take(request: IncomingMessage, body: string): void {
    this.bodies.push(body);
    if (this.secret === undefined) return;
    try {
      const { type, data } = new Webhook(this.secret).verify(
        body,
        request.headers as Record<string, string>,
      ) as Delivered;
      this.received.push({ id: String(request.headers['webhook-id']), type, data });
    } catch (error) {
      this.forged.push(`${(error as Error).message}: ${body}`);
    }
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
