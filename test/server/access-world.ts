// The two worlds of the access test: one that the tokens belong to, and a foreign one of the same shape. In each a worker
// hosts a run, which is held on a question and has mail, beside a session of an external agent, and a person has a skill.
import { hash, randomBytes } from 'node:crypto';
import type { GrantView } from '../../src/core/grant.ts';
import type { ClaimedRunView, MessageView } from '../../src/core/views.ts';
import {
  allow,
  clarify,
  decide,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  resolution,
  startRun,
} from '../support/api-calls.ts';
import type { CallOptions, Server } from '../support/server.ts';
import { skillZip } from '../support/skill-zips.ts';

export interface World {
  /** By the names of path parameters. */
  ids: Record<string, string>;
  /** Occurs in whatever a reply shows of this world. */
  mark: string;
  lease: string;
  tokens: { worker: string; agent: string; run: string; attached: string; skill: string };
}

export async function makeWorld(server: Server, mark: string): Promise<World> {
  const person = (await server.makeToken('operator', undefined, { name: `person-${mark}` })).token;
  const worker = (await server.makeToken('worker', undefined, { name: `worker-${mark}`, labels: [mark] })).token;
  const parent = await newSession(server, { title: mark });
  const fields = { agent: 'mock', title: mark, labels: [mark], parent_session_id: parent.session_id };
  const session = await ok(server.post<{ session_id: string }>('/v1/sessions', fields, { token: person }));
  const sessionId = session.session_id;
  const input = { input: { text: mark } };
  await ok(server.post(`/v1/sessions/${sessionId}/runs`, input, { token: person }));
  const claimed = await claim(server, mark, worker);
  const runId = claimed.run.run_id;
  const skill = String(claimed.env.WEGENT_SKILL_IDENTITY_TOKEN);
  const asked = await clarify(server, runId);
  await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
  const [message] = await ok(server.get<MessageView[]>(`/v1/sessions/${sessionId}/mailbox`));
  const ask = await raiseQuestion(server, runId, { context: mark });
  await startRun(server, parent.session_id);
  return {
    ids: {
      session_id: sessionId,
      run_id: runId,
      ask_id: ask.ask_id,
      request_id: ask.ask_id,
      message_id: String(message?.message_id),
      thread_id: `thr_${sessionId}`,
      grant_id: await giveGrant(server, mark),
      token_id: (await server.makeToken('viewer')).token_id,
      skill_id: await publish(server, `skill-${mark}`, skill),
      device_id: `con_${mark}`,
      webhook_id: `con_${mark}`,
      agent: 'known',
      conversation_id: sessionId,
      permission_id: ask.ask_id.replace('ask_', 'per_'),
      question_id: ask.ask_id.replace('ask_', 'que_'),
    },
    mark,
    lease: String(claimed.lease.epoch),
    tokens: {
      worker,
      agent: (await server.makeToken('agent', sessionId)).token,
      run: String(claimed.env.HOLDPOINT_TOKEN),
      attached: (await server.makeToken('attached', undefined, { name: `agent-${mark}` })).token,
      skill,
    },
  };
}

/** A person allowed something in advance. */
async function giveGrant(server: Server, mark: string): Promise<string> {
  const { session_id: sessionId } = await newSession(server, { title: mark });
  const ask = await raiseApproval(server, (await startRun(server, sessionId)).run_id);
  await ok(decide(server, ask.run_id, allow(ask.ask_id, { always: {} })));
  const [grant] = await ok(server.get<GrantView[]>(`/v1/grants?session_id=${sessionId}`));
  return String(grant?.grant_id);
}

async function claim(server: Server, mark: string, token: string): Promise<ClaimedRunView> {
  const body = { worker_id: `worker-${mark}`, labels: [mark], agents: [{ name: 'mock', recovery: 'none' }] };
  return ok(server.post<ClaimedRunView>('/v1/workers/claim', body, { token }));
}

async function publish(server: Server, name: string, token: string): Promise<string> {
  const reply = await server.raw('POST', '/api/v1/kinds/skills/upload', ...upload(name, token));
  if (reply.status !== 201) throw new Error(`no skill: ${reply.text}`);
  return (reply.body as { id: string }).id;
}

/** A multipart body with the zip of a skill. */
export function upload(name: string, token: string | null): [body: Buffer, options: CallOptions] {
  const boundary = hash('sha256', randomBytes(16), 'hex').slice(0, 32);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}.zip"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), skillZip(name), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return [body, { token, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }];
}
