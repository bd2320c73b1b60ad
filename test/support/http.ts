// HTTP as tests need it: requests over kept-alive sockets with the raw bytes of what came back, and a reader of event
// streams. A refusal is a response like any other; only a lost connection rejects.
import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface Sent {
  method?: string;
  path: string;
  token?: string | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Buffer;
  /** Over those that follow from the rest; `undefined` leaves one out. */
  headers?: OutgoingHttpHeaders;
  agent?: Agent;
  signal?: AbortSignal;
}

export interface Received<T = unknown> {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** The body as JSON, undefined where it is none. */
  body: T;
}

const shared = keepAliveAgent();

export function keepAliveAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 1024 });
}

export function send<T = unknown>(url: string, sent: Sent): Promise<Received<T>> {
  return new Promise((resolve, reject) => {
    const request = open(url, sent, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) as T });
      } catch (error) {
        reject(error);
      }
    });
    request.once('error', reject);
    request.end(payloadOf(sent));
  });
}

export interface StreamEvent {
  id: string | undefined;
  event: string | undefined;
  data: string;
}

export interface EventStream {
  /** Ends when the server ends the stream or the connection is lost; `close` ends it from this side. */
  events: AsyncGenerator<StreamEvent>;
  status: number;
  close(): void;
}

/** Opens a stream; resolves with the response's head, not before. */
export function openStream(url: string, sent: Sent): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', ...sent.headers };
    const request = open(url, { ...sent, headers, agent: sent.agent ?? new Agent() }, (response) => {
      const close = () => request.destroy();
      resolve({ status: response.statusCode ?? 0, events: eventsOf(response), close });
    });
    request.once('error', reject);
    request.end();
  });
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<StreamEvent> {
  const arrived: StreamEvent[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => arrived.push({ id, event, data }) });
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      parser.feed(chunk as string);
      yield* arrived.splice(0);
    }
  } catch {
    // A lost connection ends the stream; whoever reads it resumes after the last id it has seen.
  }
}

function open(url: string, sent: Sent, onResponse: (response: IncomingMessage) => void) {
  const payload = payloadOf(sent);
  const headers: OutgoingHttpHeaders = {
    ...(sent.token !== undefined && { authorization: `Bearer ${sent.token}` }),
    ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    ...sent.headers,
  };
  for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name];
  const { hostname, port } = new URL(url);
  const { method = sent.body === undefined ? 'GET' : 'POST', path, agent = shared, signal } = sent;
  const host = hostname.replace(/^\[|\]$/g, '');
  const options = { host, port, method, path, headers, agent, ...(signal && { signal }) };
  return httpRequest(options, onResponse);
}

function payloadOf(sent: Sent): string | Buffer | undefined {
  if (sent.raw !== undefined) return sent.raw;
  return sent.body === undefined ? undefined : JSON.stringify(sent.body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
