// The full cycle with the fetch client that orval generates.
import {
  answerQuestion,
  completeRun,
  createSession,
  getAsk,
  markDelivered,
  raiseAsk,
  startRun,
} from './generated/orval-fetch/client.js';
import { question, report, token, url } from './question.js';

// The generated functions call paths of the server: they are sent to this one.
const direct = globalThis.fetch;
globalThis.fetch = (input, init) => direct(new URL(String(input), url), init);
const sent = { headers: { authorization: `Bearer ${token}` } };

const session = await createSession({ agent: 'external' }, sent);
if (session.status !== 201) throw new Error('no session');
const run = await startRun(session.data.session_id, { input: { text: 'deploy' } }, sent);
if (run.status !== 202) throw new Error('no run');
const { run_id } = run.data;
const keyed = { headers: { ...sent.headers, 'Idempotency-Key': 'raise-1' } };
const asked = await raiseAsk(run_id, question, keyed);
if (asked.status !== 201) throw new Error('no ask');
const { ask_id } = asked.data;
const answers = [{ question_id: 'target', selected_option_ids: ['staging'] }];
await answerQuestion(run_id, { resolution: { request_id: ask_id, answers } }, {}, sent);
const late = await answerQuestion(run_id, { resolution: { request_id: ask_id, declined: true } }, {}, sent);
const ended = await getAsk(ask_id, { wait_ms: 1000 }, sent);
if (ended.status !== 200) throw new Error('not ended');
await markDelivered(ask_id, {}, sent);
await completeRun(run_id, { text: 'done' }, sent);
report(
  ended.data.kind === 'question' ? ended.data.request.questions[0]?.id : undefined,
  ended.data.answer?.answers?.[0]?.selected_option_ids?.[0],
  late.status === 409 && late.data.code === 'question_state_conflict' ? late.data.winner?.answered_by : undefined,
);
