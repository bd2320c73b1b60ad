// Provides one typed call for each endpoint of the HTTP API, grouped as its document groups them. Types come from the
// schemas that the server validates with. Adds no behaviour of its own.
import type { z } from 'zod';
import type { AskKind, AskStatus, DeliveryState } from '../core/ask.ts';
import type * as bodies from '../core/bodies.ts';
import type { InsightsView } from '../core/insight.ts';
import type { RunStatus } from '../core/run.ts';
import type { SkillView } from '../core/skill.ts';
import type * as views from '../core/views.ts';
import { type Call, createHttp, type Http, type HttpOptions } from './http.ts';
import { grantCalls, ruleCalls } from './rule-calls.ts';
import { iterate } from './stream.ts';

/** The most items of one page. */
export const PAGE_SIZE = 500;

/** A page of a list. `next` continues it; `cursor` is the log position it is true for, or the place in a thread. */
export interface Listed<T, Cursor = number> {
  items: T[];
  next: string | undefined;
  cursor: Cursor | undefined;
  /** Of a search: the instant it came back to, when there is more behind it. */
  searchedTo?: number | undefined;
}

export interface Page {
  limit?: number | undefined;
  cursor?: string | undefined;
}
interface EventPage {
  after?: number | undefined;
  limit?: number | undefined;
}
interface FollowFrom<Cursor = number> {
  after?: Cursor | undefined;
  signal?: AbortSignal | undefined;
  /** Each time the stream is open, and each time it was lost or could not be opened. */
  onOpen?: (() => void) | undefined;
  onLost?: (() => void) | undefined;
}
interface AskQuery extends Page {
  status?: AskStatus | 'ended' | undefined;
  kind?: AskKind | undefined;
  session_id?: string | undefined;
  run_id?: string | undefined;
  agent?: string | undefined;
  delivery?: DeliveryState | undefined;
  q?: string | undefined;
  order?: 'oldest' | 'newest' | undefined;
}
interface SkillQuery {
  name?: string | undefined;
  namespace?: string | undefined;
  exact_match?: boolean | undefined;
  skip?: number | undefined;
  limit?: number | undefined;
}
export interface SkillUpload {
  file: Blob;
  /** The name of the zip; its folder is called the same. */
  fileName: string;
}
export interface Options {
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}
interface Settling extends Options {
  settleMs?: number | undefined;
}

type In<S extends z.ZodType> = z.input<S>;
export type Client = ReturnType<typeof createClient>;
export type Calls = ReturnType<typeof createCalls>;

export function createClient(options: HttpOptions) {
  const http = createHttp(options);
  return {
    http,
    ...createCalls(http),
    /** The same calls in the name of a lease: refused with `lease_lost` when the run was claimed again. */
    underLease: (epoch: number) => createCalls(http, { 'holdpoint-lease': String(epoch) }),
  };
}

function createCalls(http: Http, headers?: Record<string, string>) {
  const send = async <T>(call: Call): Promise<T> => (await http.send<T>({ ...call, headers })).value;
  const get = <T>(path: string, query?: object, more?: Pick<Call, 'signal' | 'waitMs'>) =>
    send<T>({ method: 'GET', path, query, ...more });
  const list = async <T>(path: string, query?: object): Promise<Listed<T>> => {
    const received = await http.send<T[]>({ method: 'GET', path, query, headers });
    return { items: received.value, ...pageOf(received.headers) };
  };
  /** A repeat is harmless by the nature of the call. */
  const put = <T>(path: string, body: object, options?: Options) => send<T>({ method: 'POST', path, body, ...options });
  /** A repeat is made harmless by a key. */
  const post = <T>(path: string, body: object, options?: Settling) => {
    const { settleMs, ...rest } = options ?? {};
    const query = settleMs === undefined ? undefined : { settle_ms: settleMs };
    return send<T>({ method: 'POST', path, body, repeat: 'keyed', query, waitMs: settleMs, ...rest });
  };
  const stream = <T = views.EventView>(path: string, { signal, ...from }: FollowFrom<number | string>) =>
    iterate<T>(http, { ...from, path, signal: signal ?? new AbortController().signal });

  const pending = <V>(asks: 'questions' | 'approvals') => ({
    list: (query?: Page & { session_id?: string }) => list<V>(`/v1/${asks}`, query),
    ofSession: (id: string, query?: Page) => list<V>(path`/v1/sessions/${id}/${asks}`, query),
  });
  return {
    sessions: {
      create: (body: In<typeof bodies.CreateSession>, options?: Options) =>
        post<views.SessionView>('/v1/sessions', body, options),
      list: (query?: Page & { status?: 'active' | 'ended'; parent_session_id?: string; order?: 'oldest' | 'newest' }) =>
        list<views.SessionView>('/v1/sessions', query),
      get: (id: string) => get<views.SessionView>(path`/v1/sessions/${id}`),
      /** Its rows, and those of its runs and asks, as they are stored. */
      records: (id: string, query?: Page) => list<views.RecordView>(path`/v1/sessions/${id}/records`, query),
      /** Words for its next run, or the answer to the form it waits for. */
      say: (id: string, body: In<typeof bodies.PostMessage>, options?: Options) =>
        post<views.RunView>(path`/v1/sessions/${id}/messages`, body, options),
      interrupt: (id: string, options?: Options) =>
        post<views.SessionView>(path`/v1/sessions/${id}/interrupt`, {}, options),
      end: (id: string, body: In<typeof bodies.EndSession> = {}) =>
        put<views.SessionView>(path`/v1/sessions/${id}/end`, body),
    },
    runs: {
      start: (sessionId: string, body: In<typeof bodies.StartRun>, options?: Options) =>
        post<views.RunView>(path`/v1/sessions/${sessionId}/runs`, body, options),
      list: (query?: Page & { session_id?: string; status?: RunStatus }) => list<views.RunView>('/v1/runs', query),
      get: (id: string) => get<views.RunView>(path`/v1/runs/${id}`),
      input: (id: string) => get<Record<string, unknown>>(path`/v1/runs/${id}/input`),
      cancel: (id: string, body: In<typeof bodies.CancelRun> = {}) =>
        put<views.RunView>(path`/v1/runs/${id}/cancel`, body),
      output: (id: string, body: In<typeof bodies.PostOutput>, options?: Options) =>
        (body.output_id === undefined ? post : put)<views.RunView>(path`/v1/runs/${id}/output`, body, options),
      complete: (id: string, body: In<typeof bodies.CompleteRun> = {}, options?: Options) =>
        put<views.RunView>(path`/v1/runs/${id}/complete`, body, options),
      fail: (id: string, body: In<typeof bodies.FailRun> = {}, options?: Options) =>
        put<views.RunView>(path`/v1/runs/${id}/fail`, body, options),
    },
    asks: {
      raise: <B extends In<typeof bodies.RaiseAsk>>(runId: string, body: B, options?: Options) =>
        put<views.AskViewOf<B['kind']>>(path`/v1/runs/${runId}/asks`, body, options),
      clarify: (runId: string, body: In<typeof bodies.Clarify>, options?: Options) =>
        put<views.ClarificationView>(path`/v1/runs/${runId}/clarifications`, body, options),
      list: (query?: AskQuery) => list<views.AskView>('/v1/asks', query),
      get: (id: string) => get<views.AskView>(path`/v1/asks/${id}`),
      /** The ask, once it has ended or the time is over. */
      wait: (id: string, waitMs: number, signal?: AbortSignal) =>
        get<views.AskView>(path`/v1/asks/${id}`, { wait_ms: waitMs }, { waitMs, signal }),
      /** The person this client speaks for has it before their eyes. */
      seen: (id: string) => put<void>(path`/v1/asks/${id}/seen`, {}),
      sent: (id: string, body: In<typeof bodies.Sent> = {}, options?: Options) =>
        put<views.AskView>(path`/v1/asks/${id}/sent`, body, options),
      delivered: (id: string, body: In<typeof bodies.Acknowledge> = {}, options?: Options) =>
        put<views.AskView>(path`/v1/asks/${id}/delivered`, body, options),
      withdraw: (id: string, body: In<typeof bodies.Withdraw> = {}, options?: Options) =>
        put<views.AskView>(path`/v1/asks/${id}/withdraw`, body, options),
      /** Nothing typed: undefined. */
      draft: (id: string) => get<views.DraftView | undefined>(path`/v1/asks/${id}/draft`),
      saveDraft: (id: string, body: In<typeof bodies.SaveDraft>, options?: Options & Pick<Call, 'keepalive'>) =>
        send<views.DraftView>({ method: 'PUT', path: path`/v1/asks/${id}/draft`, body, ...options }),
      dropDraft: (id: string) => send<void>({ method: 'DELETE', path: path`/v1/asks/${id}/draft` }),
      undeliverable: (id: string, body: In<typeof bodies.Undeliverable> = {}, options?: Options) =>
        put<views.AskView>(path`/v1/asks/${id}/undeliverable`, body, options),
    },
    questions: {
      ...pending<views.PendingQuestionView>('questions'),
      cancel: (runId: string, requestId: string, body: In<typeof bodies.CancelQuestion> = {}, options?: Options) =>
        post<views.RunView>(path`/v1/runs/${runId}/questions/${requestId}/cancel`, body, options),
      answerRun: (runId: string, body: In<typeof bodies.ResolveQuestion>, options?: Settling) =>
        post<views.RunView>(path`/v1/runs/${runId}/questions`, body, options),
      answerSession: (id: string, body: In<typeof bodies.ResolveQuestion>, options?: Settling) =>
        post<views.SessionView>(path`/v1/sessions/${id}/questions`, body, options),
    },
    approvals: {
      ...pending<views.PendingApprovalView>('approvals'),
      decideRun: (runId: string, body: In<typeof bodies.ResolveApprovals>, options?: Settling) =>
        post<views.RunView>(path`/v1/runs/${runId}/approvals`, body, options),
      decideSession: (id: string, body: In<typeof bodies.ResolveApprovals>, options?: Settling) =>
        post<views.SessionView>(path`/v1/sessions/${id}/approvals`, body, options),
      decideSessionRun: (id: string, body: In<typeof bodies.ResolveApprovals>, options?: Options) =>
        post<views.RunView>(path`/v1/sessions/${id}/approval-runs`, body, options),
    },
    events: {
      list: (query?: EventPage) => list<views.EventView>('/v1/events', query),
      ofSession: (id: string, query?: EventPage) => list<views.EventView>(path`/v1/sessions/${id}/events`, query),
      ofRun: (id: string, query?: EventPage) => list<views.EventView>(path`/v1/runs/${id}/events`, query),
      /** Live, over reconnects: `for await (const event of client.events.follow())`. */
      follow: (from: FollowFrom = {}) => stream('/v1/events', from),
      followSession: (id: string, from: FollowFrom = {}) => stream(path`/v1/sessions/${id}/events`, from),
      followRun: (id: string, from: FollowFrom = {}) => stream(path`/v1/runs/${id}/events`, from),
    },
    mailbox: {
      list: (sessionId: string, query?: Page) =>
        list<views.MessageView>(path`/v1/sessions/${sessionId}/mailbox`, query),
      acknowledge: (sessionId: string, messageId: string) =>
        put<views.MessageView>(path`/v1/sessions/${sessionId}/mailbox/${messageId}/ack`, {}),
      fail: (sessionId: string, messageId: string, body: In<typeof bodies.FailMessage> = {}, options?: Options) =>
        post<views.MessageView>(path`/v1/sessions/${sessionId}/mailbox/${messageId}/fail`, body, options),
      deadLetters: (sessionId: string, query?: Page) =>
        list<z.infer<typeof views.DeadLetterView>>(path`/v1/sessions/${sessionId}/dead-letters`, query),
    },
    threads: {
      /** Oldest first. Follow after the `cursor` of the last page, and nothing is missed. */
      items: async (threadId: string, query?: Page): Promise<Listed<views.ItemView, string>> => {
        const call = { method: 'GET', path: path`/v1/threads/${threadId}/items`, query, headers } as const;
        const received = await http.send<views.ItemView[]>(call);
        const cursor = received.headers.get('holdpoint-cursor') ?? undefined;
        return { items: received.value, ...pageOf(received.headers), cursor };
      },
      /** Answers what the thread asks, else it is input for the next run: `ask_id` and `run_id` say which. */
      post: (threadId: string, body: In<typeof bodies.PostItem>, options?: Options) =>
        post<views.ItemView>(path`/v1/threads/${threadId}/items`, body, options),
      /** Live, over reconnects; from the beginning without a cursor. */
      follow: (threadId: string, from: FollowFrom<string> = {}) =>
        stream<views.ItemView>(path`/v1/threads/${threadId}/items`, from),
    },
    workers: {
      /** Nothing to do within `wait_ms`: undefined. Never repeated by itself: a repeat could take a second run. */
      claim: (body: In<typeof bodies.ClaimRun>, signal?: AbortSignal) =>
        send<views.ClaimedRunView | undefined>({
          method: 'POST',
          path: '/v1/workers/claim',
          body,
          repeat: 'once',
          waitMs: body.wait_ms,
          signal,
        }),
      heartbeat: (runId: string, body: In<typeof bodies.Heartbeat>, options?: Options) =>
        put<views.RunView>(path`/v1/runs/${runId}/heartbeat`, body, options),
      release: (runId: string, body: In<typeof bodies.ReleaseRun>, options?: Options) =>
        post<views.RunView>(path`/v1/runs/${runId}/release`, body, options),
    },
    insights: {
      show: (query?: { from?: number | undefined; to?: number | undefined }) =>
        get<InsightsView>('/v1/insights', query),
      agents: () => get<views.AgentView[]>('/v1/agents'),
    },
    rules: ruleCalls({ send, list }),
    grants: grantCalls({ send, list }),
    tokens: {
      create: (body: In<typeof bodies.CreateToken>, options?: Options) =>
        post<views.NewTokenView>('/v1/tokens', body, options),
      list: (query?: Page) => list<z.infer<typeof views.TokenView>>('/v1/tokens', query),
      revoke: (id: string, options?: Options) =>
        send<z.infer<typeof views.TokenView>>({ method: 'DELETE', path: path`/v1/tokens/${id}`, ...options }),
    },
    auditKeys: {
      /** The public keys that sign the log, the first one first. */
      list: () => get<views.AuditKeyView[]>('/v1/audit/keys'),
      rotate: (options?: Options) => post<views.AuditKeyView>('/v1/audit/keys', {}, options),
    },
    signIn: {
      /** A link that signs a browser in, once. */
      offer: (body: In<typeof bodies.CreateSignInLink> = {}, options?: Options) =>
        post<views.SignInLinkView>('/v1/sign-in-links', body, options),
      /** From a page of the server itself; never repeated, because the code works once. */
      use: (body: In<typeof bodies.SignIn>) =>
        send<views.MeView>({ method: 'POST', path: '/v1/sign-in', body, repeat: 'once' }),
      out: () => put<void>('/v1/sign-out', {}),
      me: () => get<views.MeView>('/v1/me'),
    },
    skills: {
      list: (query?: SkillQuery) => get<{ items: SkillView[] }>('/api/v1/kinds/skills', query),
      upload: ({ name, namespace, ...zip }: SkillUpload & { name?: string; namespace?: string }) =>
        send<SkillView>({
          method: 'POST',
          path: '/api/v1/kinds/skills/upload',
          form: formOf(zip, { name, namespace }),
          repeat: 'once',
        }),
      replace: (id: string, zip: SkillUpload) =>
        send<SkillView>({ method: 'PUT', path: path`/api/v1/kinds/skills/${id}`, form: formOf(zip) }),
      download: (id: string) => get<Uint8Array<ArrayBuffer>>(path`/api/v1/kinds/skills/${id}/download`),
      remove: (id: string) => send<SkillView>({ method: 'DELETE', path: path`/api/v1/kinds/skills/${id}` }),
    },
    system: {
      health: () => get<{ status: string }>('/healthz'),
      ready: () => get<{ status: string }>('/readyz'),
      metrics: () => get<string>('/metrics'),
      openapi: () => get<Record<string, unknown>>('/openapi.json'),
    },
  };
}

function formOf({ file, fileName }: SkillUpload, fields: Record<string, string | undefined> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  form.set('file', file, fileName);
  return form;
}

/** Ids go into a path encoded, whatever they contain. */
const path = (texts: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: texts }, ...ids.map(encodeURIComponent));

function pageOf(headers: Headers): Omit<Listed<unknown>, 'items'> {
  const link = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  const params = link === undefined ? undefined : new URL(link, 'http://localhost').searchParams;
  const cursor = headers.get('holdpoint-cursor');
  const searchedTo = headers.get('holdpoint-searched-to');
  return {
    next: params?.get('cursor') ?? params?.get('after') ?? undefined,
    cursor: cursor === null ? undefined : Number(cursor),
    ...(searchedTo !== null && { searchedTo: Number(searchedTo) }),
  };
}

/** Every item of a list, page after page: `for await (const ask of every((page) => client.asks.list(page)))`. */
export async function* every<T>(page: (cursor: { cursor?: string }) => Promise<Listed<T, unknown>>): AsyncGenerator<T> {
  let at: { cursor?: string } = {};
  for (;;) {
    const { items, next } = await page(at);
    yield* items;
    if (next === undefined) return;
    at = { cursor: next };
  }
}

/** All items of a list, in its order. */
export async function listAll<T>(
  list: (page: { cursor?: string; limit: number }) => Promise<Listed<T, unknown>>,
): Promise<T[]> {
  const items: T[] = [];
  for await (const item of every((page) => list({ ...page, limit: PAGE_SIZE }))) items.push(item);
  return items;
}
