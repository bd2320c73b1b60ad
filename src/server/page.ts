// Serves our own page: the files that Vite built, with headers that forbid other sources and framing. Every address of
// the page returns the same document. So does an unknown address that a person opened: the page says that it is
// unknown.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../core/errors.ts';
import { sendProblem } from './problem.ts';
import type { App } from './routes/route.ts';

/** No inline script or style, no eval, no other host; agents' text can be shown by nothing that reads HTML. */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `manifest-src 'self'`,
  `worker-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types holdpoint`,
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

const ADDRESSES = [
  '/',
  '/sign-in',
  '/asks',
  '/asks/*',
  '/sessions',
  '/sessions/*',
  '/history',
  '/history/*',
  '/insights',
  '/rules',
  '/settings',
  '/notifications',
];
/** Named by their content, so they never change under their name. */
const HASHED = '/assets/*';
/** Fixed names: asked for by browsers, or needed at the root of what they control. */
const NAMED = [
  '/favicon.svg',
  '/icon-192.png',
  '/icon-512.png',
  '/icon-maskable-512.png',
  '/manifest.webmanifest',
  '/sw.js',
];

declare module 'fastify' {
  interface FastifyReply {
    sendPage(): FastifyReply;
  }
}

const SENDING = { cacheControl: false, preCompressed: true };
const REVALIDATED = 'no-cache';
const FOR_EVER = 'public, max-age=31536000, immutable';

export const isBuilt = (folder: string): boolean => existsSync(join(folder, 'index.html'));

/** A person has opened an address that is no route: the page says so, not a problem document. */
export const isLostVisitor = ({ is404, method, headers }: FastifyRequest): boolean =>
  is404 && method === 'GET' && headers.authorization === undefined && (headers.accept ?? '').includes('text/html');

export async function servePage(app: App, folder: string | undefined): Promise<void> {
  await app.register(fastifyStatic, { root: folder ?? import.meta.dirname, serve: false, ...SENDING });
  const open = { config: { scopes: 'open' as const } };
  const send = (reply: FastifyReply, file: string, caching: string): FastifyReply => {
    if (!folder || !isBuilt(folder)) return sendProblem(reply, NOT_BUILT);
    if (!existsSync(join(folder, file))) return sendProblem(reply, refuse('route_not_found', `There is no ${file}.`));
    return reply.headers({ ...PAGE_HEADERS, 'cache-control': caching }).sendFile(file);
  };
  app.decorateReply('sendPage', function sendPage(this: FastifyReply) {
    return send(this, 'index.html', REVALIDATED);
  });
  for (const address of ADDRESSES) app.get(address, open, (_request, reply) => send(reply, 'index.html', REVALIDATED));
  for (const name of NAMED) app.get(name, open, (_request, reply) => send(reply, name.slice(1), REVALIDATED));
  app.get(HASHED, open, (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    return /^[\w.-]+$/.test(name)
      ? send(reply, `assets/${name}`, FOR_EVER)
      : sendProblem(reply, refuse('route_not_found', 'There is no such file.'));
  });
}

const NOT_BUILT = refuse(
  'page_not_built',
  'The web page is not part of this build. In a clone run `npm start` or `npm run build`, which build it.',
);
