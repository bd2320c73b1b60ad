// Reports health, readiness and metrics.
import { z } from 'zod';
import { READERS } from '../auth.ts';
import type { Metrics } from '../metrics.ts';
import type { Context } from './route.ts';

const Health = z.object({ status: z.string() });

export function addSystem({ route, gateway }: Context, metrics: Metrics): void {
  route('system', 'GET /healthz', {
    name: 'getHealth',
    summary: 'The process is alive',
    description: 'For liveness probes; answers under any Host and needs no token.',
    scopes: 'open',
    anyHost: true,
    reply: Health,
    handle: async () => ({ status: 'ok' }),
  });

  route('system', 'GET /readyz', {
    name: 'getReadiness',
    summary: 'The server can read its database',
    description: 'For readiness probes: one read of the database. Answers under any Host and needs no token.',
    scopes: 'open',
    anyHost: true,
    reply: Health,
    async handle() {
      await gateway.lastSeq();
      return { status: 'ready' };
    },
  });

  route('system', 'GET /metrics', {
    name: 'getMetrics',
    summary: 'Prometheus metrics',
    description:
      'For Prometheus, with the token of an operator or a viewer, under any Host. Every server reports on the whole database.',
    scopes: READERS,
    anyHost: true,
    reply: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    handle: async ({ reply }) => reply.type(metrics.contentType).send(await metrics.text()),
  });
}
