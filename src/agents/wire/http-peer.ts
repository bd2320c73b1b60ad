// Speaks HTTP to the local server of an agent: JSON requests with a password, and one connection to its event stream, which
// counts as dead when it is silent. Knows no path and no event; whether to connect again is up to the caller.
import { createParser } from 'eventsource-parser';
import { parsedJson } from './json-rpc.ts';

export interface HttpPeerOptions {
  url: string;
  user: string;
  /** Undefined where the server asks for none. */
  password?: string | undefined;
  /** Aborts every request. */
  signal: AbortSignal;
  /** How long the event stream may take to open. */
  responseMs?: number | undefined;
}

/** The server responded, and refused. Any other error means that it could not be reached. */
export class HttpRefusal extends Error {
  override name = 'HttpRefusal';
  readonly status: number;

  constructor(what: string, status: number, body: string) {
    super(`${what} was refused with ${status}${body ? `: ${body.slice(0, 500)}` : ''}`);
    this.status = status;
  }
}

/** Longer than a few heartbeats of any server. */
const SILENCE_MS = 45_000;
/** A process that a killed server has left may hold its port: it takes connections, and never responds. */
const RESPONSE_MS = 30_000;

export function createHttpPeer({ url, user, password, signal, responseMs = RESPONSE_MS }: HttpPeerOptions) {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', ...(password && { authorization }) };

  async function open(method: string, path: string, body: unknown, stop: AbortSignal): Promise<Response> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(new URL(path, url), { method, headers, signal: stop, redirect: 'error', ...sent });
    if (response.ok) return response;
    throw new HttpRefusal(`${method} ${path.split('?')[0]}`, response.status, await response.text());
  }

  return {
    /** Resolves to the parsed body; undefined where there is none. */
    async request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
      const response = await open(method, path, body, signal);
      return parsedJson(await response.text());
    },
    /** Resolves when the connection has ended; rejects when it could not be opened. */
    async events(path: string, onEvent: (event: unknown) => void): Promise<void> {
      const own = new AbortController();
      const opening = setTimeout(
        () => own.abort(new Error(`${url} takes connections and does not respond`)),
        responseMs,
      );
      const response = await open('GET', path, undefined, AbortSignal.any([signal, own.signal])).finally(() =>
        clearTimeout(opening),
      );
      let silence = setTimeout(() => own.abort(), SILENCE_MS);
      const parser = createParser({ onEvent: ({ data }) => onEvent(parsedJson(data)) });
      const decoder = new TextDecoder();
      try {
        for await (const chunk of response.body ?? []) {
          silence = silence.refresh();
          parser.feed(decoder.decode(chunk, { stream: true }));
        }
      } catch {
        // Cut off: the caller is told by the end.
      } finally {
        clearTimeout(silence);
        own.abort();
      }
    },
  };
}
