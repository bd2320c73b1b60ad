// Reads sessions and their conversations for OpenCode's clients, which list them, open one and show what is asked in it.
import { fail, HoldpointError } from '../../core/errors.ts';
import { threadIdOf } from '../../core/session.ts';
import type { ItemView, SessionView } from '../../core/views.ts';
import { THREAD_START } from '../../gateway/thread-items.ts';
import { notFound } from './errors.ts';
import { ownSessionId, sessionIdOf } from './ids.ts';
import type { Message, SessionStatus } from './protocol.ts';
import { type Caller, everyOne } from './requests.ts';
import { folderOf, messagesOf } from './session.ts';

const DEFAULT_LIMIT = 100;
/** How many sessions, the newest first, and how many items of a thread one request reads. */
const MOST_READ = 1000;
const MOST_ITEMS = 10_000;
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
export async function listSessions(caller: Caller, query: SessionQuery): Promise<SessionView[]> {
  const { start = 0, search = '', roots, parent, limit = DEFAULT_LIMIT } = query;
  const words = search.toLowerCase();
  const found: SessionView[] = [];
  for await (const session of newest(caller, parent)) {
    const isRoot = session.parent_session_id === undefined;
    const title = (session.title ?? session.agent_id).toLowerCase();
    if (session.updated_at_ms >= start && (isRoot || !roots) && title.includes(words)) found.push(session);
  }
  return found.sort((a, b) => b.updated_at_ms - a.updated_at_ms).slice(0, limit);
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

/** The last ones, oldest first. */
export async function listMessages(caller: Caller, session: SessionView, limit = DEFAULT_LIMIT): Promise<Message[]> {
  const { gateway, actor } = caller;
  const items = await itemsOf(caller, session);
  const filter = { status: 'pending', kind: 'approval', sessionId: session.session_id } as const;
  const { views } = await gateway.listAsks(filter, { limit: DEFAULT_LIMIT }, actor);
  return messagesOf(session, items, views).slice(-limit);
}

async function itemsOf({ gateway }: Caller, { session_id }: SessionView): Promise<ItemView[]> {
  const items: ItemView[] = [];
  for (let from = THREAD_START; ; ) {
    const page = await gateway.listItems(threadIdOf(session_id), from, ITEMS_AT_ONCE);
    items.push(...page.items.map(({ view }) => view));
    if (!page.hasMore) return items;
    if (items.length > MOST_ITEMS) throw fail('invalid_request', 'This conversation is too long for this client.');
    from = page.end;
  }
}
