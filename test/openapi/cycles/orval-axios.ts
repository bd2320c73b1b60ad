// The full cycle with the axios client that orval generates.
import axios from 'axios';
import {
  answerQuestion,
  completeRun,
  createSession,
  getAsk,
  markDelivered,
  type Problem,
  raiseAsk,
  startRun,
} from './generated/orval-axios/client.js';
import { question, report, token, url } from './question.js';

axios.defaults.baseURL = url;
axios.defaults.headers.common.authorization = `Bearer ${token}`;

const { data: session } = await createSession({ agent: 'external' });
const { data: run } = await startRun(session.session_id, { input: { text: 'deploy' } });
const { run_id } = run;
const { data: asked } = await raiseAsk(run_id, question, { headers: { 'Idempotency-Key': 'raise-1' } });
const { ask_id } = asked;
const answers = [{ question_id: 'target', selected_option_ids: ['staging'] }];
await answerQuestion(run_id, { resolution: { request_id: ask_id, answers } });
const late = await answerQuestion(run_id, { resolution: { request_id: ask_id, declined: true } }).catch(
  (error: unknown) => (axios.isAxiosError<Problem>(error) ? error.response?.data : undefined),
);
const { data: ended } = await getAsk(ask_id, { wait_ms: 1000 });
await markDelivered(ask_id, {});
await completeRun(run_id, { text: 'done' });
report(
  ended.kind === 'question' ? ended.request.questions[0]?.id : undefined,
  ended.answer?.answers?.[0]?.selected_option_ids?.[0],
  late && 'winner' in late ? late.winner?.answered_by : undefined,
);
