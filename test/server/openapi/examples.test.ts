// Every example of the OpenAPI document is sent, in an order in which a server accepts all of them. Ids that only a server
// can give are put in where the examples have theirs.
// Covers: src/server/openapi/document.ts, src/server/routes/refusal-codes.ts
import { expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView, SignInLinkView } from '../../../src/core/views.ts';
import { ok } from '../../support/api-calls.ts';
import { HOST, ORIGIN } from '../../support/browser.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

interface Example {
  method: string;
  path: string;
  body: unknown;
}

/** By operation and name: `raiseAsk.question`. */
const examples = (): Map<string, Example> =>
  new Map(
    Object.entries(server.openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, requestBody }]) =>
        Object.entries(requestBody?.content['application/json']?.examples ?? {}).map(
          ([name, { value }]): [string, Example] => [`${operationId}.${name}`, { method, path, body: value }],
        ),
      ),
    ),
  );

it('accepts every example as the document has it', async () => {
  const left = examples();
  const send = async <T>(name: string, ids: Record<string, string> = {}, headers = {}): Promise<T> => {
    const example = left.get(name);
    if (!example) throw new Error(`There is no example ${name}.`);
    left.delete(name);
    const path = example.path.replace(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? `no ${id}`);
    const text = JSON.stringify(example.body)
      .replaceAll('ask_01hzexample', ids.request_id ?? ids.ask_id ?? '')
      .replaceAll('hp_code', ids.code ?? '');
    const reply = await server.call<T>(example.method.toUpperCase(), path, JSON.parse(text), { headers });
    if (reply.status >= 300) expect.fail(`${name}: ${reply.text}`);
    return reply.body;
  };
  const session_id = 'build-42';
  const runIn = async (session: string, more: object = {}) => {
    await ok(server.post('/v1/sessions', { session_id: session, agent: 'external', ...more }));
    return ok(server.post<RunView>(`/v1/sessions/${session}/runs`, { input: {} }));
  };
  const raise = (run_id: string, call: string, body: object) =>
    ok(server.post<AskView>(`/v1/runs/${run_id}/asks`, { tool_call_id: call, ...body }));
  const question = { kind: 'question', questions: [{ id: 'target', question: 'Where?', options: OPTIONS }, NOTES] };
  const approval = { kind: 'approval', tool_name: 'Bash', input: { command: 'rm -rf build' } };

  await send('createSession.external');
  await send('createToken.agent');
  await send('testRules.command');
  const { run_id } = await send<RunView>('startRun.text', { session_id });
  await send('postOutput.text', { run_id });

  const asked = await send<AskView>('raiseAsk.question', { run_id });
  await send('saveDraft.answer', { ask_id: asked.ask_id });
  await send('commentOnAsk.comment', { ask_id: asked.ask_id });
  await send('snoozeAsk.end', { ask_id: asked.ask_id });
  await send('answerQuestion.option', { run_id, request_id: asked.ask_id });
  const gated = await send<AskView>('raiseAsk.approval', { run_id });
  await send('previewGrant.session', { request_id: gated.ask_id });
  await send('decideApprovals.allow', { run_id, request_id: gated.ask_id });
  const denied = await raise(run_id, 'a', approval);
  await send('decideSessionApprovals.deny', { session_id, request_id: denied.ask_id });
  const edited = await raise(run_id, 'b', approval);
  await send('decideApprovalsOfActiveRun.edited', { session_id, request_id: edited.ask_id });
  const declined = await raise(run_id, 'c', question);
  await send('answerSessionQuestion.declined', { session_id, request_id: declined.ask_id });
  const withdrawn = await raise(run_id, 'd', question);
  await send('withdrawAsk.decided', { ask_id: withdrawn.ask_id });
  await raise(run_id, 'e', { kind: 'question', questions: [{ id: 'target', question: 'Where?', options: OPTIONS }] });
  await send('postThreadItem.text', { thread_id: `thr_${session_id}` });
  const cancelled = await raise(run_id, 'f', question);
  await send('cancelQuestion.reason', { run_id, request_id: cancelled.ask_id });
  await send('completeRun.text', { run_id: (await runIn('completed')).run_id });
  await send('failRun.failed', { run_id: (await runIn('failed')).run_id });
  await send('postMessage.text', { session_id });

  const child = await runIn('child', { parent_session_id: session_id });
  await send('raiseClarification.question', { run_id: child.run_id });

  await server.post('/v1/sessions', { session_id: 'programs', agent: 'my-agent' });
  await server.post('/v1/sessions/programs/runs', { input: {} });
  const { run } = await send<ClaimedRunView>('claimRun.own_agent');
  await send('renewLease.minute', { run_id: run.run_id });
  await send('releaseRun.stopped', { run_id: run.run_id });

  await send('createSignInLink.viewer');
  const { url } = await ok(server.post<SignInLinkView>('/v1/sign-in-links', {}));
  await send('signIn.link', { code: new URL(url).hash.slice(1) }, { host: HOST, origin: ORIGIN });
  await send('setQuietHours.night');
  await send('setQuietHours.none');
  await send('testNotices.self');
  const { webhook_id } = await send<{ webhook_id: string }>('addWebhook.runs');
  await send('redeliver.failed', { webhook_id });
  await send('addDevice.phone');
  expect([...left.keys()]).toEqual([]);
});

it('has an example for every body that may not be empty', () => {
  const named = new Set([...examples().keys()].map((name) => name.split('.')[0]));
  const without = Object.values(server.openApi.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ requestBody }) => requestBody?.required && requestBody.content['application/json'])
    .map(({ operationId }) => operationId)
    .filter((name) => !named.has(name));
  expect(without).toEqual([]);
});

const OPTIONS = [
  { id: 'staging', label: 'Staging' },
  { id: 'production', label: 'Production' },
];
const NOTES = { id: 'notes', question: 'Anything else?', required: false };
