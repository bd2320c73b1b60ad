// Provides one typed call for each endpoint of the HTTP API, grouped as its document groups them. Types come from the
// schemas that the server validates with. Adds no behaviour of its own.
import type { z } from 'zod';
import type { AskKind, AskStatus, DeliveryState } from '../core/ask.ts';
import type * as bodies from '../core/bodies.ts';
import type { InsightsView } from '../core/insight.ts';
import type { RunStatus } from '../core/run.ts';
import type { SkillView } from '../core/skill.ts';
import type * as views from '../core/views.ts';
import { activityCalls } from './activity-calls.ts';
import { type Call, createHttp, type Http, type HttpOptions } from './http.ts';
import { noticeCalls, webhookCalls } from './notice-calls.ts';
import { grantCalls, ruleCalls } from './rule-calls.ts';

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
/** Interfaces, and a written return type for every call: the declaration names each view instead of spelling it out. */
export interface Calls extends ReturnType<typeof createCalls> {}
export interface Client extends Calls {
  http: Http;
  /** The same calls in the name of a lease: refused with `lease_lost` when the run was claimed again. */
  underLease(epoch: number): Calls;
}

export function createClient(options: HttpOptions): Client {
  const http = createHttp(options);
  const underLease = (epoch: number): Calls => createCalls(http, { 'holdpoint-lease': String(epoch) });
  return { http, ...createCalls(http), underLease };
}

function createCalls(http: Http, headers?: Record<string, string>) {
  const send = async <T>(call: Call): Promise<T> => (await http.send<T>({ ...call, headers })).value;
  const get = <T>(path: string, query?: object, more?: Pick<Call, 'signal' | 'waitMs'>): Promise<T> =>
    send({ method: 'GET', path, query, ...more });
  const page = async <T>(path: string, query?: object) => {
    const received = await http.send<T>({ method: 'GET', path, query, headers });
    return { value: received.value, ...pageOf(received.headers) };
  };
  const list = async <T>(path: string, query?: object): Promise<Listed<T>> => {
    const { value: items, ...place } = await page<T[]>(path, query);
    return { items, ...place };
  };
  /** A repeat is harmless by the nature of the call. */
  const put = <T>(path: string, body: object, options?: Options): Promise<T> =>
    send({ method: 'POST', path, body, ...options });
  /** A repeat is made harmless by a key. */
  const post = <T>(path: string, body: object, options?: Settling) => {
    const { settleMs, ...rest } = options ?? {};
    const query = settleMs === undefined ? undefined : { settle_ms: settleMs };
    return send<T>({ method: 'POST', path, body, repeat: 'keyed', query, waitMs: settleMs, ...rest });
  };
  async function* stream<T>(path: string, { signal, ...from }: FollowFrom<number | string>): AsyncGenerator<T> {
    // Loaded with the first stream: the page's first script does without it.
    const { iterate } = await import('./stream.ts');
    yield* iterate<T>(http, { ...from, path, signal: signal ?? new AbortController().signal });
  }

  return {
    sessions: {
      create: (body: In<typeof bodies.CreateSession>, options?: Options): Promise<views.SessionView> =>
        post('/v1/sessions', body, options),
      list: (
        query?: Page & { status?: 'active' | 'ended'; parent_session_id?: string; order?: 'oldest' | 'newest' },
      ): Promise<Listed<views.SessionView>> => list('/v1/sessions', query),
      get: (id: string): Promise<views.SessionView> => get(path`/v1/sessions/${id}`),
      /** Its rows, and those of its runs and asks, as they are stored. */
      records: (id: string, query?: Page): Promise<Listed<views.RecordView>> =>
        list(path`/v1/sessions/${id}/records`, query),
      /** Words for its next run, or the answer to the form it waits for. */
      say: (id: string, body: In<typeof bodies.PostMessage>, options?: Options): Promise<views.RunView> =>
        post(path`/v1/sessions/${id}/messages`, body, options),
      interrupt: (id: string, options?: Options): Promise<views.SessionView> =>
        post(path`/v1/sessions/${id}/interrupt`, {}, options),
      end: (id: string, body: In<typeof bodies.EndSession> = {}): Promise<views.SessionView> =>
        put(path`/v1/sessions/${id}/end`, body),
    },
    runs: {
      start: (sessionId: string, body: In<typeof bodies.StartRun>, options?: Options): Promise<views.RunView> =>
        post(path`/v1/sessions/${sessionId}/runs`, body, options),
      list: (
        query?: Page & { session_id?: string; status?: RunStatus; order?: 'newest' | 'oldest' },
      ): Promise<Listed<views.RunView>> => list('/v1/runs', query),
      get: (id: string): Promise<views.RunView> => get(path`/v1/runs/${id}`),
      input: (id: string): Promise<Record<string, unknown>> => get(path`/v1/runs/${id}/input`),
      cancel: (id: string, body: In<typeof bodies.CancelRun> = {}): Promise<views.RunView> =>
        put(path`/v1/runs/${id}/cancel`, body),
      output: (id: string, body: In<typeof bodies.PostOutput>, options?: Options): Promise<views.RunView> =>
        (body.output_id === undefined ? post : put)(path`/v1/runs/${id}/output`, body, options),
      complete: (id: string, body: In<typeof bodies.CompleteRun> = {}, options?: Options): Promise<views.RunView> =>
        put(path`/v1/runs/${id}/complete`, body, options),
      fail: (id: string, body: In<typeof bodies.FailRun> = {}, options?: Options): Promise<views.RunView> =>
        put(path`/v1/runs/${id}/fail`, body, options),
    },
    asks: {
      raise: <B extends In<typeof bodies.RaiseAsk>>(
        runId: string,
        body: B,
        options?: Options,
      ): Promise<views.AskViewOf<B['kind']>> => put(path`/v1/runs/${runId}/asks`, body, options),
      clarify: (runId: string, body: In<typeof bodies.Clarify>, options?: Options): Promise<views.ClarificationView> =>
        put(path`/v1/runs/${runId}/clarifications`, body, options),
      list: (query?: AskQuery): Promise<Listed<views.AskView>> => list('/v1/asks', query),
      get: (id: string): Promise<views.AskView> => get(path`/v1/asks/${id}`),
      /** The ask, once it has ended, has more comments of people than were read, or the time is over. */
      wait: (id: string, waitMs: number, signal?: AbortSignal, commentsRead?: number): Promise<views.AskView> =>
        get(path`/v1/asks/${id}`, { wait_ms: waitMs, comments_read: commentsRead }, { waitMs, signal }),
      ...activityCalls(put, post),
      /** The person this client speaks for has it before their eyes. */
      seen: (id: string): Promise<void> => put(path`/v1/asks/${id}/seen`, {}),
      sent: (id: string, body: In<typeof bodies.Sent> = {}, options?: Options): Promise<views.AskView> =>
        put(path`/v1/asks/${id}/sent`, body, options),
      delivered: (id: string, body: In<typeof bodies.Acknowledge> = {}, options?: Options): Promise<views.AskView> =>
        put(path`/v1/asks/${id}/delivered`, body, options),
      withdraw: (id: string, body: In<typeof bodies.Withdraw> = {}, options?: Options): Promise<views.AskView> =>
        put(path`/v1/asks/${id}/withdraw`, body, options),
      /** Nothing typed: undefined. */
      draft: (id: string): Promise<views.DraftView | undefined> => get(path`/v1/asks/${id}/draft`),
      saveDraft: (
        id: string,
        body: In<typeof bodies.SaveDraft>,
        options?: Options & Pick<Call, 'keepalive'>,
      ): Promise<views.DraftView> => send({ method: 'PUT', path: path`/v1/asks/${id}/draft`, body, ...options }),
      dropDraft: (id: string): Promise<void> => send({ method: 'DELETE', path: path`/v1/asks/${id}/draft` }),
      undeliverable: (
        id: string,
        body: In<typeof bodies.Undeliverable> = {},
        options?: Options,
      ): Promise<views.AskView> => put(path`/v1/asks/${id}/undeliverable`, body, options),
    },
    questions: {
      list: (query?: Page & { session_id?: string }): Promise<Listed<views.PendingQuestionView>> =>
        list('/v1/questions', query),
      ofSession: (id: string, query?: Page): Promise<Listed<views.PendingQuestionView>> =>
        list(path`/v1/sessions/${id}/questions`, query),
      cancel: (
        runId: string,
        requestId: string,
        body: In<typeof bodies.CancelQuestion> = {},
        options?: Options,
      ): Promise<views.RunView> => post(path`/v1/runs/${runId}/questions/${requestId}/cancel`, body, options),
      answerRun: (runId: string, body: In<typeof bodies.ResolveQuestion>, options?: Settling): Promise<views.RunView> =>
        post(path`/v1/runs/${runId}/questions`, body, options),
      answerSession: (
        id: string,
        body: In<typeof bodies.ResolveQuestion>,
        options?: Settling,
      ): Promise<views.SessionView> => post(path`/v1/sessions/${id}/questions`, body, options),
    },
    approvals: {
      list: (query?: Page & { session_id?: string }): Promise<Listed<views.PendingApprovalView>> =>
        list('/v1/approvals', query),
      ofSession: (id: string, query?: Page): Promise<Listed<views.PendingApprovalView>> =>
        list(path`/v1/sessions/${id}/approvals`, query),
      decideRun: (
        runId: string,
        body: In<typeof bodies.ResolveApprovals>,
        options?: Settling,
      ): Promise<views.RunView> => post(path`/v1/runs/${runId}/approvals`, body, options),
      decideSession: (
        id: string,
        body: In<typeof bodies.ResolveApprovals>,
        options?: Settling,
      ): Promise<views.SessionView> => post(path`/v1/sessions/${id}/approvals`, body, options),
      decideSessionRun: (
        id: string,
        body: In<typeof bodies.ResolveApprovals>,
        options?: Options,
      ): Promise<views.RunView> => post(path`/v1/sessions/${id}/approval-runs`, body, options),
    },
    events: {
      list: (query?: EventPage): Promise<Listed<views.EventView>> => list('/v1/events', query),
      ofSession: (id: string, query?: EventPage): Promise<Listed<views.EventView>> =>
        list(path`/v1/sessions/${id}/events`, query),
      ofRun: (id: string, query?: EventPage): Promise<Listed<views.EventView>> =>
        list(path`/v1/runs/${id}/events`, query),
      /** Live, over reconnects: `for await (const event of client.events.follow())`. */
      follow: (from: FollowFrom = {}): AsyncGenerator<views.EventView> => stream('/v1/events', from),
      followSession: (id: string, from: FollowFrom = {}): AsyncGenerator<views.EventView> =>
        stream(path`/v1/sessions/${id}/events`, from),
      followRun: (id: string, from: FollowFrom = {}): AsyncGenerator<views.EventView> =>
        stream(path`/v1/runs/${id}/events`, from),
    },
    mailbox: {
      list: (sessionId: string, query?: Page): Promise<Listed<views.MessageView>> =>
        list(path`/v1/sessions/${sessionId}/mailbox`, query),
      acknowledge: (sessionId: string, messageId: string): Promise<views.MessageView> =>
        put(path`/v1/sessions/${sessionId}/mailbox/${messageId}/ack`, {}),
      fail: (
        sessionId: string,
        messageId: string,
        body: In<typeof bodies.FailMessage> = {},
        options?: Options,
      ): Promise<views.MessageView> => post(path`/v1/sessions/${sessionId}/mailbox/${messageId}/fail`, body, options),
      deadLetters: (sessionId: string, query?: Page): Promise<Listed<z.infer<typeof views.DeadLetterView>>> =>
        list(path`/v1/sessions/${sessionId}/dead-letters`, query),
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
      post: (threadId: string, body: In<typeof bodies.PostItem>, options?: Options): Promise<views.ItemView> =>
        post(path`/v1/threads/${threadId}/items`, body, options),
      /** Live, over reconnects; from the beginning without a cursor. */
      follow: (threadId: string, from: FollowFrom<string> = {}): AsyncGenerator<views.ItemView> =>
        stream(path`/v1/threads/${threadId}/items`, from),
    },
    workers: {
      /** Nothing to do within `wait_ms`: undefined. Never repeated by itself: a repeat could take a second run. */
      claim: (body: In<typeof bodies.ClaimRun>, signal?: AbortSignal): Promise<views.ClaimedRunView | undefined> =>
        send({
          method: 'POST',
          path: '/v1/workers/claim',
          body,
          repeat: 'once',
          waitMs: body.wait_ms,
          signal,
        }),
      heartbeat: (runId: string, body: In<typeof bodies.Heartbeat>, options?: Options): Promise<views.RunView> =>
        put(path`/v1/runs/${runId}/heartbeat`, body, options),
      release: (runId: string, body: In<typeof bodies.ReleaseRun>, options?: Options): Promise<views.RunView> =>
        post(path`/v1/runs/${runId}/release`, body, options),
    },
    insights: {
      show: (query?: { from?: number | undefined; to?: number | undefined }): Promise<InsightsView> =>
        get('/v1/insights', query),
      agents: (): Promise<views.AgentView[]> => get('/v1/agents'),
    },
    rules: ruleCalls({ send, page, list }),
    grants: grantCalls({ send, page, list }),
    notices: noticeCalls({ send }),
    webhooks: webhookCalls({ send, list }),
    tokens: {
      create: (body: In<typeof bodies.CreateToken>, options?: Options): Promise<views.NewTokenView> =>
        post('/v1/tokens', body, options),
      list: (query?: Page): Promise<Listed<z.infer<typeof views.TokenView>>> => list('/v1/tokens', query),
      revoke: (id: string, options?: Options): Promise<z.infer<typeof views.TokenView>> =>
        send({ method: 'DELETE', path: path`/v1/tokens/${id}`, ...options }),
    },
    auditKeys: {
      /** The public keys that sign the log, the first one first. */
      list: (): Promise<views.AuditKeyView[]> => get('/v1/audit/keys'),
      rotate: (options?: Options): Promise<views.AuditKeyView> => post('/v1/audit/keys', {}, options),
    },
    signIn: {
      /** A link that signs a browser in, once. */
      offer: (body: In<typeof bodies.CreateSignInLink> = {}, options?: Options): Promise<views.SignInLinkView> =>
        post('/v1/sign-in-links', body, options),
      /** From a page of the server itself; never repeated, because the code works once. */
      use: (body: In<typeof bodies.SignIn>): Promise<views.MeView> =>
        send({ method: 'POST', path: '/v1/sign-in', body, repeat: 'once' }),
      out: (): Promise<void> => put('/v1/sign-out', {}),
      me: (): Promise<views.MeView> => get('/v1/me'),
    },
    skills: {
      list: (query?: SkillQuery): Promise<{ items: SkillView[] }> => get('/api/v1/kinds/skills', query),
      upload: ({ name, namespace, ...zip }: SkillUpload & { name?: string; namespace?: string }): Promise<SkillView> =>
        send({
          method: 'POST',
          path: '/api/v1/kinds/skills/upload',
          form: formOf(zip, { name, namespace }),
          repeat: 'once',
        }),
      replace: (id: string, zip: SkillUpload): Promise<SkillView> =>
        send({ method: 'PUT', path: path`/api/v1/kinds/skills/${id}`, form: formOf(zip) }),
      download: (id: string): Promise<Uint8Array<ArrayBuffer>> => get(path`/api/v1/kinds/skills/${id}/download`),
      remove: (id: string): Promise<SkillView> => send({ method: 'DELETE', path: path`/api/v1/kinds/skills/${id}` }),
    },
    system: {
      health: (): Promise<{ status: string }> => get('/healthz'),
      ready: (): Promise<{ status: string }> => get('/readyz'),
      metrics: (): Promise<string> => get('/metrics'),
      openapi: (): Promise<Record<string, unknown>> => get('/openapi.json'),
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
