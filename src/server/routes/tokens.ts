// Creates, lists and revokes tokens. A secret is shown once. Operators only.
import { z } from 'zod';
import { CreateToken } from '../../core/bodies.ts';
import { NewTokenView, TokenView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { PageQuery, pageOf, sendList } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addTokens: AddRoutes = ({ app, route, gateway, streams }) => {
  route('tokens', 'POST /v1/tokens', {
    name: 'createToken',
    summary: 'Make a token',
    description: 'Its secret is in this response and nowhere else.',
    scopes: ANSWERERS,
    body: CreateToken,
    examples: { agent: { scope: 'agent', session_id: 'build-42', name: 'ci' } },
    refuses: ['invalid_token_request', 'name_taken', 'session_not_found'],
    reply: NewTokenView,
    status: 201,
    change: ({ body, key }) => gateway.createToken(body, key),
  });

  route('tokens', 'GET /v1/tokens', {
    name: 'listTokens',
    summary: 'List tokens',
    description: 'Revoked and expired ones too; never their secrets.',
    scopes: ANSWERERS,
    query: PageQuery,
    reply: z.array(TokenView),
    handle: async ({ request, reply, query }) => sendList(request, reply, await gateway.listTokens(pageOf(query))),
  });

  route('tokens', 'DELETE /v1/tokens/:token_id', {
    name: 'revokeToken',
    summary: 'Revoke a token',
    description: 'It is refused from then on and its open streams end.',
    scopes: ANSWERERS,
    isKeyed: true,
    reply: TokenView,
    async handle({ params, key }) {
      const { view } = await gateway.revokeToken(params.token_id, key);
      app.forgetTokens();
      streams.endOf(view.token_id);
      return view;
    },
  });
};
