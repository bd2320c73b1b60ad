// Health, readiness and metrics.
import { z } from 'zod';
import { READERS } from '../auth.ts';
import type { Metrics } from '../metrics.ts';
import { type App, about, type Context, replies } from './route.ts';

const Health = z.object({ status: z.string() });

export function addSystem(app: App, { gateway }: Context, metrics: Metrics): void {
  app.get(
    '/healthz',
    {
      config: { scopes: 'open' },
      schema: { ...about('system', 'The process is alive'), response: replies({ 200: Health }) },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      config: { scopes: 'open' },
      schema: { ...about('system', 'The server can read its database'), response: replies({ 200: Health }) },
    },
    async () => {
      await gateway.lastSeq();
      return { status: 'ready' };
    },
  );

  app.get(
    '/metrics',
    {
      config: { scopes: READERS },
      schema: {
        ...about('system', 'Prometheus metrics'),
        response: replies({
          200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
        }),
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
