// This version on the state folder of an earlier release: what it had stored is shown as it showed it, every ask can be
// answered and reaches its agent once, and the runs that waited go on. Fixtures are made by record.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import {
  type Api,
  type Ask,
  answer,
  apiOf,
  asksOf,
  decide,
  type Fields,
  pendingAsk,
  type Run,
  runsOf,
  until,
} from './api.ts';
import { auditFaults } from './cli.ts';
import { CONNECTIONS, Fixture, RELEASES } from './fixture.ts';
import { CLAUDE, expectSameLists, expectSameThreads } from './same-views.ts';
import {
  asksBlocking,
  asksPermission,
  begun,
  CONVERSATION,
  jsonLines,
  PROJECT,
  questionHook,
  ready,
  result,
  standInAgents,
  takesRule,
  toolResult,
  writeScript,
} from './stand-ins.ts';

const CODEX = 'codex-own-0198c7a2-1111-7222-8333-444455556666';
const TARGET = (option: string) => ({ question_id: 'target', selected_option_ids: [option] });

const children = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await endEverything();
});

describe.each(readdirSync(RELEASES))('a state folder of release %s', (version) => {
  let fixture: Fixture;
  let server: Holdpoint;
  let api: Api;

  async function start(args: string[], env: Record<string, string> = {}): Promise<void> {
    server = await startHoldpoint({ data: fixture.state, args, env: { HOME: fixture.home, ...env } });
    api = apiOf(server.url, server.token);
  }
  const over = (runId: string): Promise<Run> =>
    until(async () => {
      const run = await api.get<Run>(`/v1/runs/${runId}`);
      return run.finished_at_ms === undefined ? undefined : run;
    });
  /** The run that goes on with the answer. */
  const next = async ({ run_id, session_id }: Ask): Promise<Run> => {
    const found = await until(async () =>
      (await runsOf(api, session_id)).find(({ resumes_run_id }) => resumes_run_id === run_id),
    );
    return over(found.run_id);
  };
  const lastOf = async (sessionId: string): Promise<Run> =>
    over((await runsOf(api, sessionId)).at(-1)?.run_id as string);
  const delivered = (ask: Ask, body: Fields = {}) => api.post<Ask>(`/v1/asks/${ask.ask_id}/delivered`, body);
  const stored = (sessionId: string, callId: string): Ask =>
    fixture.views.asks.find((ask) => ask.session_id === sessionId && ask.tool_call_id === callId) as Ask;

  describe('on a server without a worker', () => {
    beforeAll(async () => {
      fixture = new Fixture(version);
      // Before the start as well: a server ends what an agent asked whose settings file is gone.
      fixture.restoreConnections('http://127.0.0.1:4777');
      await start(['--no-worker']);
      fixture.restoreConnections(server.url);
      // Before the grace period ends that a starting server gives to the workers of lapsed leases.
      const [kept] = await runsOf(api, 'mock-elsewhere');
      const lease = { worker_id: 'elsewhere', lease_epoch: 1, lease_ms: 600_000 };
      await api.post(`/v1/runs/${kept?.run_id}/heartbeat`, lease);
    });

    it('lists every session, run and ask with the views of that release', () => expectSameLists(api, fixture.views));

    it('reads every thread as that release did', () => expectSameThreads(api, fixture.views));

    it('verifies the audit log of that release', async () => {
      const env = { HOME: fixture.home, HOLDPOINT_DATA: fixture.state, HOLDPOINT_URL: server.url };
      expect(await auditFaults(env)).toEqual([]);
    });

    it('finds a pending ask again when its agent repeats the tool call', async () => {
      for (const { ask_id, tool_call_id, run_id, mode, request } of await asksOf(api, 'external-pending')) {
        const { id: _, digest: __, created_at_ms: ___, tool_call_id: ____, ...content } = request;
        const kind = 'questions' in content ? 'question' : 'approval';
        const again = await api.post<Ask>(`/v1/runs/${run_id}/asks`, { ...content, kind, mode, tool_call_id });
        expect(again).toMatchObject({ ask_id, status: 'pending' });
      }
      expect(await asksOf(api, 'external-pending')).toHaveLength(4);
    });

    it('takes one answer to each pending ask and delivers it once', async () => {
      const suggestion_ids = ['session'];
      await decide(api, stored('external-pending', 'call_1'), { behavior: 'allow', suggestion_ids });
      await decide(api, stored('external-pending', 'call_1#2'), { behavior: 'deny', reason: 'not now' });
      await decide(api, stored('external-pending', 'call_1@turn~2'), { behavior: 'allow' });
      const password = { question_id: 'password', freeform_answer: 'hush' };
      await answer(api, stored('external-pending', 'call_2'), TARGET('staging'), password);
      const late = decide(api, stored('external-pending', 'call_1'), { behavior: 'deny' });
      await expect(late).rejects.toMatchObject({ status: 409 });
      const due = await asksOf(api, 'external-pending', '&delivery=due');
      expect(due.map(({ answer }) => answer)).toMatchObject([
        { outcome: 'answered', behavior: 'allow', suggestion_ids },
        { outcome: 'answered', behavior: 'deny', reason: 'not now' },
        { outcome: 'answered', behavior: 'allow' },
        { outcome: 'answered', answers: [TARGET('staging'), { question_id: 'password', secret: true }] },
      ]);
      for (const ask of due) {
        const { digest } = ask.request;
        expect((await delivered(ask, { digest })).delivery).toMatchObject({ state: 'delivered', attempts: 1 });
        expect((await delivered(ask, { digest })).delivery).toMatchObject({ state: 'delivered', attempts: 1 });
      }
      expect(await asksOf(api, 'external-pending', '&delivery=due')).toEqual([]);
      const [run, queued] = await runsOf(api, 'external-pending');
      await api.post(`/v1/runs/${run?.run_id}/complete`);
      expect(await api.get(`/v1/runs/${queued?.run_id}`)).toMatchObject({ status: 'running' });
    });

    it('hands out the answers that were due, a secret one only to the agent, and only until it has it', async () => {
      const due = await asksOf(api, 'external-due', '&delivery=due');
      expect(due.map(({ answer }) => answer)).toMatchObject([
        { behavior: 'allow', updated_input: { command: 'make release DRY_RUN=1' }, suggestion_ids: ['session'] },
        { outcome: 'answered' },
        { outcome: 'declined', justification: 'ask the owner' },
      ]);
      expect(JSON.stringify(due)).not.toContain('open sesame');
      const bound = { scope: 'agent', session_id: 'external-due' };
      const agent = apiOf(server.url, (await api.post<{ token: string }>('/v1/tokens', bound)).token);
      const secret = stored('external-due', 'secret');
      const known = { question_id: 'password', freeform_answer: 'open sesame' };
      expect(await agent.get(`/v1/asks/${secret.ask_id}`)).toMatchObject({ answer: { answers: [known] } });
      for (const ask of due) await delivered(ask, ask.answer?.digest ? { digest: ask.answer.digest } : {});
      expect(JSON.stringify(await agent.get(`/v1/asks/${secret.ask_id}`))).not.toContain('open sesame');
      expect(await asksOf(api, 'external-due', '&delivery=due')).toEqual([]);
    });

    it('asks again what was answered to an agent that was lost long ago', async () => {
      const { run_id } = await api.post<Run>('/v1/sessions/external-kept/runs', { input: { text: 'again' } });
      const { questions } = stored('external-kept', 'where').request;
      const again = { kind: 'question', tool_call_id: 'where again', questions };
      expect(await api.post(`/v1/runs/${run_id}/asks`, again)).toMatchObject({ status: 'pending' });
      const { tool_name, input, reason } = stored('external-kept', 'build').request;
      const build = { kind: 'approval', tool_call_id: 'build again', tool_name, input, reason };
      expect(await api.post(`/v1/runs/${run_id}/asks`, build)).toMatchObject({
        status: 'pending',
        request: { earlier: { behavior: 'deny', reason: 'not on a Friday' } },
      });
    });

    it('keeps the lease of a worker that outlived the upgrade, and takes that of the old server away', async () => {
      const [kept] = await runsOf(api, 'mock-elsewhere');
      await api.post(`/v1/runs/${kept?.run_id}/complete`, {}, { 'holdpoint-lease': '1' });
      const [lost] = await runsOf(api, 'mock-lost');
      const agents = [{ name: 'mock', recovery: 'resume' }];
      const claim = { worker_id: 'another', agents, labels: ['mock-lost'] };
      const claimed = await api.post<{ run: Run }>('/v1/workers/claim', claim);
      expect(claimed).toMatchObject({ resumed: true, run: { run_id: lost?.run_id, status: 'running' } });
      const old = api.post(`/v1/runs/${lost?.run_id}/complete`, {}, { 'holdpoint-lease': '1' });
      await expect(old).rejects.toMatchObject({ status: 409 });
      await api.post(`/v1/runs/${lost?.run_id}/complete`, {}, { 'holdpoint-lease': '2' });
    });

    it('allows nothing that an attached Claude Code had asked before, and asks its next call in the same session', async () => {
      const before = await asksOf(api, CLAUDE);
      expect(before.map(({ tool_call_id }) => tool_call_id)).toEqual(['toolu_publish', 'toolu_tag']);
      for (const { status, answer } of before) expect([status, answer?.behavior]).not.toContain('allow');
      const ours = fixture.hooks(CONNECTIONS[0]).find(({ url }) => url !== undefined);
      const callHook = async (event: Fields) => {
        const headers = { ...ours?.headers, 'content-type': 'application/json' };
        const body = { session_id: CLAUDE.slice('claude.'.length), cwd: PROJECT, ...event };
        return (await fetch(ours?.url ?? '', { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      const call = { tool_name: 'Bash', tool_input: { command: 'npm publish --tag next' } };
      await callHook({ hook_event_name: 'PreToolUse', tool_use_id: 'toolu_next', ...call });
      const waiting = callHook({ hook_event_name: 'PermissionRequest', ...call });
      await decide(api, await pendingAsk(api, CLAUDE, 'toolu_next'), { behavior: 'allow' });
      expect(await waiting).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
      await callHook({ hook_event_name: 'Stop' });
    });

    it('asks in the session of a Codex through the hook that the release installed', async () => {
      const ours = fixture.hooks(CONNECTIONS[2]).find(({ command }) => command?.includes('hook codex'));
      const env = { ...process.env, HOME: fixture.home };
      const child = spawn('sh', ['-c', ours?.command ?? ''], { env, stdio: ['pipe', 'pipe', 'ignore'] });
      children.add(child);
      const event = { hook_event_name: 'PermissionRequest', session_id: 'answered', turn_id: 'next', cwd: PROJECT };
      child.stdin.end(JSON.stringify({ ...event, tool_name: 'Bash', tool_input: { command: 'make check' } }));
      const printed = text(child.stdout);
      await decide(api, await pendingAsk(api, 'codex-own-answered'), { behavior: 'deny', reason: 'not here' });
      expect(JSON.parse(await printed)).toMatchObject({
        hookSpecificOutput: { decision: { behavior: 'deny', message: 'not here' } },
      });
    });
  });

  describe('on a server that hosts the agents', () => {
    beforeAll(async () => {
      await server.end('SIGTERM');
      for (const [name, steps] of Object.entries(RESUMED))
        writeScript(join(fixture.root, 'work', name), steps, 'resumed.json');
      await start([], standInAgents(fixture.root));
    });

    it('lets a run go on with an answer that was due, and begins what was queued', async () => {
      expect(await lastOf('mock-due')).toMatchObject({ status: 'completed' });
      expect((await lastOf('mock-due')).outputs.at(-1)?.text).toBe('I was told: Production');
      expect(await lastOf('mock-queued')).toMatchObject({ status: 'completed' });
      expect(await asksOf(api, 'mock-due', '&delivery=due')).toEqual([]);
    });

    it('lets runs that waited go on with their answers to the end', async () => {
      await decide(api, stored('mock-approval', 'deploy'), { behavior: 'allow', suggestion_ids: ['always'] });
      const password = { question_id: 'password', freeform_answer: 'hush' };
      await answer(api, stored('mock-questions', 'where'), TARGET('staging'), password);
      const approved = await over(stored('mock-approval', 'deploy').run_id);
      expect(approved.outputs.at(-1)?.text).toContain('allowed {"command":"make release"} with always');
      const answered = await over(stored('mock-questions', 'where').run_id);
      expect(answered.outputs.at(-1)?.text).toContain('Staging\n(a secret of 4 characters)');
    });

    it('starts the next run with the answer to a form, and the next dispatch with that to a command', async () => {
      const form = stored('mock-form', 'form');
      const given = { type: 'interactive_form_question', tool_use_id: 'form', answers: { target: 'Production' } };
      const interactive_form_answer = { ...given, status: 'answered' };
      await api.post('/v1/sessions/mock-form/messages', { interactive_form_answer });
      expect((await next(form)).outputs.at(-1)?.text).toBe('I was told: Production');
      const port = stored('exec', 'needs-input');
      await answer(api, port, { question_id: 'question-1', selected_option_ids: ['option-2'] });
      const dispatch = await next(port);
      const { stdout } = dispatch.outputs.find(({ type }) => type === 'exit')?.data ?? {};
      expect(JSON.parse(String(stdout))).toEqual({ task: 'serve', answer: '8080', partial_state: { step: 2 } });
    });

    it('brings the answer to a clarification to the child, and its report to the parent', async () => {
      const clarification = stored('mock-parent', 'which');
      const [child] = fixture.views.runs.filter(({ session_id }) => session_id.endsWith('.helper'));
      await answer(api, clarification, TARGET('staging'));
      expect((await over(child?.run_id ?? '')).outputs.at(-1)?.text).toBe('I was told: Staging');
      const report = await until(async () => {
        const [, , run] = await runsOf(api, 'mock-parent');
        return run;
      });
      expect((await over(report.run_id)).outputs.at(-1)?.text).toBe('The child has reported.');
    });

    it('resumes the conversation of a Claude Code that was held on a question', async () => {
      const ask = stored('claude-held', 'toolu_colour');
      await answer(api, ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
      expect(await over(ask.run_id)).toMatchObject({ status: 'completed' });
      const folder = join(fixture.root, 'work', 'claude-held');
      const [args] = jsonLines<string[]>(join(folder, 'started.jsonl'));
      expect(args?.slice(-2)).toEqual(['--resume', CONVERSATION]);
      expect(args?.join(' ')).toContain('--permission-mode plan');
      // The process makes the call again by itself: it gets the answer as the reply, and no message.
      const received = jsonLines<{ type: string }>(join(folder, 'heard.jsonl'));
      expect(JSON.stringify(received)).toContain('Blue');
      expect(received.filter(({ type }) => type === 'user')).toEqual([]);
      expect(await asksOf(api, 'claude-held')).toMatchObject([{ delivery: { state: 'delivered' } }]);
    });

    it('gives a Claude Code that died the answers to its repeated calls, and the rule taken with one, without asking again', async () => {
      const ask = stored('claude-died', 'toolu_again#2');
      expect(await over(ask.run_id)).toMatchObject({ status: 'completed' });
      const folder = join(fixture.root, 'work', 'claude-died');
      const replies = jsonLines<{ response?: { request_id: string; response: Fields } }>(join(folder, 'heard.jsonl'));
      const replyTo = (id: string) => replies.find(({ response }) => response?.request_id === id)?.response?.response;
      expect(replyTo('make second')).toMatchObject({ behavior: 'allow', updatedInput: { command: 'make second' } });
      expect(JSON.stringify(replyTo('question toolu_ask'))).toContain('"Which colour?":"Blue"');
      const asks = await asksOf(api, 'claude-died');
      expect(asks.map(({ delivery }) => delivery.state)).toEqual(Array(4).fill('delivered'));
    });

    it('resumes the thread of a Codex and uses an approval that it had asked for before', async () => {
      const [first, second] = (await asksOf(api, 'codex')) as [Ask, Ask];
      await decide(api, first, { behavior: 'deny', reason: 'not in the sandbox' });
      await decide(api, second, { behavior: 'allow' });
      expect(await over(first.run_id)).toMatchObject({ status: 'completed' });
      const received = jsonLines<[string, string]>(join(fixture.root, 'codex.jsonl'));
      expect(received).toEqual([
        ['told', expect.stringContaining('not in the sandbox')],
        ['answered', 'accept'],
      ]);
      const asks = await asksOf(api, 'codex');
      expect(asks.map(({ delivery }) => delivery.state)).toEqual(['delivered', 'delivered']);
    });

    it('ends what a killed hook had asked, and what a Codex had asked that is connected no more', async () => {
      for (const name of readdirSync(join(fixture.state, 'connections')))
        if (name.startsWith('codex-')) rmSync(join(fixture.state, 'connections', name));
      const unsettled = ({ status, delivery }: Ask) => status === 'pending' || delivery.state === 'due';
      await expect.poll(() => readdirSync(join(fixture.state, 'hooks'))).toEqual([]);
      for (const id of ['codex-own-killed', CODEX])
        await expect.poll(async () => (await asksOf(api, id)).filter(unsettled)).toEqual([]);
      const ends = [...(await asksOf(api, 'codex-own-killed')), ...(await asksOf(api, CODEX))];
      const unanswered = ends.filter(({ tool_call_id }) => tool_call_id !== 'call_1@turn-1');
      expect(unanswered).toHaveLength(3);
      expect(unanswered.map(({ answer }) => answer?.behavior)).not.toContain('allow');
    });
  });
});

/** What the stand-in of Claude Code does when its conversation is resumed. */
const RESUMED = {
  'claude-held': [ready, questionHook('toolu_colour'), { hear: 'Blue' }, toolResult('toolu_colour'), result()],
  'claude-died': [
    ready,
    { hear: 'make second' },
    begun,
    ...asksPermission('toolu_again', 'make second', takesRule),
    asksBlocking('toolu_ask'),
    { hear: '"updatedInput":{"command"' },
    { hear: '"question toolu_ask"' },
    toolResult('toolu_again'),
    toolResult('toolu_ask'),
    result(),
  ],
};
