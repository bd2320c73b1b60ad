// Servers that share one PostgreSQL database: their common environment, and one question raised and answered at any of
// them.
import type { AskView, RunView } from '../../src/core/views.ts';
import { type Sent, send } from './http.ts';
import type { Holdpoint } from './process.ts';

/** The environment in which several servers accept the same token and the same secrets. */
export const SHARED = {
  HOLDPOINT_TOKEN: 'shared-by-all-the-servers',
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};
const QUESTION = { kind: 'question', questions: [{ id: 'which', question: 'Which?' }] };

export const caller =
  ({ url }: Holdpoint) =>
  <T>(sent: Sent) =>
    send<T>(url, { token: SHARED.HOLDPOINT_TOKEN, ...sent });
export type Call = ReturnType<typeof caller>;

export async function raise(call: Call, toolCallId: string, more: object = {}): Promise<AskView> {
  const session_id = `of-${toolCallId}`;
  await call({ path: '/v1/sessions', body: { session_id, agent: 'external' } });
  const path = `/v1/sessions/${session_id}/runs`;
  const run = await call<RunView>({ path, body: { input: { text: 'x' } } });
  const body = { ...QUESTION, tool_call_id: toolCallId, ...more };
  return (await call<AskView>({ path: `/v1/runs/${run.body.run_id}/asks`, body })).body;
}

export const answer = (call: Call, { run_id, ask_id }: AskView) =>
  call<{ code?: string }>({
    path: `/v1/runs/${run_id}/questions`,
    body: { resolution: { request_id: ask_id, answers: [{ question_id: 'which', freeform_answer: 'this' }] } },
  });
