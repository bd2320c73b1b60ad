// One session: its thread with what it asks right now and a place to write, its runs in time, its outputs and children.
import { ChevronRight, CirclePause, CircleStop } from 'lucide-react';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { every } from '../../../src/client/client.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { failureText } from '../failure.ts';
import { useFetched } from '../queries.ts';
import { EMPTY_INBOX, lineage, sessionSeen } from '../state/inbox.ts';
import { useInbox } from '../state/live.ts';
import { useMayAnswer } from '../state/me.ts';
import { timeline } from '../state/timeline.ts';
import { summary } from '../text/ask-text.ts';
import { oneLine } from '../text/visible.ts';
import AskCard from '../ui/ask-card.tsx';
import { Composer } from '../ui/composer.tsx';
import { agentName, sessionName } from '../ui/crumbs.tsx';
import { Exact } from '../ui/text.tsx';
import { Thread } from '../ui/thread.tsx';
import { Timeline } from '../ui/timeline.tsx';
import { announce } from '../ui/toasts.tsx';
import '../styles/card.css';
import '../styles/session.css';

const PAGE = 500;

export default function SessionPage({ id }: { id: string }) {
  const inbox = useInbox();
  const session = useFetched({ queryKey: ['session', id], queryFn: () => api.sessions.get(id) });
  const thread = useFetched({
    queryKey: ['session', id, 'items'],
    queryFn: () => itemsOf(session.data?.thread_id ?? ''),
    enabled: session.data !== undefined,
  });
  const pending = inbox.entries
    .filter((entry) => entry.ask.session_id === id && entry.settledAtMs === undefined)
    .map((entry) => entry.ask);
  const foot = useRef<HTMLDivElement>(null);
  const count = (thread.data?.length ?? 0) + pending.length;
  useEffect(() => {
    if (count > 0) foot.current?.scrollIntoView({ block: 'end' });
  }, [count]);
  if (session.error) return <Missing text={failureText(session.error)} />;
  if (!session.data) return null;
  const sessions = sessionSeen({ ...EMPTY_INBOX, sessions: inbox.sessions }, session.data).sessions;
  const done = (ask: AskView, what: string) => announce(`${what}: ${summary(ask.request)}`);
  return (
    <div className="session">
      <div className="session-main">
        <Head session={session.data} sessions={sessions} />
        <div className="session-scroll">
          <div className="session-body">
            {thread.error && <p className="notice bad">{failureText(thread.error)}</p>}
            {thread.data && (
              <Thread items={thread.data} isShownBelow={(id) => pending.some((ask) => ask.ask_id === id)} />
            )}
            {thread.data?.length === 0 && pending.length === 0 && <Quiet session={session.data} />}
            {pending.map((ask, i) => (
              <AskCard
                key={ask.ask_id}
                ask={ask}
                sessions={sessions}
                isInline
                hasKeys={i === 0}
                onBack={undefined}
                onDone={done}
              />
            ))}
            <div ref={foot} />
          </div>
        </div>
        <div className="session-foot">
          <Composer key={id} session={session.data} pending={pending} />
        </div>
      </div>
      <Side session={session.data} />
    </div>
  );
}

async function itemsOf(threadId: string) {
  return Array.fromAsync(every((page) => api.threads.items(threadId, { limit: PAGE, ...page })));
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
          <button type="button" className="button small" onClick={() => api.sessions.interrupt(session.session_id)}>
            <CirclePause className="icon" /> Interrupt
          </button>
        )}
        {mayAnswer && session.status !== 'ended' && (
          <button type="button" className="button small danger" onClick={() => api.sessions.end(session.session_id)}>
            <CircleStop className="icon" /> End
          </button>
        )}
      </span>
    </header>
  );
}

function Side({ session }: { session: SessionView }) {
  const id = session.session_id;
  const runs = useFetched({
    queryKey: ['session', id, 'runs'],
    queryFn: () => Array.fromAsync(every((page) => api.runs.list({ session_id: id, limit: PAGE, ...page }))),
  });
  const events = useFetched({ queryKey: ['session', id, 'events'], queryFn: () => eventsOf(id) });
  const children = useFetched({
    queryKey: ['sessions', 'of', id],
    queryFn: async () => (await api.sessions.list({ parent_session_id: id, limit: PAGE })).items,
  });
  const byId = useMemo(() => new Map((runs.data ?? []).map((run) => [run.run_id, run])), [runs.data]);
  const lines = useMemo(() => timeline(events.data ?? []), [events.data]);
  return (
    <aside className="session-side" aria-label="About this session">
      <h2>Runs</h2>
      <Timeline lines={lines} runs={byId} />
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
        {session.work_folder !== undefined && (
          <>
            <dt>Folder</dt>
            <dd>
              <code>
                <Exact text={session.work_folder} />
              </code>
            </dd>
          </>
        )}
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

async function eventsOf(sessionId: string) {
  return Array.fromAsync(
    every((page) =>
      api.events.ofSession(sessionId, {
        limit: PAGE,
        ...(page.cursor !== undefined && { after: Number(page.cursor) }),
      }),
    ),
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
  <div className="page-body">
    <p className="notice bad">{text}</p>
  </div>
);
