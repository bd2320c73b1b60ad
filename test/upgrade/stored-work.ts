// The work that a release is made to store for its fixture: sessions of every agent, runs and asks in every state that an
// upgrade has to carry over. Written through the release's public API only. The session ids are what the test refers to.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, answer, asksOf, decide, type Fields, pendingAsk, type Run, until } from './api.ts';
import {
  asksBlocking,
  asksPermission,
  asksQuestion,
  begun,
  PROJECT,
  planMode,
  ready,
  result,
  toolResult,
  writeScript,
} from './stand-ins.ts';

const FAR_AWAY_MS = Date.UTC(2100, 0, 1);
const LONGEST_LEASE_MS = 600_000;
const TARGET = {
  id: 'target',
  header: 'Target',
  question: 'Where to deploy?',
  options: [
    { id: 'staging', label: 'Staging' },
    { id: 'production', label: 'Production', description: 'customers see it', recommended: true },
  ],
};
const PASSWORD = { id: 'password', question: 'The password of the registry?', secret: true };
const BUILD = { tool_name: 'Bash', input: { command: 'make release' }, reason: 'to build the release' };
const DIFF = '--- a/version\n+++ b/version\n@@ -1 +1 @@\n-1.0\n+1.1\n';
const SUGGESTIONS = [
  { id: 'session', label: 'Do not ask again in this session' },
  { id: 'always', label: 'Always allow it' },
];

async function start(api: Api, session: Fields, input: Fields, more: Fields = {}): Promise<Run> {
  const { session_id } = await api.post<{ session_id: string }>('/v1/sessions', session);
  return api.post(`/v1/sessions/${session_id}/runs`, { input, ...more });
}
const raise = (api: Api, { run_id }: Run, ask: Fields): Promise<Fields> => api.post(`/v1/runs/${run_id}/asks`, ask);
const approval = (tool_call_id: string, more: Fields = {}) => ({ kind: 'approval', tool_call_id, ...BUILD, ...more });
const question = (tool_call_id: string, more: Fields = {}) => ({
  kind: 'question',
  tool_call_id,
  questions: [TARGET],
  ...more,
});

/** Hosted by the worker of the server: each run stops at an ask that is still open when the server is killed. */
export async function storeHostedWork(api: Api, root: string): Promise<void> {
  await storeMockRuns(api);
  const folder = (name: string) => join(root, 'work', name);
  writeScript(
    folder('claude-held'),
    [ready, begun, planMode, ...asksQuestion('toolu_colour'), { hear: '"defer"' }, result('tool_deferred')],
    'script.json',
  );
  writeScript(
    folder('claude-died'),
    [
      ready,
      begun,
      // The model uses the id of a call a second time: for another command, and for a question.
      ...asksPermission('toolu_again', 'make first'),
      { hear: '"make first"' },
      toolResult('toolu_again'),
      ...asksPermission('toolu_ask', 'make docs'),
      { hear: '"make docs"' },
      toolResult('toolu_ask'),
      ...asksPermission('toolu_again', 'make second'),
      asksBlocking('toolu_ask'),
      { find: 'die' },
      { exit: 1 },
    ],
    'script.json',
  );
  for (const name of ['codex', 'exec']) mkdirSync(folder(name));
  const text = 'Paint the door.';
  for (const id of ['claude-held', 'claude-died'])
    await start(
      api,
      { session_id: id, agent: 'claude', title: id, work_folder: folder(id), project_ids: ['paint'] },
      { text, patience_ms: 0 },
    );
  await start(
    api,
    { session_id: 'codex', agent: 'codex', work_folder: folder('codex') },
    {
      text,
      approval_policy: 'on-request',
    },
  );
  const needsInput = JSON.stringify({ question: 'Which port?', options: ['80', '8080'], partial_state: { step: 2 } });
  const script = `case $AGORA_INPUT_JSON in *'"answer"'*) cat "$AGORA_INPUT_FILE";; *) cat > .agora/needs_input.json <<'END'\n${needsInput}\nEND\n;; esac`;
  await start(
    api,
    { session_id: 'exec', agent: 'exec', work_folder: folder('exec') },
    {
      command: ['sh', '-c', script],
      data: { task: 'serve' },
    },
  );
  for (const id of ['toolu_again', 'toolu_ask'])
    await decide(api, await pendingAsk(api, 'claude-died', id), { behavior: 'allow' });
  for (const id of ['toolu_again#2', 'toolu_ask#2']) await pendingAsk(api, 'claude-died', id);
  writeFileSync(join(folder('claude-died'), 'die'), '');
  const { run_id, tool_call_id, request } = await pendingAsk(api, 'codex');
  const { tool_name, input, reason, suggestions } = request;
  const again = { kind: 'approval', tool_call_id: `${tool_call_id}~2`, tool_name, input, reason, suggestions };
  await api.post(`/v1/runs/${run_id}/asks`, again);
  for (const id of ['mock-approval', 'mock-questions', 'mock-due', 'mock-parent']) await pendingAsk(api, id);
  for (const id of ['mock-form', 'exec', 'claude-held', 'claude-died']) await released(api, id);
}

/** Stopped cleanly: no worker holds its run. */
const released = (api: Api, sessionId: string) =>
  until(async () => {
    const events = await api.get<{ type: string }[]>(`/v1/sessions/${sessionId}/events?limit=500`);
    return events.find(({ type }) => type === 'run.released');
  });

async function storeMockRuns(api: Api): Promise<void> {
  const mock = (session_id: string, ...script: Fields[]) =>
    start(api, { session_id, agent: 'mock', title: `The ${session_id} session` }, { text: 'go', script });
  const ask = (id: string, more: Fields = {}) => ({ do: 'ask', id, questions: [TARGET], ...more });
  const complete = (id: string) => ({ do: 'complete', text: `I was told: {{${id}}}` });
  const deploy = { do: 'approve', id: 'deploy', ...BUILD, suggestions: SUGGESTIONS, diff: DIFF };
  await mock('mock-approval', { do: 'say', text: 'I look at the project.' }, deploy, complete('deploy'));
  await mock('mock-questions', ask('where', { questions: [TARGET, PASSWORD] }), complete('where'));
  await mock('mock-due', ask('where'), complete('where'));
  await mock('mock-form', ask('form', { mode: 'form' }), complete('form'));
  await mock(
    'mock-parent',
    {
      do: 'subagent',
      id: 'helper',
      title: 'The child',
      script: [{ do: 'clarify', id: 'which', questions: [TARGET] }, complete('which')],
      afterwards: [{ do: 'complete', text: 'The child has reported.' }],
    },
    { do: 'complete', text: 'I sent a child.' },
  );
}

/** By a server without a worker, after the one that hosted the runs was killed: answers stay due, leases lapse. */
export async function storeAnswersAndLeases(api: Api): Promise<void> {
  await answer(api, await pendingAsk(api, 'mock-due'), { question_id: 'target', selected_option_ids: ['production'] });
  await decide(api, await pendingAsk(api, 'claude-died', 'toolu_again#2'), {
    behavior: 'allow',
    suggestion_ids: ['session-0'],
  });
  const blue = { question_id: 'question-1', selected_option_ids: ['option-2'] };
  await answer(api, await pendingAsk(api, 'claude-died', 'toolu_ask#2'), blue);
  const script = [{ do: 'complete', text: 'I began again.' }];
  // The server's own worker, and one on another machine.
  for (const [session_id, worker_id] of [
    ['mock-lost', 'builtin'],
    ['mock-elsewhere', 'elsewhere'],
  ] as const) {
    await start(api, { session_id, agent: 'mock', labels: [session_id] }, { text: 'go', script });
    const agents = [{ name: 'mock', recovery: 'resume' }];
    await api.post('/v1/workers/claim', { worker_id, agents, labels: [session_id], lease_ms: LONGEST_LEASE_MS });
  }
  await start(api, { session_id: 'mock-queued', agent: 'mock' }, { text: 'go', script });
}

export async function storeExternalWork(api: Api): Promise<void> {
  const external = (session_id: string, more: Fields = {}) =>
    start(api, { session_id, agent: 'external', title: `The ${session_id} session`, ...more }, { text: 'ship it' });
  await storePending(api, external);
  const due = await external('external-due');
  await raise(api, due, approval('changed', { suggestions: SUGGESTIONS }));
  await raise(api, due, question('secret', { questions: [PASSWORD] }));
  await raise(api, due, question('declined'));
  const { decideNext, answerNext } = answering(api, 'external-due');
  await decideNext('changed', {
    behavior: 'allow',
    updated_input: { command: 'make release DRY_RUN=1' },
    suggestion_ids: ['session'],
    justification: 'dry run first',
  });
  await answerNext('secret', { question_id: 'password', freeform_answer: 'open sesame' });
  const declined = await pendingAsk(api, 'external-due', 'declined');
  const resolution = { request_id: declined.ask_id, declined: true, justification: 'ask the owner' };
  await api.post(`/v1/runs/${due.run_id}/questions`, { resolution });

  const kept = await external('external-kept');
  await raise(api, kept, question('where'));
  await raise(api, kept, approval('build'));
  const ofKept = answering(api, 'external-kept');
  await ofKept.answerNext('where', { question_id: 'target', selected_option_ids: ['staging'] });
  await ofKept.decideNext('build', { behavior: 'deny', reason: 'not on a Friday' });
  await api.post(`/v1/runs/${kept.run_id}/fail`, { interrupted_by: 'worker_restart' });
  await storeEnded(api, external);
}

function answering(api: Api, sessionId: string) {
  return {
    decideNext: async (callId: string, how: Fields) => decide(api, await pendingAsk(api, sessionId, callId), how),
    answerNext: async (callId: string, how: Fields) => answer(api, await pendingAsk(api, sessionId, callId), how),
  };
}

type External = (sessionId: string, more?: Fields) => Promise<Run>;

async function storePending(api: Api, external: External): Promise<void> {
  const run = await external('external-pending', { work_folder: PROJECT, channel_ids: ['releases'] });
  const files = [{ path: `${PROJECT}/version`, sha256: 'a'.repeat(64) }];
  const lineage = ['reviewer', 'builder'];
  await raise(api, run, approval('call_1', { suggestions: SUGGESTIONS, diff: DIFF, files, lineage }));
  await raise(api, run, approval('call_1#2', { mode: 'deferred', scope: 'once' }));
  await raise(api, run, approval('call_1@turn~2', { work_folder: '/srv/elsewhere' }));
  const questions = [{ ...TARGET, multi_select: true, required: false, default: ['staging'] }, PASSWORD];
  const set = question('call_2', { questions, context: 'For the release.', expires_at_ms: FAR_AWAY_MS });
  const { ask_id } = await raise(api, run, set);
  await api.post(`/v1/asks/${ask_id}/seen`);
  // Two more inputs wait for the slot.
  for (const text of ['then tell the team', 'then clean up'])
    await api.post(`/v1/sessions/external-pending/runs`, { input: { text } });
}

async function storeEnded(api: Api, external: External): Promise<void> {
  const done = await external('external-ended');
  await api.post(`/v1/runs/${done.run_id}/output`, { text: 'I build it.', data: { files: 3 } });
  await raise(api, done, approval('delivered'));
  await raise(api, done, question('withdrawn'));
  await raise(api, done, approval('expired', { mode: 'deferred', expires_after_ms: 1 }));
  await answering(api, 'external-ended').decideNext('delivered', { behavior: 'allow' });
  const asks = await api.get<{ ask_id: string; tool_call_id: string; request: { digest: string } }[]>(
    `/v1/asks?run_id=${done.run_id}`,
  );
  const of = (id: string) => asks.find(({ tool_call_id }) => tool_call_id === id) ?? asks[0];
  await api.post(`/v1/asks/${of('delivered')?.ask_id}/delivered`, { digest: of('delivered')?.request.digest ?? '' });
  await api.post(`/v1/asks/${of('withdrawn')?.ask_id}/withdraw`, { justification: 'found it in the documentation' });
  await until(async () => (await asksOf(api, 'external-ended', '&status=expired'))[0]);
  await api.post(`/v1/runs/${done.run_id}/fail`, { error: 'the registry refused it' });
  const next = await api.post<Run>('/v1/sessions/external-ended/runs', { input: { text: 'again' } });
  await api.post(`/v1/runs/${next.run_id}/complete`, { text: 'All done.' });
  const last = await api.post<Run>('/v1/sessions/external-ended/runs', { input: { text: 'once more' } });
  await api.post(`/v1/runs/${last.run_id}/cancel`, { reason: 'changed my mind' });
  await api.post('/v1/sessions/external-ended/end', { reason: 'shipped' });
}
