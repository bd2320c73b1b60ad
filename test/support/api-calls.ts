// What most tests begin with, over HTTP: a session, a run at work, an ask it is held on; and the calls people make
// about it. Every call fails the test unless it succeeds; a refusal is asked for with `refusal`.
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { AskView, ClarificationView, EventView, RunView, SessionView } from '../../src/core/views.ts';
import type { Problem } from '../../src/server/problem.ts';
import type { CallOptions, Reply, Server } from './server.ts';

export type Fields = Record<string, unknown>;

export const ROUTING = {
  id: 'routing',
  header: 'Routing',
  question: 'Which provider?',
  options: [
    { id: 'openai', label: 'OpenAI', description: 'fast' },
    { id: 'local', label: 'Local' },
  ],
};
export const REGIONS = {
  id: 'regions',
  question: 'Which regions?',
  multi_select: true,
  options: [
    { id: 'eu', label: 'Europe' },
    { id: 'us', label: 'America' },
    { id: 'as', label: 'Asia' },
  ],
};
export const NOTES = { id: 'notes', question: 'Anything else?' };

export interface Held {
  sessionId: string;
  runId: string;
  ask: AskView;
}

let calls = 0;
export const callId = (): string => `call-${++calls}`;

export async function ok<T>(reply: Promise<Reply<T>>): Promise<T> {
  const { status, body, text } = await reply;
  if (status >= 300) throw new Error(`expected success, got ${status}: ${text}`);
  return body;
}

/** For what the server does by itself, soon: looks until it is so. */
export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

/** The problem of a call that must be refused with this status and code. */
export async function refusal(reply: Promise<Reply<unknown>>, status: number, code: ErrorCode): Promise<Problem> {
  const { status: got, body, text } = await reply;
  expect({ status: got, code: (body as Problem).code }, text).toEqual({ status, code });
  return body as Problem;
}

/** A pending ask of a session's first run, as the lists for people show it. */
export const pendingView = ({ sessionId, runId, ask }: Held) => ({
  session_id: sessionId,
  agent_id: `external-${sessionId}`,
  run_id: runId,
  run_kind: 'input',
  request: ask.request,
});

export const newSession = (server: Server, fields: Fields = {}): Promise<SessionView> =>
  ok(server.post<SessionView>('/v1/sessions', { agent: 'external', ...fields }));

export const startRun = (server: Server, sessionId: string, fields: Fields = {}): Promise<RunView> =>
  ok(server.post<RunView>(`/v1/sessions/${sessionId}/runs`, { input: { text: 'fix the build' }, ...fields }));

export const raiseQuestion = (server: Server, runId: string, fields: Fields = {}): Promise<AskView> =>
  ok(
    server.post<AskView>(`/v1/runs/${runId}/asks`, {
      kind: 'question',
      tool_call_id: callId(),
      questions: [ROUTING],
      ...fields,
    }),
  );

export const raiseApproval = (server: Server, runId: string, fields: Fields = {}): Promise<AskView> =>
  ok(
    server.post<AskView>(`/v1/runs/${runId}/asks`, {
      kind: 'approval',
      tool_call_id: callId(),
      tool_name: 'Bash',
      input: { command: 'rm -rf build' },
      reason: 'deletes files',
      ...fields,
    }),
  );

/** A fresh session with a run, which nobody said a word to begin, held on one question (or approval). */
export async function held(server: Server, fields: Fields = {}, session: Fields = {}): Promise<Held> {
  const { session_id: sessionId } = await newSession(server, session);
  const { run_id: runId } = await startRun(server, sessionId, { input: { task: 'fix the build' } });
  const raise = fields.kind === 'approval' ? raiseApproval : raiseQuestion;
  return { sessionId, runId, ask: await raise(server, runId, fields) };
}

export const picks = (option: string, question = 'routing') => [
  { question_id: question, selected_option_ids: [option] },
];

export const resolution = (askId: string, answers: unknown = picks('openai'), more: Fields = {}) => ({
  resolution: { request_id: askId, answers, ...more },
});

export const declined = (askId: string, justification?: string) => ({
  resolution: { request_id: askId, declined: true, ...(justification !== undefined && { justification }) },
});

export function answer(server: Server, h: Held, answers: unknown = picks('openai'), options?: CallOptions) {
  return server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, answers), options);
}

export const resolutions = (...decisions: Fields[]) => ({ resolutions: decisions });
export const allow = (askId: string, more: Fields = {}) => ({ request_id: askId, behavior: 'allow', ...more });
export const deny = (askId: string, more: Fields = {}) => ({ request_id: askId, behavior: 'deny', ...more });

export const decide = (server: Server, runId: string, ...decisions: Fields[]) =>
  server.post<RunView>(`/v1/runs/${runId}/approvals`, resolutions(...decisions));

export const showRun = (server: Server, runId: string): Promise<RunView> =>
  ok(server.get<RunView>(`/v1/runs/${runId}`));
export const showSession = (server: Server, sessionId: string): Promise<SessionView> =>
  ok(server.get<SessionView>(`/v1/sessions/${sessionId}`));
export const showAsk = (server: Server, askId: string): Promise<AskView> =>
  ok(server.get<AskView>(`/v1/asks/${askId}`));
export const eventsOfRun = (server: Server, runId: string): Promise<EventView[]> =>
  ok(server.get<EventView[]>(`/v1/runs/${runId}/events?limit=500`));
export async function eventsOfSession(server: Server, sessionId: string): Promise<EventView[]> {
  const events: EventView[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? 0;
    const page = await ok(server.get<EventView[]>(`/v1/sessions/${sessionId}/events?limit=500&after=${after}`));
    if (page.length === 0) return events;
    events.push(...page);
  }
}
export const typesOf = (events: readonly EventView[]): string[] => events.map((e) => e.type);

export interface Family {
  parentId: string;
  childId: string;
  childRunId: string;
}

/** A parent session and a child of it with a run at work. */
export async function family(server: Server, parent: Fields = {}, child: Fields = {}): Promise<Family> {
  const { session_id: parentId } = await newSession(server, parent);
  const { session_id: childId } = await newSession(server, { parent_session_id: parentId, ...child });
  const { run_id: childRunId } = await startRun(server, childId);
  return { parentId, childId, childRunId };
}

export const clarify = (server: Server, childRunId: string, fields: Fields = {}): Promise<ClarificationView> =>
  ok(
    server.post<ClarificationView>(`/v1/runs/${childRunId}/clarifications`, {
      tool_call_id: callId(),
      questions: [ROUTING],
      ...fields,
    }),
  );
