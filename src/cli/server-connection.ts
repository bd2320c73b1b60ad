// A command's way to the server: which one, with which token, and what happens when the connection is lost. Every
// mutation carries an idempotency key, the person's or our own, so that a repeat is safe; and we say so when it happens.
import type { Command } from 'commander';
import { type Client, createClient, type Options } from '../client/client.ts';
import { HoldpointUnreachable } from '../client/http.ts';
import { findToken, serverUrl } from '../client/local.ts';
import { checkKey } from '../core/idempotency.ts';
import { Failure } from './failure.ts';
import { ownName } from './program-name.ts';

export interface ServerFlags {
  url?: string;
  token?: string;
  json?: boolean;
}
export interface MutationFlags extends ServerFlags {
  idempotencyKey?: string;
  retryForMs?: string;
}

export const RETRY_FOR_MS = 30_000;

export const withServer = (command: Command): Command =>
  command
    .option('--url <address>', 'the server (HOLDPOINT_URL, http://127.0.0.1:4777)')
    .option('--token <secret>', 'token (HOLDPOINT_TOKEN; otherwise the one in the state folder)')
    .option('--json', 'print JSON');

export const withMutation = (command: Command): Command =>
  withServer(command)
    .option('--idempotency-key <key>', 'the same key again does it once; made up otherwise')
    .option('--retry-for-ms <number>', 'how long to try again after a lost connection', String(RETRY_FOR_MS));

/** Finds the server before anything is sent: one that is not there is told at once, not after a while. */
export async function connect(flags: MutationFlags, remark: Remark = note): Promise<Client> {
  const { env } = process;
  const url = addressOf(flags.url ?? serverUrl(env));
  await probe(url);
  const retryForMs = retryForMsOf(flags);
  return createClient({
    url,
    token: tokenOf(flags, env),
    surface: 'cli',
    retryForMs,
    fetch: tellingOfRepeats(fetch, remark),
  });
}

export const retryForMsOf = (flags: MutationFlags): number =>
  wholeNumber('--retry-for-ms', flags.retryForMs) ?? RETRY_FOR_MS;

export async function probe(url: string): Promise<void> {
  try {
    await createClient({ url, token: '', retryForMs: 0, timeoutMs: 10_000 }).system.health();
  } catch (error) {
    if (error instanceof HoldpointUnreachable) throw unreachable(url, error);
    throw new Failure('unreachable', `what answers at ${url} is not Holdpoint. ${OTHER_SERVER}`);
  }
}

const OTHER_SERVER = 'Name another server with --url or HOLDPOINT_URL.';

function unreachable(url: string, error: HoldpointUnreachable): Failure {
  const { code, message } = reasonOf(error.cause);
  const why = code === 'ECONNREFUSED' ? 'nothing listens there' : message;
  return new Failure('unreachable', `no server at ${url}: ${why}. Start one: \`${ownName()} serve\`. ${OTHER_SERVER}`);
}

function reasonOf(error: unknown): { code?: string; message: string } {
  const { cause, code, message, errors } = error as {
    cause?: unknown;
    code?: string;
    message: string;
    errors?: Error[];
  };
  if (cause !== undefined && cause !== null) return reasonOf(cause);
  return { ...(code !== undefined && { code }), message: message || errors?.[0]?.message || String(code) };
}

export function addressOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '');
  throw new Failure('usage', `the server's address must be a URL such as http://127.0.0.1:4777, not "${url}"`);
}

export function tokenOf(flags: Pick<ServerFlags, 'token'>, env: NodeJS.ProcessEnv): string {
  if (flags.token) return flags.token;
  try {
    return findToken(env, ['operator.token']);
  } catch (error) {
    throw new Failure('refused', (error as Error).message);
  }
}

/** The second time a key is sent is a repeat after a loss, and so is every further time until it gets through. */
function tellingOfRepeats(send: typeof fetch, remark: Remark): typeof fetch {
  const sent = new Set<string>();
  const told = new Set<string>();
  return async (input, init) => {
    const key = new Headers(init?.headers).get('idempotency-key');
    if (key === null) return send(input, init);
    if (sent.has(key) && !told.has(key)) {
      told.add(key);
      remark(`connection lost; trying again. Nothing is done twice: it has the idempotency key ${key}`);
    }
    sent.add(key);
    const response = await send(input, init);
    // What is tried again has not got through.
    const isThrough = response.status < 500 && response.status !== 429;
    if (isThrough && told.delete(key)) remark('connected again');
    return response;
  };
}

export type Remark = (text: string) => void;

/** A remark for the person; never part of the output. */
export const note: Remark = (text) => {
  process.stderr.write(`holdpoint: ${text}\n`);
};

/** Does what changes something, under a key. What became of it may stay unknown: then the key is the way to find out. */
export async function once<T>(
  flags: MutationFlags,
  work: (options: Options & { idempotencyKey: string }) => Promise<T>,
) {
  const idempotencyKey = flags.idempotencyKey ?? crypto.randomUUID();
  const refusal = checkKey(idempotencyKey, Buffer.byteLength(idempotencyKey));
  if (refusal) throw new Failure('usage', `--idempotency-key: ${refusal.detail}`);
  try {
    return await work({ idempotencyKey });
  } catch (error) {
    if (!(error instanceof HoldpointUnreachable)) throw error;
    throw new Failure(
      'unreachable',
      'the connection was lost and did not come back; whether it was done is not known',
      `It is safe to run the same command again with --idempotency-key ${idempotencyKey}`,
    );
  }
}

export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('usage', `${flag} takes a whole number, not "${text}"`);
}
