// Sends a POST to an address that a person or a browser gave the server. The name is resolved once and the checked address is the one
// that is connected to, so that no second answer of a name server counts; redirects are not followed; the reply is not
// read beyond its status.
import { lookup } from 'node:dns/promises';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isNamed, isPublicAddress } from './address-guard.ts';

export interface GuardedReply {
  status: number;
  retryAfterMs: number | undefined;
}

export type GuardedPost = (
  url: string,
  message: { headers: Record<string, string>; body: string | Buffer },
) => Promise<GuardedReply>;

/** The target may not be reached from this server, now or later. */
export class TargetRefused extends Error {}

interface Options {
  /** Hosts inside the network that may be reached, as the operator named them. */
  privateHosts: readonly string[];
  now(): number;
  /** Ends requests that are under way. */
  stopping: AbortSignal;
  resolve?(host: string): Promise<{ address: string; family: number }[]>;
}

/** Of all of it, from the look-up of the name to the reply. Shorter than the lease of a notice. */
const TIMEOUT_MS = 10_000;

/** A look-up keeps a thread, of which Node has four for files too: a name server that is silent holds up nothing else. */
const LOOKUPS_AT_ONCE = 2;

export function createGuardedPost({ privateHosts, now, stopping, resolve = resolveAll }: Options): GuardedPost {
  const inTurn = turns(LOOKUPS_AT_ONCE);
  return async (given, { headers, body }) => {
    const url = checkedUrl(given, privateHosts);
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping]);
    const addresses = await unlessAborted(
      signal,
      addressesOf(url, (host) => inTurn(signal, () => resolve(host))),
    );
    if (!isNamed(url, privateHosts)) refusePrivate(url, addresses);
    const send = url.protocol === 'https:' ? requestTls : requestPlain;
    const pinned: LookupFunction = (_host, { all }, callback) => {
      const [first] = addresses;
      if (all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    const reply = new Promise<GuardedReply>((resolveReply, reject) => {
      const outgoing = send(url, { method: 'POST', headers, agent: false, lookup: pinned, signal });
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        const { statusCode: status = 0, headers: got } = incoming;
        incoming.destroy();
        resolveReply({ status, retryAfterMs: retryAfterMs(got['retry-after'], now()) });
      });
      // Without this, such a reply is neither a response nor an error.
      outgoing.once('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        reject(new Error(`it replied ${statusCode}, which is no reply to a POST`));
      });
      outgoing.end(body);
    });
    return unlessAborted(signal, reply);
  };
}

/** Settles when the signal says so, whatever becomes of the work. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error(isLate(signal) ? `no reply within ${TIMEOUT_MS / 1000} s` : 'the server stops'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

const isLate = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

/** Also when a contact is added, so that a wrong address is refused there. */
export function checkedUrl(given: string, privateHosts: readonly string[]): URL {
  if (!URL.canParse(given)) throw new TargetRefused(`"${given.slice(0, 200)}" is not an address.`);
  const url = new URL(given);
  if (url.username !== '' || url.password !== '')
    throw new TargetRefused('The address has a user name or a password in it; leave them out.');
  const isHere = isNamed(url, privateHosts);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    throw new TargetRefused(
      `The address ${url.protocol}//${url.host} has no TLS. Use https, or have the operator name the host: ${HOW}.`,
    );
  const literal = bare(url.hostname);
  if (!isHere && isIP(literal)) refusePrivate(url, [{ address: literal }]);
  return url;
}

const HOW = 'HOLDPOINT_NOTIFY_HOSTS';

function refusePrivate(url: URL, addresses: readonly { address: string }[]): void {
  // Not which address it is: everyone who may add a device would learn what names mean inside the network.
  if (addresses.some(({ address }) => !isPublicAddress(address)))
    throw new TargetRefused(
      `The host ${url.hostname} is not on the public internet. The operator of the server may name it: ${HOW}=${url.host}.`,
    );
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

async function addressesOf(url: URL, resolve: NonNullable<Options['resolve']>) {
  const host = bare(url.hostname);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const found = await resolve(host);
  if (found.length === 0) throw new Error(`${host} has no address`);
  return found;
}

/** Runs so much work at once and the rest in its order, but none for a caller that has given up. */
function turns(atOnce: number) {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

const resolveAll = (host: string) => lookup(host, { all: true });

function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
