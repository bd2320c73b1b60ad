// Sends one request to a Holdpoint server: bearer token or a page's cookies, JSON, problem documents as errors, and the
// retry of calls that are safe to repeat. Owns the wire; knows no endpoint. Runs wherever `fetch` does.
import type { Winner } from '../core/errors.ts';

export interface HttpOptions {
  url: string;
  /** Without one the browser's cookies say who calls. */
  token?: string | undefined;
  /** Sent with every request, asked for anew each time: what a page proves its own requests with. */
  headers?: (() => Record<string, string>) | undefined;
  /** How this client names itself: the `surface` of the answers it gives. */
  surface?: string | undefined;
  /** How long a call goes on trying while the server cannot be reached; a moment if it was never there, else longer. */
  retryForMs?: number | undefined;
  timeoutMs?: number | undefined;
  fetch?: typeof fetch | undefined;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: object | undefined;
  /** Instead of a body: files and fields. */
  form?: FormData | undefined;
  headers?: Record<string, string> | undefined;
  /** `once`: repeating it could do it twice. `keyed`: it gets an idempotency key. Otherwise a repeat is harmless. */
  repeat?: 'harmless' | 'keyed' | 'once' | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  /** In a browser: carried out even if the page is left meanwhile. */
  keepalive?: boolean | undefined;
  /** How long the server may take on purpose, as with a long poll. */
  waitMs?: number | undefined;
}

export interface Received<T> {
  status: number;
  headers: Headers;
  value: T;
}

export interface Http {
  readonly url: string;
  send<T>(call: Call): Promise<Received<T>>;
  /** The bare response, for streams: one attempt, no time limit. A refusal is thrown. */
  open(call: Call): Promise<Response>;
}

/** The server refused, and said why. */
export class HoldpointProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly domain: string;
  readonly detail: string;
  /** Who already answered, where that is the reason. */
  readonly winner: Winner | undefined;
  /** The question whose answer was refused. */
  readonly questionId: string | undefined;
  /** The ask that had already ended, of a batch too. */
  readonly requestId: string | undefined;

  constructor(status: number, document: Record<string, unknown>) {
    const detail = String(document.detail ?? document.title ?? `HTTP ${status}`);
    super(detail);
    this.name = 'HoldpointProblem';
    this.status = status;
    this.code = String(document.code ?? 'unknown');
    this.domain = String(document.domain ?? 'unknown');
    this.detail = detail;
    this.winner = document.winner as Winner | undefined;
    this.questionId = typeof document.question_id === 'string' ? document.question_id : undefined;
    this.requestId = typeof document.request_id === 'string' ? document.request_id : undefined;
  }
}

/**
 * Whether the server refused for good: the same call cannot succeed later. A lost lease is not such a refusal, because the
 * run goes on at another worker; nor is one that passes by itself.
 */
export const isFinalRefusal = (error: unknown): error is HoldpointProblem =>
  error instanceof HoldpointProblem && error.status < 500 && error.code !== 'lease_lost' && !PASSING.has(error.code);

/** No answer from the server: it is not there, or the connection broke. Whether a call was carried out is unknown. */
export class HoldpointUnreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`Cannot reach Holdpoint at ${url}: ${reasonOf(cause)}. Is \`holdpoint serve\` running there?`, { cause });
    this.name = 'HoldpointUnreachable';
  }
}

/** Whether the call certainly did not reach a server. */
export const wasNotSent = (error: unknown): boolean =>
  error instanceof HoldpointUnreachable &&
  codesOf(error).some((code) => code === 'ECONNREFUSED' || code === 'ENOTFOUND');

const codesOf = ({ code, cause }: { code?: unknown; cause?: unknown }): unknown[] =>
  typeof cause === 'object' && cause !== null ? [code, ...codesOf(cause)] : [code];

const RETRY_FOR_MS = 60_000;
const FIRST_CONTACT_MS = 2000;
const TIMEOUT_MS = 30_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;

/** Refusals that pass by themselves and changed nothing. */
const PASSING = new Set(['rate_limited', 'shutting_down', 'store_unavailable']);
const PASSING_STATUS = new Set([502, 503, 504]);

export function createHttp(options: HttpOptions): Http {
  const url = options.url.replace(/\/+$/, '');
  const doFetch = options.fetch ?? fetch;
  let hasMet = false;
  const common: Record<string, string> = {};
  if (options.token !== undefined) common.authorization = `Bearer ${options.token}`;
  if (options.surface) common['holdpoint-surface'] = options.surface;

  function request(call: Call, key: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...common, ...options.headers?.(), ...call.headers };
    if (key !== undefined) headers['idempotency-key'] = asHeader(key);
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    return doFetch(url + call.path + queryOf(call.query), {
      method: call.method,
      headers,
      signal,
      redirect: 'error',
      ...(call.keepalive && { keepalive: true }),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.form && { body: call.form }),
    });
  }

  async function attempt<T>(call: Call, key: string | undefined): Promise<Received<T>> {
    const limit = new AbortController();
    const giveUp = () => limit.abort(call.signal?.reason);
    const timeoutMs = (options.timeoutMs ?? TIMEOUT_MS) + (call.waitMs ?? 0);
    const timer = setTimeout(() => limit.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    call.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      call.signal?.throwIfAborted();
      const response = await request(call, key, limit.signal);
      hasMet = true;
      if (!response.ok) throw await problemOf(response);
      return { status: response.status, headers: response.headers, value: (await contentOf(response)) as T };
    } catch (error) {
      if (error instanceof HoldpointProblem || call.signal?.aborted) throw error;
      throw new HoldpointUnreachable(url, limit.signal.aborted ? limit.signal.reason : error);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', giveUp);
    }
  }

  return {
    url,
    async send<T>(call: Call): Promise<Received<T>> {
      const key = call.idempotencyKey ?? (call.repeat === 'keyed' ? randomKey() : undefined);
      const mayRepeat = call.repeat !== 'once' || key !== undefined;
      const startedAt = Date.now();
      for (let failures = 0; ; failures++) {
        try {
          return await attempt<T>(call, key);
        } catch (error) {
          const delayMs = backoffMs(failures);
          const retryForMs = options.retryForMs ?? (hasMet ? RETRY_FOR_MS : FIRST_CONTACT_MS);
          if (!passes(error, mayRepeat) || Date.now() + delayMs > startedAt + retryForMs) throw error;
          await sleep(delayMs, call.signal);
        }
      }
    },
    async open(call) {
      const response = await request(call, undefined, call.signal ?? new AbortController().signal);
      if (!response.ok) throw await problemOf(response);
      return response;
    },
  };
}

/** Headers carry bytes: any text goes as its UTF-8, which the server reads back. */
const asHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

function passes(error: unknown, mayRepeat: boolean): boolean {
  if (error instanceof HoldpointUnreachable) return mayRepeat;
  if (!(error instanceof HoldpointProblem)) return false;
  return PASSING.has(error.code) || (PASSING_STATUS.has(error.status) && mayRepeat);
}

/** Grows up to a limit; random, so that many clients do not come back in the same instant. */
export function backoffMs(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function queryOf(query: object | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}

async function contentOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) return response.json();
  if (type === 'application/zip') return new Uint8Array(await response.arrayBuffer());
  return response.text();
}

async function problemOf(response: Response): Promise<HoldpointProblem> {
  const document: unknown = await response.json().catch(() => undefined);
  const known = typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : {};
  return new HoldpointProblem(response.status, known);
}

function reasonOf(error: unknown): string {
  const { message, cause, code } = error as { message?: string; cause?: unknown; code?: string };
  if (cause !== undefined && cause !== null) return reasonOf(cause);
  return message || code || String(error);
}

/** Not `crypto.randomUUID`, which pages without TLS do not have. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
