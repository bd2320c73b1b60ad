// Signs browsers in and out. Opening a link decides nothing: the page takes the code from the part of the address that
// browsers do not send, and posts it.
import { z } from 'zod';
import { CreateSignInLink, Empty, SignIn } from '../../core/bodies.ts';
import { fail, HoldpointError } from '../../core/errors.ts';
import { MeView, SignInLinkView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER, READERS } from '../auth.ts';
import { clearCookies, isTls, sessionSecretOf, setCookies } from '../browser.ts';
import type { AddRoutes } from './route.ts';

export const addSignIn: AddRoutes = ({ app, route, gateway, throttle, streams, transport }) => {
  route('tokens', 'POST /v1/sign-in-links', {
    name: 'createSignInLink',
    summary: 'Make a link that signs a browser in',
    description: 'Good once, for ten minutes.',
    scopes: ANSWERERS,
    body: CreateSignInLink,
    examples: { viewer: { scope: 'viewer', name: 'Grace' } },
    refuses: ['name_taken'],
    reply: SignInLinkView,
    status: 201,
    async handle({ request, actor, body, key }) {
      const { view } = await gateway.offerSignIn(body, actor.name, key);
      const origin = `${isTls(request, transport) ? 'https' : 'http'}://${request.headers.host}`;
      return { url: `${origin}/sign-in#${view.code}`, expires_at_ms: view.expiresAt };
    },
  });

  route('tokens', 'POST /v1/sign-in', {
    name: 'signIn',
    summary: 'Exchange the code of a link for the cookies of a session',
    description: 'From our own page only.',
    scopes: 'page',
    body: SignIn,
    examples: { link: { code: 'hp_code', name: 'Ada' } },
    refuses: ['name_taken', 'rate_limited', 'sign_in_link_expired', 'sign_in_link_unknown', 'sign_in_link_used'],
    reply: MeView,
    async handle({ request, reply, body }) {
      const { secret, token } = await gateway.signIn(body, sessionSecretOf(request)).catch((error) => {
        if (isWrongCode(error)) throttle.wrongCode(request.ip, gateway.now());
        throw error;
      });
      app.forgetTokens();
      setCookies(reply, secret, isTls(request, transport), gateway.hash);
      const { id: token_id, kind, name, scope, expiresAt: expires_at_ms } = token;
      return { token_id, kind, name, scope, expires_at_ms };
    },
  });

  route('tokens', 'POST /v1/sign-out', {
    name: 'signOut',
    summary: 'End the session of this browser',
    description: 'Its cookies are worthless from then on.',
    scopes: READERS,
    body: Empty,
    reply: z.void(),
    status: 204,
    async handle({ request, reply, actor }) {
      if (actor.kind !== 'browser')
        throw fail('invalid_request', 'Only browsers sign out. A token is revoked with DELETE /v1/tokens/{token_id}.');
      await gateway.revokeToken(actor.tokenId);
      app.forgetTokens();
      streams.endOf(actor.tokenId);
      clearCookies(reply, isTls(request, transport));
    },
  });

  route('tokens', 'GET /v1/me', {
    name: 'getMe',
    summary: 'Who the caller is',
    description: 'The scope, and the session of a token that belongs to one.',
    scopes: EVERY_READER,
    reply: MeView,
    handle: async ({ actor }) => ({
      token_id: actor.tokenId,
      kind: actor.kind,
      name: actor.name,
      scope: actor.scope,
      ...(actor.sessionId !== undefined && { session_id: actor.sessionId }),
      ...(actor.expiresAt !== undefined && { expires_at_ms: actor.expiresAt }),
    }),
  });
};

const isWrongCode = (error: unknown): boolean =>
  error instanceof HoldpointError && error.code.startsWith('sign_in_link_');
