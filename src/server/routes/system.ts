// Reports health, readiness and metrics.
import { z } from 'zod';
import { READERS } from '../auth.ts';
import type { Metrics } from '../metrics.ts';
import type { Context } from './route.ts';

const Health = z.object({ status: z.string() });

export function addSystem({ route, gateway }: Context, metrics: Metrics): void {
  route('system', 'GET /healthz', {
    summary: 'The process is alive',
    scopes: 'open',
    anyHost: true,
    reply: Health,
    handle: async () => ({ status: 'ok' }),
  });

  route('system', 'GET /readyz', {
    summary: 'The server can read its database',
    scopes: 'open',
    anyHost: true,
    reply: Health,
    async handle() {
      await gateway.lastSeq();
      return { status: 'ready' };
    },
  });

  route('system', 'GET /metrics', {
    summary: 'Prometheus metrics',
    scopes: READERS,
    anyHost: true,
    reply: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    handle: async ({ reply }) => reply.type(metrics.contentType).send(await metrics.text()),
  });
}
