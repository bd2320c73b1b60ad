// The full cycle with the client that @hey-api/openapi-ts generates.
import { client } from './generated/hey-api/client.gen.js';
import {
  answerQuestion,
  completeRun,
  createSession,
  getAsk,
  markDelivered,
  raiseAsk,
  startRun,
} from './generated/hey-api/index.js';
import { question, report, token, url } from './question.js';

client.setConfig({ baseUrl: url, auth: token, throwOnError: true });

const throwing = { throwOnError: true } as const;
const { data: session } = await createSession({ ...throwing, body: { agent: 'external' } });
const { session_id } = session;
const { data: run } = await startRun({ ...throwing, path: { session_id }, body: { input: { text: 'deploy' } } });
const { run_id } = run;
const headers = { 'Idempotency-Key': 'raise-1' };
const { data: asked } = await raiseAsk({ ...throwing, path: { run_id }, headers, body: question });
const { ask_id } = asked;
const resolution = {
  request_id: ask_id,
  answers: [{ question_id: 'target', selected_option_ids: ['staging'] }],
};
await answerQuestion({ ...throwing, path: { run_id }, body: { resolution } });
const second = { request_id: ask_id, declined: true };
const late = await answerQuestion({ throwOnError: false, path: { run_id }, body: { resolution: second } });
const { data: ended } = await getAsk({ ...throwing, path: { ask_id }, query: { wait_ms: 1000 } });
await markDelivered({ ...throwing, path: { ask_id }, body: {} });
await completeRun({ ...throwing, path: { run_id }, body: { text: 'done' } });
report(
  ended.kind === 'question' ? ended.request.questions[0]?.id : undefined,
  ended.answer?.answers?.[0]?.selected_option_ids?.[0],
  late.error?.code === 'question_state_conflict' ? late.error.winner?.answered_by : undefined,
);
