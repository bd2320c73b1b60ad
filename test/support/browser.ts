// A browser as far as the server can tell: it keeps cookies, says where a request comes from, and its page sends the
// CSRF value back. Each part can be left out or forged.
import { expect } from 'vitest';
import type { MeView, SignInLinkView } from '../../src/core/views.ts';
import { ok } from './api-calls.ts';
import type { Reply, Server } from './server.ts';

export const HOST = '127.0.0.1:4777';
export const ORIGIN = `http://${HOST}`;

export interface Cookies {
  session: string;
  csrf: string;
  /** As they were set, with their attributes. */
  raw: string[];
}

export async function codeOf(server: Server, body: object = {}): Promise<string> {
  const { url } = await ok(server.post<SignInLinkView>('/v1/sign-in-links', body, { headers: { host: HOST } }));
  expect(url).toMatch(new RegExp(`^${ORIGIN}/sign-in#[\\w-]{43}$`));
  return url.split('#')[1] ?? '';
}

export const postCode = (server: Server, body: object, headers: Record<string, string> = {}) =>
  server.post<MeView>('/v1/sign-in', body, { token: null, headers: { host: HOST, origin: ORIGIN, ...headers } });

export function cookiesOf(reply: Reply<unknown>): Cookies {
  const raw = reply.headers['set-cookie'] as unknown as string[];
  const value = (name: string) => raw.find((text) => text.startsWith(`${name}=`))?.split(/[=;]/)[1] ?? '';
  return { session: value('holdpoint_session'), csrf: value('holdpoint_csrf'), raw };
}

export async function signIn(server: Server, link: object = {}, body: object = {}): Promise<Cookies> {
  const reply = await postCode(server, { code: await codeOf(server, link), ...body });
  expect(reply.status, reply.text).toBe(200);
  return cookiesOf(reply);
}

/** What a page of ours sends; `undefined` leaves a header out. */
export function headersOf(
  { session, csrf }: Pick<Cookies, 'session' | 'csrf'>,
  more: Record<string, string | undefined> = {},
): Record<string, string> {
  const headers = {
    host: HOST,
    origin: ORIGIN,
    cookie: `holdpoint_session=${session}; holdpoint_csrf=${csrf}`,
    'holdpoint-csrf': csrf,
    ...more,
  };
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
