// Shows one session: its thread, the asks that are pending in it, and a composer; its runs and facts beside them.
import { useLayoutEffect } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { useAgents } from '../hooks/agents.ts';
import { isTypedInto, movedByItself } from '../hooks/gesture.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { doneWord } from '../hooks/missed-notice.ts';
import { useIsOneColumn } from '../hooks/narrow.ts';
import { useScrollToEnd } from '../hooks/scroll-to-end.ts';
import { useEndedAsks, useRuns, useSession, useThread } from '../hooks/session-data.ts';
import { announce } from '../hooks/toasts.ts';
import { useTouchedAsks } from '../hooks/touched-asks.ts';
import { summary } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import AskCard from '../ui/ask-card.tsx';
import { Composer } from '../ui/composer.tsx';
import { MissingPage } from '../ui/missing-page.tsx';
import { SessionHead } from '../ui/session-head.tsx';
import { SessionSide } from '../ui/session-side.tsx';
import { Thread } from '../ui/thread.tsx';
import './session.css';

export default function SessionPage({ id, onNewRun }: { id: string; onNewRun: (() => void) | undefined }) {
  const inbox = useInbox();
  const { data: session, error } = useSession(id);
  const thread = useThread(id, session?.thread_id);
  const runs = useRuns(id);
  const asks = useEndedAsks(id);
  const { agents, error: agentsError } = useAgents();
  const isShell = agents?.find(({ name }) => name === session?.agent)?.takes === 'command';
  const touched = useTouchedAsks();
  const isOneColumn = useIsOneColumn();
  const own = inbox.entries.filter((entry) => entry.ask.session_id === id);
  const pending = own.filter((entry) => entry.settledAtMs === undefined).map((entry) => entry.ask);
  // An ask that this person began to answer stays until they have read who answered it first.
  const isInUse = (askId: string) => touched.has(askId) || isTypedInto(askId);
  const cards = own.filter((entry) => entry.settledAtMs === undefined || isInUse(entry.ask.ask_id));
  // Keys decide only where exactly one ask is pending.
  const [onlyAsk] = pending.length === 1 ? pending : [];
  // A card that comes or goes moves the others to where it was.
  const shownIds = [onlyAsk, ...cards.map(({ ask }) => ask)].map((ask) => ask?.ask_id).join(' ');
  useLayoutEffect(() => {
    if (shownIds.trim() !== '') movedByItself();
  }, [shownIds]);
  const items = thread.data?.items ?? [];
  const scroller = useScrollToEnd(items.length + cards.length);
  if (error)
    return (
      <MissingPage href="/sessions" label="All sessions">
        <p className="notice bad">{failureText(error)}</p>
      </MissingPage>
    );
  if (!session) return null;
  const sessions = new Map(inbox.sessions).set(id, session);
  const done = (ask: AskView, what: string) => announce(`${doneWord(ask, what)}: ${summary(ask.request)}`);
  return (
    <div className="session">
      <div className="session-main">
        <SessionHead session={session} sessions={sessions} />
        <div className="session-scroll" ref={scroller}>
          <div className="session-body column">
            {isOneColumn && (
              <details className="session-more">
                <summary>Runs and details</summary>
                <SessionSide session={session} runs={runs} />
              </details>
            )}
            {thread.error && <p className="notice bad">{failureText(thread.error)}</p>}
            <Thread
              items={items}
              asks={asks}
              isShell={isShell}
              runs={runs}
              isShownBelow={(promptId) => pending.some((ask) => ask.ask_id === promptId)}
            />
            {thread.data && items.length === 0 && pending.length === 0 && <NoItems session={session} />}
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
          {thread.data && (agents ?? agentsError) && (
            <Composer key={id} {...{ session, pending, items, isShell, onNewRun }} />
          )}
        </div>
      </div>
      {!isOneColumn && <SessionSide session={session} runs={runs} />}
    </div>
  );
}

function NoItems({ session }: { session: SessionView }) {
  const isQueued = session.queued_run_ids.length > 0;
  return (
    <p className="muted">
      {isQueued
        ? `Queued. It starts once a worker that hosts “${oneLine(session.agent)}” is running (holdpoint worker).`
        : 'No messages yet.'}
    </p>
  );
}
