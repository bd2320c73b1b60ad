// Tokens: made and shown once, listed, revoked. Operators only.
import { z } from 'zod';
import { CreateToken } from '../../core/bodies.ts';
import { NewTokenView, TokenView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { keyOf, PageQuery, pageOf, sendList } from '../request.ts';
import { type AddRoutes, about, replies } from './route.ts';

export const addTokens: AddRoutes = (app, { gateway, streams }) => {
  app.post(
    '/v1/tokens',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('tokens', 'Make a token', 'Its secret is in this response and nowhere else.'),
        body: CreateToken,
        response: replies({ 201: NewTokenView }),
      },
    },
    async (request, reply) => {
      const { view } = await gateway.createToken(request.body, keyOf(request, gateway.hash));
      return reply.code(201).send(view);
    },
  );

  app.get(
    '/v1/tokens',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('tokens', 'List tokens'),
        querystring: PageQuery,
        response: replies({ 200: z.array(TokenView) }),
      },
    },
    async (request, reply) => sendList(request, reply, await gateway.listTokens(pageOf(request.query))),
  );

  app.delete(
    '/v1/tokens/:token_id',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('tokens', 'Revoke a token'),
        params: z.object({ token_id: z.string() }),
        response: replies({ 200: TokenView }),
      },
    },
    async (request) => {
      const { view } = await gateway.revokeToken(request.params.token_id, keyOf(request, gateway.hash));
      app.forgetTokens();
      streams.endOf(view.token_id);
      return view;
    },
  );
};
