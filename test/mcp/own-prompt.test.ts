// Elicitation at the agent's own screen with several servers on one database: any of them takes the reply.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { type Holdpoint, startHoldpoint } from '../support/process.ts';
import { caller, SHARED } from '../support/shared-database.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();

it('accepts the reply of a client of the 2025 protocol at either of two servers', async () => {
  const database = await postgres.database();
  const env = { ...SHARED, HOLDPOINT_DATABASE_URL: database.url };
  const servers = await Promise.all([1, 2].map(() => startHoldpoint({ via: 'main', env, args: ['--no-worker'] })));
  const [here, there] = servers as [Holdpoint, Holdpoint];
  const call = caller(here);
  await call({ path: '/v1/sessions', body: { session_id: 'mcp', agent: 'external' } });
  const { body: made } = await call<{ token: string }>({
    path: '/v1/tokens',
    body: { scope: 'agent', session_id: 'mcp' },
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { which: 'this' } }));
  const served: string[] = [];
  // What the client is asked comes on the stream of its call; what it replies goes to the other server.
  const fetchFrom = (_: unknown, init?: RequestInit) => {
    const message = JSON.parse(String(init?.body ?? '{}')) as { method?: string; result?: unknown };
    const { url } = message.method === 'tools/call' ? here : there;
    served.push(`${message.method ?? (message.result ? 'reply' : 'listen')} ${url === here.url ? 'here' : 'there'}`);
    return fetch(`${url}/mcp`, init);
  };
  const requestInit = { headers: { authorization: `Bearer ${made.token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${here.url}/mcp`), { requestInit, fetch: fetchFrom }),
  );
  const questions = [{ id: 'which', question: 'Which?' }];
  const told = await client.callTool({ name: 'ask_user', arguments: { questions } }, { onprogress: () => {} });
  expect(told.structuredContent).toMatchObject({ answers: [{ question_id: 'which', text: 'this' }] });
  expect(served).toEqual(expect.arrayContaining(['initialize there', 'tools/call here', 'reply there']));
  await client.close();
}, 120_000);
