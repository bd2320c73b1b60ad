// The full cycle with openapi-fetch and the types that openapi-typescript generates.
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-fetch.js';
import { question, report, token, url } from './question.js';

const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });

const { data: session } = await client.POST('/v1/sessions', { body: { agent: 'external' } });
if (!session) throw new Error('no session');
const { session_id } = session;
const { data: run } = await client.POST('/v1/sessions/{session_id}/runs', {
  params: { path: { session_id } },
  body: { input: { text: 'deploy' } },
});
if (!run) throw new Error('no run');
const { run_id } = run;
const { data: asked } = await client.POST('/v1/runs/{run_id}/asks', {
  params: { path: { run_id }, header: { 'Idempotency-Key': 'raise-1' } },
  body: question,
});
if (!asked) throw new Error('no ask');
const { ask_id } = asked;
const answers = [{ question_id: 'target', selected_option_ids: ['staging'] }];
const path = { params: { path: { run_id } } };
await client.POST('/v1/runs/{run_id}/questions', { ...path, body: { resolution: { request_id: ask_id, answers } } });
const late = await client.POST('/v1/runs/{run_id}/questions', {
  ...path,
  body: { resolution: { request_id: ask_id, declined: true } },
});
const { data: ended } = await client.GET('/v1/asks/{ask_id}', {
  params: { path: { ask_id }, query: { wait_ms: 1000 } },
});
await client.POST('/v1/asks/{ask_id}/delivered', { params: { path: { ask_id } }, body: {} });
await client.POST('/v1/runs/{run_id}/complete', { ...path, body: { text: 'done' } });
report(
  ended?.kind === 'question' ? ended.request.questions[0]?.id : undefined,
  ended?.answer?.answers?.[0]?.selected_option_ids?.[0],
  late.error?.code === 'question_state_conflict' ? late.error.winner?.answered_by : undefined,
);
