// The client has a call for every endpoint of the OpenAPI document and no other. Each call is made with the parameter names
// of the document as ids, so that the received path is the template itself.
// Covers: src/client/rule-calls.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { openServer, type Server } from '../support/server.ts';
import { type Listener, listen, sendJson } from './listener.ts';

let server: Server;
let listener: Listener;
beforeAll(async () => {
  server = await openServer();
  listener = await listen((_, response) => sendJson(response, 200, {}));
});
afterAll(async () => {
  await listener.close();
  await server.close();
});

const CALLS: ((c: Client) => Promise<unknown>)[] = [
  (c) => c.sessions.create({ agent: 'external' }),
  (c) => c.sessions.list(),
  (c) => c.sessions.get('{session_id}'),
  (c) => c.sessions.say('{session_id}', { text: 'x' }),
  (c) => c.sessions.interrupt('{session_id}'),
  (c) => c.sessions.end('{session_id}'),
  (c) => c.sessions.records('{session_id}'),
  (c) => c.runs.start('{session_id}', { input: {} }),
  (c) => c.runs.list(),
  (c) => c.runs.get('{run_id}'),
  (c) => c.runs.input('{run_id}'),
  (c) => c.runs.cancel('{run_id}'),
  (c) => c.runs.output('{run_id}', { text: 'x' }),
  (c) => c.runs.complete('{run_id}'),
  (c) => c.runs.fail('{run_id}'),
  (c) => c.asks.raise('{run_id}', { kind: 'question', tool_call_id: 't', questions: [] }),
  (c) => c.asks.clarify('{run_id}', { tool_call_id: 't', questions: [] }),
  (c) => c.asks.list(),
  (c) => c.asks.get('{ask_id}'),
  (c) => c.asks.wait('{ask_id}', 0),
  (c) => c.asks.seen('{ask_id}'),
  (c) => c.asks.comment('{ask_id}', 'why?'),
  (c) => c.asks.take('{ask_id}'),
  (c) => c.asks.release('{ask_id}'),
  (c) => c.asks.snooze('{ask_id}', null),
  (c) => c.asks.sent('{ask_id}'),
  (c) => c.asks.delivered('{ask_id}'),
  (c) => c.asks.undeliverable('{ask_id}'),
  (c) => c.asks.withdraw('{ask_id}'),
  (c) => c.questions.list(),
  (c) => c.questions.ofSession('{session_id}'),
  (c) => c.questions.answerRun('{run_id}', { resolution: { request_id: 'a' } }),
  (c) => c.questions.answerSession('{session_id}', { resolution: { request_id: 'a' } }),
  (c) => c.questions.cancel('{run_id}', '{request_id}'),
  (c) => c.approvals.list(),
  (c) => c.approvals.ofSession('{session_id}'),
  (c) => c.approvals.decideRun('{run_id}', { resolutions: [] }),
  (c) => c.approvals.decideSession('{session_id}', { resolutions: [] }),
  (c) => c.approvals.decideSessionRun('{session_id}', { resolutions: [] }),
  (c) => c.events.list(),
  (c) => c.events.ofSession('{session_id}'),
  (c) => c.events.ofRun('{run_id}'),
  (c) => c.mailbox.list('{session_id}'),
  (c) => c.mailbox.acknowledge('{session_id}', '{message_id}'),
  (c) => c.mailbox.fail('{session_id}', '{message_id}'),
  (c) => c.mailbox.deadLetters('{session_id}'),
  (c) => c.threads.items('{thread_id}'),
  (c) => c.threads.post('{thread_id}', { content: [] }),
  (c) => c.workers.claim({ worker_id: 'w', agents: [] }),
  (c) => c.workers.heartbeat('{run_id}', { worker_id: 'w', lease_epoch: 1 }),
  (c) => c.workers.release('{run_id}', { worker_id: 'w', lease_epoch: 1 }),
  (c) => c.rules.list(),
  (c) => c.rules.test({ tool_name: 'Bash', input: {} }),
  (c) => c.rules.suggestions(),
  (c) => c.grants.preview({ request_id: '{ask_id}' }),
  (c) => c.grants.list(),
  (c) => c.grants.revoke('{grant_id}'),
  (c) => c.notices.settings(),
  (c) => c.notices.pushKey(),
  (c) => c.notices.devices(),
  (c) => c.notices.addDevice({ label: 'x', subscription: { endpoint: 'x', keys: { p256dh: 'x', auth: 'x' } } }),
  (c) => c.notices.removeDevice('{device_id}'),
  (c) => c.notices.setQuietHours(undefined),
  (c) => c.notices.test(),
  (c) => c.webhooks.add({ name: 'x', url: 'x' }),
  (c) => c.webhooks.list(),
  (c) => c.webhooks.remove('{webhook_id}'),
  (c) => c.webhooks.deliveries('{webhook_id}'),
  (c) => c.webhooks.redeliver('{webhook_id}'),
  (c) => c.tokens.create({ scope: 'viewer' }),
  (c) => c.tokens.list(),
  (c) => c.tokens.revoke('{token_id}'),
  (c) => c.auditKeys.list(),
  (c) => c.auditKeys.rotate(),
  (c) => c.asks.draft('{ask_id}'),
  (c) => c.asks.saveDraft('{ask_id}', {}),
  (c) => c.asks.dropDraft('{ask_id}'),
  (c) => c.insights.show(),
  (c) => c.insights.agents(),
  (c) => c.signIn.offer(),
  (c) => c.signIn.use({ code: 'x' }),
  (c) => c.signIn.out(),
  (c) => c.signIn.me(),
  (c) => c.skills.list(),
  (c) => c.skills.upload({ file: new Blob(['x']), fileName: 'x.zip' }),
  (c) => c.skills.replace('{skill_id}', { file: new Blob(['x']), fileName: 'x.zip' }),
  (c) => c.skills.download('{skill_id}'),
  (c) => c.skills.remove('{skill_id}'),
  (c) => c.system.health(),
  (c) => c.system.ready(),
  (c) => c.system.metrics(),
];

it('calls exactly the documented endpoints', async () => {
  const client = createClient({ url: listener.url, token: 't' });
  for (const call of CALLS) await call(client);
  const called = new Set(listener.heard.map((h) => `${h.method} ${decodeURIComponent(h.path.split('?')[0] ?? '')}`));
  const documented = Object.entries(server.openApi.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...called].sort()).toEqual(documented.sort());
});

it('has no call that is not in the list above, except the streams and the document itself', async () => {
  const { http: _, underLease: __, ...groups } = createClient({ url: listener.url, token: 't' });
  const names = Object.entries(groups).flatMap(([group, calls]) =>
    Object.keys(calls).map((name) => `${group}.${name}`),
  );
  const listed = CALLS.map((call) => /c\.(\w+\.\w+)\(/.exec(call.toString())?.[1]);
  const others = ['events.follow', 'events.followSession', 'events.followRun', 'threads.follow', 'system.openapi'];
  expect(names.filter((name) => !listed.includes(name))).toEqual(others);
});
