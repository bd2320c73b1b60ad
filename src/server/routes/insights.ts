// Reports how long answers took, and which agents can be given work.
import { z } from 'zod';
import { InsightsView } from '../../core/insight.ts';
import { AgentView } from '../../core/views.ts';
import { READERS } from '../auth.ts';
import { countOf, SpanQuery } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addInsights: AddRoutes = ({ route, gateway, workers }) => {
  route('insights', 'GET /v1/insights', {
    name: 'getInsights',
    summary: 'How long answers take, how long agents stood still, and what is asked by whom',
    description: 'Of asks raised in the span.',
    scopes: READERS,
    query: SpanQuery,
    reply: InsightsView,
    handle: ({ query }) => gateway.insights({ from: countOf(query.from), to: countOf(query.to) }),
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
