// Feeds an inbox: everything that is pending now, then every ask that is raised or settled. The stream begins at the
// position of the list and resumes there after a lost connection, so that no event is missed. Shared by the terminal
// and the page.
import type { Act, ActivityEvent } from '../core/activity.ts';
import type { AskView, EventView, SessionView, SightingView } from '../core/views.ts';
import { type Client, every } from './client.ts';
import { follow } from './stream.ts';

export type AnswerView = NonNullable<AskView['answer']>;

export interface InboxListener {
  /** `isNews`: raised since the feed began, not found waiting. */
  raised(asks: readonly AskView[], isNews: boolean): void;
  settled(askId: string, answer: AnswerView): void;
  /** An ask that was raised as news, with what only the server knows of it: its origin and its risk. */
  completed?(ask: AskView): void;
  /** A person has seen it, here or elsewhere. */
  seen?(askId: string, sighting: SightingView): void;
  /** Someone commented, is on it, or snoozed it. */
  acted?(askId: string, type: ActivityEvent, act: Act, atMs: number): void;
  session(session: SessionView): void;
  link(link: 'live' | 'lost'): void;
  /** Every event, before anything is made of it. */
  event?(event: EventView): void;
  /** Another device of the same person has typed; without a revision, it has dropped what was typed. */
  draft?(notice: DraftNotice): void;
}

export interface DraftNotice {
  ask_id: string;
  revision?: number;
}

const PAGE = 500;

/** Until the signal says so. Rejects when the server refuses us for good. */
export async function followInbox(
  client: Client,
  listener: InboxListener,
  signal: AbortSignal,
  followStream: typeof follow<EventView> = follow,
): Promise<void> {
  const sessions = sessionLookUp(client, listener);
  const asks = askLookUp(client, listener);
  let cursor: number | undefined;
  const page = async (at: { cursor?: string }) => {
    const listed = await client.asks.list({ status: 'pending', limit: PAGE, ...at });
    // The position of the first page: the stream reports what settles while the others are read.
    cursor ??= listed.cursor;
    listener.raised(listed.items, false);
    for (const ask of listed.items) sessions.need(ask.session_id);
    return listed;
  };
  for await (const _ of every(page)) if (signal.aborted) return;
  listener.link('live');
  await followStream(client.http, {
    path: listener.draft ? '/v1/events?drafts=true' : '/v1/events',
    after: cursor,
    signal,
    onOpen: () => listener.link('live'),
    onLost: () => listener.link('lost'),
    onEvent: hear,
    onNotice: (name, data) => name === 'draft' && listener.draft?.(data as DraftNotice),
  });

  function hear(event: EventView): void {
    listener.event?.(event);
    if (event.type === 'waiting_for_approval' || event.type === 'waiting_for_user_question') {
      const raised = raisedAsks(event);
      listener.raised(raised, true);
      for (const { ask_id } of raised) asks.need(ask_id);
      sessions.need(event.session_id);
    }
    if (event.type === 'ask.claimed' && event.ask_id && event.data.answer)
      listener.settled(event.ask_id, event.data.answer as AnswerView);
    if (isActivity(event.type) && event.ask_id)
      listener.acted?.(event.ask_id, event.type, event.data as unknown as Act, event.at_ms);
    if (event.type === 'ask.seen' && event.ask_id)
      listener.seen?.(event.ask_id, { ...(event.data as Omit<SightingView, 'at_ms'>), at_ms: event.at_ms });
  }
}

const ACTIVITY: readonly string[] = ['ask.commented', 'ask.taken', 'ask.released', 'ask.snoozed'];
const isActivity = (type: string): type is ActivityEvent => ACTIVITY.includes(type);

/** The asks of a `waiting_for_*` event, as they were when they were raised. */
function raisedAsks(event: EventView): AskView[] {
  // Events of earlier versions have no mode.
  const { requests, mode = 'blocking' } = event.data as { requests: AskView['request'][]; mode?: AskView['mode'] };
  return requests.map((request): AskView => {
    const { id: ask_id, tool_call_id, created_at_ms, expires_at_ms } = request;
    const raised = {
      ask_id,
      status: 'pending' as const,
      session_id: event.session_id,
      run_id: event.run_id ?? '',
      tool_call_id,
      mode,
      created_at_ms,
      ...(expires_at_ms !== undefined && { expires_at_ms }),
      delivery: { state: 'none' as const, attempts: 0 },
    };
    if ('questions' in request) return { ...raised, kind: 'question', request };
    return { ...raised, kind: 'approval', request };
  });
}

/** One after the other, so that a burst of asks is no burst of requests. What does not come is shown without it. */
function askLookUp(client: Client, listener: InboxListener) {
  let turn = Promise.resolve();
  return {
    need(id: string): void {
      const { completed } = listener;
      if (!completed) return;
      turn = turn.then(async () => {
        const ask = await client.asks.get(id).catch(() => undefined);
        if (ask) completed(ask);
      });
    },
  };
}

/** Each session and its parents are fetched once, one after the other; a title that does not come is no reason to stop. */
function sessionLookUp(client: Client, listener: InboxListener) {
  const asked = new Set<string>();
  let turn = Promise.resolve();
  const lookUp = {
    need(id: string): void {
      if (asked.has(id)) return;
      asked.add(id);
      turn = turn.then(async () => {
        const session = await client.sessions.get(id).catch(() => undefined);
        if (!session) return;
        listener.session(session);
        if (session.parent_session_id !== undefined) lookUp.need(session.parent_session_id);
      });
    },
  };
  return lookUp;
}
