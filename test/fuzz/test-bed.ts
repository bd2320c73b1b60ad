// A real server with something in it for every route: what its path ids name, what its bodies refer to. And whether
// anything about it has changed.
import { createECDH } from 'node:crypto';
import type { AskView, ClarificationView, EventView, MessageView, RunView, SessionView } from '../../src/core/views.ts';
import { type Received, type Sent, send } from '../support/http.ts';
import { dereferenced } from '../support/openapi.ts';
import type { Holdpoint } from '../support/process.ts';
import { type Known, type Schema, samplesOf } from './samples.ts';

export interface Route {
  method: string;
  path: string;
  query: string[];
  body: Schema | undefined;
}

/** Every operation of the OpenAPI document. */
export async function routesOf({ url }: Holdpoint): Promise<Route[]> {
  const { body } = await send<OpenApi>(url, { path: '/openapi.json' });
  return Object.entries(dereferenced(body).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      query: (operation.parameters ?? []).filter((p) => p.in === 'query').map((p) => p.name),
      body: operation.requestBody?.content['application/json']?.schema,
    })),
  );
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface TestBed {
  call<T>(sent: Sent): Promise<Received<T>>;
  /** The route's path with ids that exist. */
  pathOf(route: Route): string;
  /** Bodies this bed accepts on the route. */
  bodiesOf(route: Route, whole: boolean): unknown[];
  /** Everything the bed can show of itself, as one text. */
  state(): Promise<string>;
}

let made = 0;

export async function createTestBed({ url, token }: Holdpoint): Promise<TestBed> {
  made += 1;
  const name = `bed-${process.pid}-${made}`;
  const call = <T>(sent: Sent) => send<T>(url, { token, ...sent });
  const post = async <T>(path: string, body: object): Promise<T> => {
    const made = await call<T>({ path, body });
    if (made.status >= 300) throw new Error(`${path} answered ${made.status}: ${made.text}`);
    return made.body;
  };
  const sessionOf = (session_id: string, more: object = {}) =>
    post<SessionView>('/v1/sessions', { session_id, agent: 'external', ...more });
  const runOf = (id: string) => post<RunView>(`/v1/sessions/${id}/runs`, { input: { text: 'work' } });
  const ask = (run: string, body: object) => post<AskView>(`/v1/runs/${run}/asks`, body);

  const answer = (run: string, id: string) =>
    post(`/v1/runs/${run}/questions`, { resolution: { request_id: id, answers: [ANSWER] } });

  const hold = async () => {
    await sessionOf(name);
    const run = (await runOf(name)).run_id;
    const question = await ask(run, { kind: 'question', tool_call_id: 'q', questions: [QUESTION] });
    const action = { kind: 'approval', tool_call_id: 'a', tool_name: 'Bash', input: { command: 'ls' } };
    return { run, question, approval: await ask(run, action) };
  };
  const work = async () => {
    await sessionOf(`${name}-working`);
    const run = (await runOf(`${name}-working`)).run_id;
    const ended = await ask(run, { kind: 'question', tool_call_id: 'e', questions: [QUESTION] });
    await answer(run, ended.ask_id);
    return { run, ended };
  };
  const clarify = async () => {
    await sessionOf(`${name}-parent`);
    await sessionOf(`${name}-child`, { parent_session_id: `${name}-parent` });
    const run = (await runOf(`${name}-child`)).run_id;
    const body = { tool_call_id: 'c', questions: [QUESTION] };
    const asked = await post<ClarificationView>(`/v1/runs/${run}/clarifications`, body);
    await answer(asked.run_id, asked.request_id);
    const mailbox = await call<MessageView[]>({ path: `/v1/sessions/${name}-child/mailbox` });
    return { run, asking: asked.run_id, message: mailbox.body[0]?.message_id ?? '' };
  };
  const lead = async () => {
    await sessionOf(`${name}-led`, { agent: name });
    await runOf(`${name}-led`);
    const body = { worker_id: name, agents: [{ name, recovery: 'resume' }], lease_ms: 600_000 };
    return post<{ run: RunView; lease: { epoch: number } }>('/v1/workers/claim', body);
  };
  /** One for all: there may be few. Of an agent that nobody has: nothing is sent to it. */
  const hook = async () => {
    const body = { name: 'fuzzed', url: 'https://hooks.example.org/x', agent: 'nobody' };
    await call({ path: '/v1/webhooks', body });
    const listed = await call<{ webhook_id: string; name: string }[]>({ path: '/v1/webhooks' });
    return listed.body.find((each) => each.name === body.name)?.webhook_id ?? '';
  };
  const [held, working, child, led, spare, webhook] = await Promise.all([
    hold(),
    work(),
    clarify(),
    lead(),
    post<{ token_id: string }>('/v1/tokens', { scope: 'viewer' }),
    hook(),
  ]);
  const { question, approval } = held;
  const begin = (await call({ path: '/v1/tokens?limit=1' })).headers['holdpoint-cursor'];

  const ids: Record<string, string> = {
    session_id: name,
    run_id: held.run,
    ask_id: working.ended.ask_id,
    request_id: question.ask_id,
    message_id: child.message,
    thread_id: `thr_${name}`,
    token_id: spare.token_id,
    webhook_id: webhook,
  };
  /** Where a route needs another thing under the same name. */
  const exceptions: [RegExp, Record<string, string>][] = [
    [/\/asks\/\{ask_id\}\/(draft|seen|comments|take|release|snooze)$/, { ask_id: question.ask_id }],
    [/mailbox|dead-letters/, { session_id: `${name}-child` }],
    [/\/sessions\/\{session_id\}\/runs$/, { session_id: `${name}-working` }],
    [/\/(asks|output|complete|fail)$/, { run_id: working.run }],
    [/\/clarifications$/, { run_id: child.run }],
    [/\/withdraw$/, { ask_id: question.ask_id }],
    [/\/(heartbeat|release)$/, { run_id: led.run.run_id }],
  ];
  const known = (route: Route, whole: boolean): Known => ({
    request_id: /approval|grants/.test(route.path) ? approval.ask_id : question.ask_id,
    sha256: 'a'.repeat(64),
    session_id: undefined,
    parent_session_id: `${name}-parent`,
    agent: 'external',
    worker_id: name,
    lease_epoch: led.lease.epoch,
    lease_ms: 600_000,
    wait_ms: 0,
    until_ms: Date.now() + 3_600_000,
    answers: [ANSWER],
    digest: undefined,
    partial_state: undefined,
    // One of several shapes, so that no one field is to blame.
    project_rules: undefined,
    expires_at_ms: undefined,
    expires_after_ms: 3_600_000,
    idempotency_key: whole ? `key-${name}` : undefined,
    secret: undefined,
    allow_other: true,
    endpoint: 'https://push.example.org/1',
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: 'A'.repeat(22),
    quiet_hours: { from: '22:00', to: '07:00', time_zone: 'UTC' },
    who: 'nobody',
    notice_ids: undefined,
    ...(route.path.endsWith('/webhooks') && { name: `other-${name}`, url: 'https://hooks.example.org/y' }),
    ...(route.path.endsWith('/claim') && { name: 'nobody' }),
    ...(route.path.endsWith('/messages') && { text: 'hello', interactive_form_answer: undefined }),
  });

  return {
    call,
    pathOf({ path }) {
      const own = exceptions.find(([pattern]) => pattern.test(path))?.[1] ?? {};
      return path.replace(/\{(\w+)\}/g, (_, id: string) => own[id] ?? ids[id] ?? 'unknown');
    },
    bodiesOf: (route, whole) => samplesOf(route.body ?? {}, known(route, whole), whole),
    async state() {
      const sessions = ['', '-parent', '-child', '-working', '-led'].map((suffix) => `/v1/sessions/${name}${suffix}`);
      const paths = [
        ...sessions,
        ...sessions.map((path) => `${path}/events?limit=500`),
        ...[held.run, working.run, child.run, child.asking, led.run.run_id].map((id) => `/v1/runs/${id}`),
        ...[question, approval, working.ended].map(({ ask_id }) => `/v1/asks/${ask_id}`),
        ...['mailbox', 'dead-letters'].map((box) => `/v1/sessions/${name}-child/${box}`),
        `/v1/asks?status=pending&session_id=${name}`,
        `/v1/asks/${question.ask_id}/draft`,
        `/v1/threads/thr_${name}/items`,
      ];
      const shown = await Promise.all(paths.map((path) => call({ path })));
      const system = await call({ path: `/v1/sessions/system/events?after=${begin}` });
      // Checkpoints come with time, whatever anybody sends.
      const noted = (JSON.parse(system.text) as EventView[]).filter(({ type }) => type !== 'audit.checkpoint');
      const metrics = await call({ path: '/metrics' });
      const open = /^holdpoint_sessions_active \d+$/m.exec(metrics.text)?.[0];
      return [open, ...shown.map(withoutNotices), JSON.stringify(noted)].join('\n');
    },
  };
}

/** Notices are sent and repeated as time passes, whatever anybody sends. */
const withoutNotices = ({ text, body }: Received): string =>
  text === '' ? text : JSON.stringify(body, (key, value) => (key === 'notices' ? undefined : value));

const QUESTION = {
  id: 'which',
  question: 'Which?',
  options: ['a', 'b'].map((id) => ({ id, label: id.toUpperCase() })),
};
const ANSWER = { question_id: 'which', selected_option_ids: ['a'] };
