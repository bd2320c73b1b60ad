// One session: its thread with what it asks right now and a place to write, its runs in time, its outputs and children.
import { ChevronRight, CirclePause, CircleStop } from 'lucide-react';
import { Fragment, type RefObject, useEffect, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { every } from '../../../src/client/client.ts';
import type { AskView, EventView, ItemView, RunView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { movedByItself } from '../hooks/commands.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { grown, useFetched } from '../hooks/queries.ts';
import { useBegun } from '../hooks/touched-asks.ts';
import { EMPTY_INBOX, lineage, sessionSeen } from '../state/inbox.ts';
import { timeline } from '../state/timeline.ts';
import { summary } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import AskCard from '../ui/ask-card.tsx';
import { Composer } from '../ui/composer.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { agentName, isAttached, sessionName } from '../ui/crumbs.tsx';
import { FolderFact } from '../ui/folder-fact.tsx';
import { Thread } from '../ui/thread.tsx';
import { Timeline } from '../ui/timeline.tsx';
import { announce } from '../ui/toasts.tsx';
import '../styles/card.css';
import '../styles/session.css';

const PAGE = 500;

export default function SessionPage({ id }: { id: string }) {
  const inbox = useInbox();
  const session = useFetched({ queryKey: ['session', id], queryFn: () => api.sessions.get(id) });
  const threadId = session.data?.thread_id;
  const thread = useFetched({
    queryKey: ['session', id, 'items'],
    queryFn: () => itemsOf(id, threadId ?? ''),
    enabled: threadId !== undefined,
  });
  const runs = useRuns(id);
  const begun = useBegun();
  const own = inbox.entries.filter((entry) => entry.ask.session_id === id);
  const pending = own.filter((entry) => entry.settledAtMs === undefined).map((entry) => entry.ask);
  // What the person has begun stays until they have read who was first.
  const cards = own.filter((entry) => entry.settledAtMs === undefined || begun.has(entry.ask.ask_id));
  // A key decides only what can be no other: one ask, and not in the moment it came.
  const [onlyAsk] = pending.length === 1 ? pending : [];
  const onlyId = onlyAsk?.ask_id;
  useEffect(() => {
    if (onlyId !== undefined) movedByItself();
  }, [onlyId]);
  const items = thread.data?.items ?? [];
  const scroller = useStuckToEnd(items.length + cards.length);
  if (session.error) return <Missing text={failureText(session.error)} />;
  if (!session.data) return null;
  const sessions = sessionSeen({ ...EMPTY_INBOX, sessions: inbox.sessions }, session.data).sessions;
  const done = (ask: AskView, what: string) => announce(`${what}: ${summary(ask.request)}`);
  return (
    <div className="session">
      <div className="session-main">
        <Head session={session.data} sessions={sessions} />
        <div className="session-scroll" ref={scroller}>
          <div className="session-body">
            {thread.error && <p className="notice bad">{failureText(thread.error)}</p>}
            <Thread
              items={items}
              runs={runs}
              isShownBelow={(promptId) => pending.some((ask) => ask.ask_id === promptId)}
            />
            {thread.data && items.length === 0 && pending.length === 0 && <Quiet session={session.data} />}
            {cards.map(({ ask }) => (
              <AskCard
                key={ask.ask_id}
                ask={ask}
                sessions={sessions}
                isInline
                hasKeys={ask === onlyAsk}
                onBack={undefined}
                onDone={done}
              />
            ))}
          </div>
        </div>
        <div className="session-foot">
          {thread.data && <Composer key={id} session={session.data} pending={pending} items={items} />}
        </div>
      </div>
      <Side session={session.data} runs={runs} />
    </div>
  );
}

const itemsOf = (sessionId: string, threadId: string) =>
  grown<ItemView>(['session', sessionId, 'items'], async (cursor) => {
    const page = await api.threads.items(threadId, { limit: PAGE, cursor });
    return { items: page.items, cursor: page.cursor, hasMore: page.next !== undefined };
  });

const eventsOf = (sessionId: string) =>
  grown<EventView>(['session', sessionId, 'events'], async (cursor) => {
    const after = cursor === undefined ? undefined : Number(cursor);
    const { items, next } = await api.events.ofSession(sessionId, { limit: PAGE, after });
    return { items, cursor: items.at(-1)?.seq.toString(), hasMore: next !== undefined };
  });

const NEAR_PX = 120;
const ABOVE_PX = 16;

/**
 * New lines are scrolled to, and the first ask that waits before all others, unless the person has scrolled away to read
 * older ones.
 */
function useStuckToEnd(count: number): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const placedPx = useRef(0);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      const isLeft = element.scrollHeight - element.scrollTop - element.clientHeight >= NEAR_PX;
      isAtEnd.current = !isLeft || Math.abs(element.scrollTop - placedPx.current) < 2;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  });
  useEffect(() => {
    const element = scroller.current;
    if (count === 0 || !element || !isAtEnd.current) return;
    const ask = element.querySelector('article');
    const above = ask ? ask.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
    element.scrollTop = ask ? element.scrollTop + above - ABOVE_PX : element.scrollHeight;
    placedPx.current = element.scrollTop;
  }, [count]);
  return scroller;
}

function Head({ session, sessions }: { session: SessionView; sessions: ReadonlyMap<string, SessionView> }) {
  const line = lineage(sessions, session.session_id);
  const mayAnswer = useMayAnswer();
  const isBusy = session.active_run_id !== undefined;
  return (
    <header className="session-head">
      <div>
        <nav className="crumbs" aria-label="Lineage">
          <Link href="/sessions">Sessions</Link>
          {line.slice(0, -1).map((parent) => (
            <Fragment key={parent.session_id}>
              <ChevronRight className="icon" aria-hidden="true" />
              <Link href={`/sessions/${parent.session_id}`}>{sessionName(parent)}</Link>
            </Fragment>
          ))}
        </nav>
        <h1>{sessionName(session)}</h1>
      </div>
      <span className="chip">{agentName(session)}</span>
      <span className={`chip ${session.status.startsWith('waiting') ? 'warn' : ''}`}>
        {session.status.replaceAll('_', ' ')}
      </span>
      <span className="end buttons">
        {mayAnswer && isBusy && (
          <ConfirmButton
            className="button small"
            really={isAttached(session) ? 'Leave this to its terminal?' : 'Stop this run?'}
            act={() => api.sessions.interrupt(session.session_id)}
          >
            <CirclePause className="icon" /> Interrupt
          </ConfirmButton>
        )}
        {mayAnswer && session.status !== 'ended' && (
          <ConfirmButton
            className="button small danger"
            really={isAttached(session) ? 'Ask at its terminal only, for good?' : 'End it for good?'}
            act={() => api.sessions.end(session.session_id)}
          >
            <CircleStop className="icon" /> End
          </ConfirmButton>
        )}
      </span>
    </header>
  );
}

type Runs = ReadonlyMap<string, RunView>;

function useRuns(id: string): Runs {
  const { data } = useFetched({
    queryKey: ['session', id, 'runs'],
    queryFn: () => Array.fromAsync(every((page) => api.runs.list({ session_id: id, limit: PAGE, ...page }))),
  });
  return useMemo(() => new Map((data ?? []).map((run) => [run.run_id, run])), [data]);
}

function Side({ session, runs }: { session: SessionView; runs: Runs }) {
  const id = session.session_id;
  const events = useFetched({ queryKey: ['session', id, 'events'], queryFn: () => eventsOf(id) });
  const children = useFetched({
    queryKey: ['sessions', 'of', id],
    queryFn: async () => (await api.sessions.list({ parent_session_id: id, limit: PAGE })).items,
  });
  const lines = useMemo(() => timeline(events.data?.items ?? []), [events.data]);
  return (
    <aside className="session-side" aria-label="About this session">
      <h2>Runs</h2>
      <Timeline lines={lines} runs={runs} />
      {(children.data ?? []).length > 0 && (
        <>
          <h2>Sub-agents</h2>
          <ul className="children">
            {children.data?.map((child) => (
              <li key={child.session_id}>
                <Link href={`/sessions/${child.session_id}`} className="hold">
                  {sessionName(child)} <span className="muted">{child.status.replaceAll('_', ' ')}</span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>About</h2>
      <dl className="facts">
        <dt>Agent</dt>
        <dd>{oneLine(session.agent)}</dd>
        <FolderFact folder={session.work_folder} />
        <dt>Permissions</dt>
        <dd>{session.permissions}</dd>
        <dt>Id</dt>
        <dd>
          <code>{session.session_id}</code>
        </dd>
      </dl>
    </aside>
  );
}

function Quiet({ session }: { session: SessionView }) {
  const isQueued = session.queued_run_ids.length > 0;
  return (
    <p className="muted">
      {isQueued
        ? `Queued. No worker has taken it yet: one that hosts “${oneLine(session.agent)}” has to run (holdpoint worker).`
        : 'Nothing was said here yet.'}
    </p>
  );
}

const Missing = ({ text }: { text: string }) => (
  <div className="page-body missing">
    <p className="notice bad">{text}</p>
    <Link href="/sessions" className="link">
      All sessions
    </Link>
  </div>
);
