// Connects a command to its server: finds the address and the token, checks that a Holdpoint server answers, and reports
// when a lost connection is retried. Every mutation carries an idempotency key, so that a retry never repeats its effect.
import { type Client, createClient, type Options } from '../client/client.ts';
import { HoldpointUnreachable } from '../client/http.ts';
import { findToken, serverUrl } from '../client/local.ts';
import { checkKey } from '../core/idempotency.ts';
import { readPrivateFile } from '../node/private-file.ts';
import { type MutationFlags, retryForMsOf, type ServerFlags } from './command-flags.ts';
import { Failure } from './failure.ts';
import { note } from './output.ts';
import { programName } from './program-name.ts';

/** Probes the server first, so that one that does not run is reported at once instead of after the retries. */
export async function connect(flags: MutationFlags, report: (text: string) => void = note): Promise<Client> {
  const { env } = process;
  const url = addressOf(flags.url ?? serverUrl(env));
  await probe(url);
  return createClient({
    url,
    token: tokenOf(flags, env),
    surface: 'cli',
    retryForMs: retryForMsOf(flags),
    fetch: reportingRetries(fetch, report),
  });
}

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
  const { code, message } = rootCause(error.cause);
  const why = code === 'ECONNREFUSED' ? 'nothing is listening there' : message;
  const start = `Start one: \`${programName()} serve\`.`;
  return new Failure('unreachable', `no server at ${url}: ${why}. ${start} ${OTHER_SERVER}`);
}

function rootCause(error: unknown): { code?: string; message: string } {
  const { cause, code, message, errors } = error as {
    cause?: unknown;
    code?: string;
    message: string;
    errors?: Error[];
  };
  if (cause !== undefined && cause !== null) return rootCause(cause);
  return { ...(code !== undefined && { code }), message: message || errors?.[0]?.message || String(code) };
}

export function addressOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '');
  throw new Failure('usage', `the server's address must be a URL such as http://127.0.0.1:4777, not "${url}"`);
}

export function tokenOf(
  flags: Pick<ServerFlags, 'token' | 'tokenFile'>,
  env: NodeJS.ProcessEnv,
  files: readonly string[] = ['operator.token'],
): string {
  const given = givenToken(flags);
  if (given) return given;
  try {
    return findToken(env, files);
  } catch (error) {
    throw new Failure('refused', (error as Error).message);
  }
}

/** Of `--token` or the file of `--token-file`. */
export function givenToken({ token, tokenFile }: Pick<ServerFlags, 'token' | 'tokenFile'>): string | undefined {
  if (tokenFile === undefined) return token || undefined;
  if (token) throw new Failure('usage', 'give either --token-file or --token');
  try {
    const found = readPrivateFile(tokenFile).trim();
    if (found) return found;
  } catch (error) {
    throw new Failure('usage', `--token-file: ${(error as Error).message}`);
  }
  throw new Failure('usage', `--token-file: ${tokenFile} is empty`);
}

/** A key that is sent a second time is a retry: reported once, and once more when it gets through. */
function reportingRetries(send: typeof fetch, report: (text: string) => void): typeof fetch {
  const sent = new Set<string>();
  const reported = new Set<string>();
  return async (input, init) => {
    const key = new Headers(init?.headers).get('idempotency-key');
    if (key === null) return send(input, init);
    if (sent.has(key) && !reported.has(key)) {
      reported.add(key);
      report(`connection lost; trying again. Nothing is done twice: it has the idempotency key ${key}`);
    }
    sent.add(key);
    const response = await send(input, init);
    const willBeRetried = response.status >= 500 || response.status === 429;
    if (!willBeRetried && reported.delete(key)) report('connected again');
    return response;
  };
}

/** Sends a mutation under a key. Where its result stays unknown, the key is the way to find out. */
export async function once<T>(
  flags: MutationFlags,
  mutate: (options: Options & { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  const idempotencyKey = flags.idempotencyKey ?? crypto.randomUUID();
  const refusal = checkKey(idempotencyKey, Buffer.byteLength(idempotencyKey));
  if (refusal) throw new Failure('usage', `--idempotency-key: ${refusal.detail}`);
  try {
    return await mutate({ idempotencyKey });
  } catch (error) {
    if (!(error instanceof HoldpointUnreachable)) throw error;
    throw new Failure(
      'unreachable',
      'the connection was lost and did not come back; it is not known whether the command took effect',
      `It is safe to run the same command again with --idempotency-key ${idempotencyKey}`,
    );
  }
}
