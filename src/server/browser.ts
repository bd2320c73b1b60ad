// Authenticates browsers: the two cookies of a signed-in one, and the proof that a request comes from our own page. A
// browser sends a cookie with requests of any page, so it counts only together with our Origin and, for a change, a
// CSRF value that only our page can read.
import { timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import { BROWSER_TTL_MS } from '../core/sign-in.ts';

const SESSION = 'holdpoint_session';
const CSRF = 'holdpoint_csrf';
const CSRF_HEADER = 'holdpoint-csrf';
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/i;

export function sessionSecretOf(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : parseCookie(cookie)[SESSION] || undefined;
}

/** What the page must send back: derived from the session, so that a planted cookie is of no use. Needs no encoding. */
const csrfOf = (secret: string, hash: Hash): string => hash(`csrf of ${secret}`).replaceAll(/[^A-Za-z0-9]/g, '');

/**
 * Browsers say where a request comes from, and send cookies and passwords they keep with requests of any page: a page on
 * another port of this machine shares our cookies and is still not ours.
 */
export function checkSite({ headers: { 'sec-fetch-site': site } }: FastifyRequest): void {
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw fail('origin_not_allowed', 'A browser may call this only from a page of this server.');
}

/** Where there is an Origin it was judged before; here it must be there, unless the request only reads. */
export function checkOwnPage(request: FastifyRequest): void {
  checkSite(request);
  const { origin } = request.headers;
  if (origin === undefined && !READING.has(request.method))
    throw fail('origin_not_allowed', 'A browser must say with `Origin` which page calls; programs use a bearer token.');
}

export function checkCsrf(request: FastifyRequest, secret: string, hash: Hash): void {
  if (READING.has(request.method)) return;
  const given = Buffer.from(String(request.headers[CSRF_HEADER] ?? ''));
  const wanted = Buffer.from(csrfOf(secret, hash));
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw fail('csrf_token_invalid', `Send the value of the cookie ${CSRF} in the header Holdpoint-CSRF.`);
}

export function setCookies(reply: FastifyReply, secret: string, isSecure: boolean, hash: Hash): void {
  const maxAge = Math.floor(BROWSER_TTL_MS / 1000);
  const common = { path: '/', sameSite: 'strict', secure: isSecure, maxAge } as const;
  reply.header('set-cookie', [
    stringifySetCookie({ ...common, name: SESSION, value: secret, httpOnly: true }),
    stringifySetCookie({ ...common, name: CSRF, value: csrfOf(secret, hash) }),
  ]);
}

export function clearCookies(reply: FastifyReply, isSecure: boolean): void {
  const gone = { path: '/', sameSite: 'strict', secure: isSecure, value: '', maxAge: 0 } as const;
  reply.header('set-cookie', [
    stringifySetCookie({ ...gone, name: SESSION, httpOnly: true }),
    stringifySetCookie({ ...gone, name: CSRF }),
  ]);
}

/** How callers reach us. */
export interface Transport {
  https: boolean;
  /** A proxy that we trust does TLS in front of us. */
  behindProxy: boolean;
}

/** How this caller reaches us: by TLS of our own or of the proxy in front, which callers on this machine do not use. */
export function isTls(request: FastifyRequest, ours: Transport): boolean {
  return ours.https || isPublicTls(request, ours);
}

/** By TLS under a name of its own: what a browser is told about loopback would hold for every port of this machine. */
export const isPublicTls = (request: FastifyRequest, { https, behindProxy }: Transport): boolean =>
  (https || behindProxy) && !LOOPBACK.test(request.headers.host ?? '');
