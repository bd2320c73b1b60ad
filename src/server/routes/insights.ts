// What the past tells about waiting, and which agents can be given work: for the pages people look at.
import { z } from 'zod';
import { InsightsView } from '../../core/insight.ts';
import { AgentView } from '../../core/views.ts';
import { READERS } from '../auth.ts';
import { type AddRoutes, about, replies } from './route.ts';

const instant = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .optional();
const InsightsQuery = z.strictObject({
  from: instant.describe('Epoch milliseconds; 30 days before `to` unless said otherwise'),
  to: instant.describe('Epoch milliseconds; now unless said otherwise'),
});

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

export const addInsights: AddRoutes = (app, { gateway, workers }) => {
  app.get(
    '/v1/insights',
    {
      config: { scopes: READERS },
      schema: {
        ...about('insights', 'How long answers take, and what is asked by whom', 'Of asks raised in the span.'),
        querystring: InsightsQuery,
        response: replies({ 200: InsightsView }),
      },
    },
    ({ query }) => gateway.insights({ from: numberOf(query.from), to: numberOf(query.to) }),
  );

  app.get(
    '/v1/agents',
    {
      config: { scopes: READERS },
      schema: {
        ...about('workers', 'Agents that a worker of this server hosts now'),
        response: replies({ 200: z.array(AgentView) }),
      },
    },
    async () => workers.agents(gateway.now()),
  );
};
