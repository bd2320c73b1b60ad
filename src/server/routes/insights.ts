// Reports how long answers took, and which agents can be given work.
import { z } from 'zod';
import { InsightsView } from '../../core/insight.ts';
import { AgentView } from '../../core/views.ts';
import { READERS } from '../auth.ts';
import { digits } from '../request.ts';
import type { AddRoutes } from './route.ts';

const InsightsQuery = z.strictObject({
  from: digits('Epoch milliseconds; by default 30 days before `to`'),
  to: digits('Epoch milliseconds; now by default'),
});

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

export const addInsights: AddRoutes = ({ route, gateway, workers }) => {
  route('insights', 'GET /v1/insights', {
    name: 'getInsights',
    summary: 'How long answers take, and what is asked by whom',
    description: 'Of asks raised in the span.',
    scopes: READERS,
    query: InsightsQuery,
    reply: InsightsView,
    handle: ({ query }) => gateway.insights({ from: numberOf(query.from), to: numberOf(query.to) }),
  });

  route('workers', 'GET /v1/agents', {
    name: 'listAgents',
    summary: 'Agents that a worker of this server hosts now',
    description: 'With the settings that a run may choose, and the labels of the workers that host them.',
    scopes: READERS,
    reply: z.array(AgentView),
    handle: async () => workers.agents(gateway.now()),
  });
};
