// A scripted model on loopback, so that a real agent can be run without a key: each request is answered by the next step
// of a script, and everything the agent sent is kept. What an answer made of it is proven by what the model was told.
// Speaks the Anthropic Messages wire, as much of it as a session of Claude Code needs.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type Block = { text: string } | { tool: string; input: Record<string, unknown> };
/** What the model says to a request; the last step is said again to every further one. */
export type Script = (Block[] | ((told: string) => Block[]))[];

interface MessagesRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: unknown }[];
  tools?: unknown[];
}

export class Model {
  /** Every request of a conversation, as JSON text. */
  readonly told: string[] = [];
  /** Requests that no step answers: there should be none. */
  readonly others: string[] = [];
  #script: Script = [];
  #next = 0;
  #calls = 0;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<Model> {
    const model = new Model();
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  play(script: Script): void {
    this.#script = script;
    this.#next = 0;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    if (request.method !== 'POST' || path !== '/v1/messages') {
      if (request.method !== 'HEAD') this.others.push(`${request.method} ${path}`);
      response.writeHead(request.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(request.method === 'HEAD' ? undefined : '{}');
      return;
    }
    const body = (await json(request)) as MessagesRequest;
    const told = JSON.stringify(body);
    this.told.push(told);
    const step = this.#script[Math.min(this.#next, this.#script.length - 1)] ?? [{ text: 'nothing to say' }];
    this.#next += 1;
    this.#stream(response, body.model, typeof step === 'function' ? step(told) : step);
  }

  #stream(response: ServerResponse, model: string, blocks: Block[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${this.told.length}` });
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { id: `msg_${this.told.length}`, type: 'message', role: 'assistant', model, content: [] };
    send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    for (const [index, block] of blocks.entries()) {
      const [content_block, delta] = this.#wire(block);
      send('content_block_start', { index, content_block });
      send('content_block_delta', { index, delta });
      send('content_block_stop', { index });
    }
    const stop_reason = blocks.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn';
    send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
    send('message_stop', {});
    response.end();
  }

  #wire(block: Block): [object, object] {
    if ('text' in block)
      return [
        { type: 'text', text: '' },
        { type: 'text_delta', text: block.text },
      ];
    this.#calls += 1;
    const call = { type: 'tool_use', id: `toolu_${this.#calls}`, name: block.tool, input: {} };
    return [call, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  }
}
