// Reads sessions and their conversations for OpenCode's clients, which list them, open one and show what is asked in it.
import { HoldpointError } from '../../core/errors.ts';
import { threadIdOf } from '../../core/session.ts';
import type { SessionView } from '../../core/views.ts';
import { THREAD_START } from '../../gateway/thread-items.ts';
import { notFound } from './errors.ts';
import { ownSessionId, sessionIdOf } from './ids.ts';
import type { Message, SessionStatus } from './protocol.ts';
import { type Caller, everyOne } from './requests.ts';
import { askMessage, type Conversation, folderOf, itemMessage } from './session.ts';

const DEFAULT_LIMIT = 100;
/** How many sessions one request reads, the newest first. */
const MOST_READ = 1000;
/** How many messages of a conversation, and how many bytes of them, one reply has. */
const MOST_MESSAGES = 1000;
const MOST_BYTES = 8 * 1024 * 1024;
const ITEMS_AT_ONCE = 500;

export interface SessionQuery {
  limit: number | undefined;
  /** Only those that changed since. */
  start: number | undefined;
  search: string | undefined;
  roots: boolean;
  parent?: string | undefined;
}

/** The one that changed last comes first. */
export async function listSessions(caller: Caller, query: SessionQuery): Promise<Conversation[]> {
  const { start = 0, search = '', roots, parent, limit } = query;
  const words = search.toLowerCase();
  const found: Conversation[] = [];
  for await (const { snapshot: _, ...session } of newest(caller, parent)) {
    const isRoot = session.parent_session_id === undefined;
    const title = (session.title ?? session.agent_id).toLowerCase();
    if (session.updated_at_ms >= start && (isRoot || !roots) && title.includes(words)) found.push(session);
  }
  return found.sort((a, b) => b.updated_at_ms - a.updated_at_ms).slice(0, limit || DEFAULT_LIMIT);
}

async function* newest({ gateway, directory }: Caller, parentId?: string): AsyncGenerator<SessionView> {
  let read = 0;
  for await (const session of everyOne((page) => gateway.listSessions({ parentId, newestFirst: true }, page))) {
    if (directory === undefined || folderOf(session) === directory) yield session;
    read += 1;
    if (read === MOST_READ) return;
  }
}

/** Only those at work, as OpenCode has it. */
export async function statuses(caller: Caller): Promise<Record<string, SessionStatus>> {
  const busy: [string, SessionStatus][] = [];
  for await (const { session_id, active_run_id } of newest(caller))
    if (active_run_id !== undefined) busy.push([sessionIdOf(session_id), { type: 'busy' }]);
  return Object.fromEntries(busy);
}

export async function findSession({ gateway, directory }: Caller, given: string): Promise<SessionView> {
  const id = ownSessionId(given);
  const gone = () => notFound(`Session not found: ${given}`);
  if (id === undefined) throw gone();
  try {
    const session = await gateway.showSession(id);
    if (directory !== undefined && folderOf(session) !== directory) throw gone();
    return session;
  } catch (error) {
    throw error instanceof HoldpointError && error.code === 'session_not_found' ? gone() : error;
  }
}

/** The last ones, oldest first; each pending approval as a tool call that has not run. */
export async function listMessages(
  caller: Caller,
  session: SessionView,
  wanted: number | undefined,
): Promise<Message[]> {
  const { gateway, actor } = caller;
  const limit = Math.min(wanted || DEFAULT_LIMIT, MOST_MESSAGES);
  const messages = await lastMessages(caller, session, limit);
  const filter = { status: 'pending', kind: 'approval', sessionId: session.session_id } as const;
  const { views } = await gateway.listAsks(filter, { limit: DEFAULT_LIMIT }, actor);
  for (const ask of views) if (ask.kind === 'approval') messages.push(askMessage(session, ask));
  return messages.sort((a, b) => (a.info.id < b.info.id ? -1 : 1)).slice(-limit);
}

/** Reads the whole thread and keeps its end. */
async function lastMessages({ gateway }: Caller, session: SessionView, limit: number): Promise<Message[]> {
  const messages: Message[] = [];
  const sizes: number[] = [];
  let [at, bytes, parentID] = [0, 0, ''];
  for (let from = THREAD_START; ; ) {
    const page = await gateway.listItems(threadIdOf(session.session_id), from, ITEMS_AT_ONCE);
    for (const item of page.items) {
      at = Math.max(at, item.view.created_at_ms);
      const message = itemMessage(session, item, at, parentID);
      if (!message) continue;
      if (message.info.role === 'user') parentID = message.info.id;
      messages.push(message);
      bytes += sizes[sizes.push(JSON.stringify(message).length) - 1] ?? 0;
      while (messages.length > limit || (bytes > MOST_BYTES && messages.length > 1)) {
        messages.shift();
        bytes -= sizes.shift() ?? 0;
      }
    }
    if (!page.hasMore) return messages;
    from = page.end;
  }
}
