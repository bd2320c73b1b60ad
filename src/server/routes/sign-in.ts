// Signing in and out of a browser. Opening a link decides nothing: the page takes the code from the part of the address
// that browsers do not send, and posts it.
import { z } from 'zod';
import { CreateSignInLink, Empty, SignIn } from '../../core/bodies.ts';
import { fail } from '../../core/errors.ts';
import { MeView, SignInLinkView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER, READERS } from '../auth.ts';
import { clearCookies, isTls, sessionSecretOf, setCookies } from '../browser.ts';
import { keyOf } from '../request.ts';
import { type AddRoutes, about, replies } from './route.ts';

export const addSignIn: AddRoutes = (app, { gateway, throttle, streams, transport }) => {
  app.post(
    '/v1/sign-in-links',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('tokens', 'Make a link that signs a browser in', 'Good once, for ten minutes.'),
        body: CreateSignInLink,
        response: replies({ 201: SignInLinkView }),
      },
    },
    async (request, reply) => {
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.offerSignIn(request.body, request.actor.name, key);
      const origin = `${isTls(request, transport) ? 'https' : 'http'}://${request.headers.host}`;
      return reply.code(201).send({ url: `${origin}/sign-in#${view.code}`, expires_at_ms: view.expiresAt });
    },
  );

  app.post(
    '/v1/sign-in',
    {
      config: { scopes: 'page' },
      onRequest: async (request) => throttle.signIn(request.ip, gateway.now()),
      schema: {
        ...about('tokens', 'Exchange the code of a link for the cookies of a session', 'From our own page only.'),
        body: SignIn,
        response: replies({ 200: MeView }),
      },
    },
    async (request, reply) => {
      const { secret, token } = await gateway.signIn(request.body, sessionSecretOf(request));
      app.forgetTokens();
      setCookies(reply, secret, isTls(request, transport), gateway.hash);
      const { id: token_id, kind, name, scope, expiresAt: expires_at_ms } = token;
      return reply.send({ token_id, kind, name, scope, expires_at_ms });
    },
  );

  app.post(
    '/v1/sign-out',
    {
      config: { scopes: READERS },
      schema: {
        ...about('tokens', 'End the session of this browser', 'Its cookies are worthless from then on.'),
        body: Empty,
        response: replies({ 204: z.void() }),
      },
    },
    async (request, reply) => {
      const { actor } = request;
      if (actor.kind !== 'browser')
        throw fail('invalid_request', 'Only browsers sign out. A token is revoked with DELETE /v1/tokens/{token_id}.');
      await gateway.revokeToken(actor.tokenId);
      app.forgetTokens();
      streams.endOf(actor.tokenId);
      clearCookies(reply, isTls(request, transport));
      return reply.code(204).send();
    },
  );

  app.get(
    '/v1/me',
    {
      config: { scopes: EVERY_READER },
      schema: { ...about('tokens', 'Who the caller is'), response: replies({ 200: MeView }) },
    },
    async ({ actor }) => ({
      token_id: actor.tokenId,
      kind: actor.kind,
      name: actor.name,
      scope: actor.scope,
      ...(actor.sessionId !== undefined && { session_id: actor.sessionId }),
      ...(actor.expiresAt !== undefined && { expires_at_ms: actor.expiresAt }),
    }),
  );
};
