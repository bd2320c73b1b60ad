// The sessions, open or ended: what each is about, what it does now, how many asks wait in it. Which are shown is in the
// address, where it can be shared and gone back to.
import { Play } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { SessionView } from '../../../src/core/views.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { type SessionList, type Shown, useEndedSessions, useOpenSessions } from '../hooks/session-list.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import { Age, agentName, sessionName } from '../ui/crumbs.tsx';
import { SearchField } from '../ui/search-field.tsx';
import '../styles/history.css';
import '../styles/session.css';

const SHOWN: readonly (readonly [string, Shown])[] = [
  ['Open', 'active'],
  ['Ended', 'ended'],
];

function addressOf(shown: Shown, q: string): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  if (shown === 'ended') params.set('status', shown);
  return params.size === 0 ? '/sessions' : `/sessions?${params}`;
}

export default function SessionsPage({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  const [, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  const q = params.get('q') ?? '';
  const shown: Shown = params.get('status') === 'ended' ? 'ended' : 'active';
  const open = useOpenSessions(q);
  const ended = useEndedSessions(q, shown === 'ended');
  const list = shown === 'ended' ? ended : open;
  const waiting = useWaiting();
  const change = (next: Shown, words: string) => navigate(addressOf(next, words), { replace: true });
  return (
    <div className="page-scroll">
      <div className="page-body">
        <div className="page-head">
          <h1>Sessions</h1>
          {onNewRun && (
            <button type="button" className="button end" onClick={onNewRun}>
              <Play className="icon" /> New run
            </button>
          )}
        </div>
        <search className="history-search">
          <SearchField
            label="Search the sessions"
            placeholder="Title, agent, folder, project"
            value={q}
            onChange={(words) => change(shown, words)}
          />
          <fieldset className="filters" aria-label="Which sessions">
            {SHOWN.map(([label, which]) => (
              <button key={which} type="button" aria-pressed={shown === which} onClick={() => change(which, q)}>
                {label}
              </button>
            ))}
          </fieldset>
        </search>
        {list.error && <p className="notice bad">{failureText(list.error)}</p>}
        <ul className="session-list" aria-label={shown === 'ended' ? 'Ended sessions' : 'Open sessions'}>
          {list.sessions?.map((session) => (
            <li key={session.session_id}>
              <Row session={session} waiting={waiting.get(session.session_id) ?? 0} />
            </li>
          ))}
        </ul>
        <Foot list={list} shown={shown} isSearch={q.trim() !== ''} />
      </div>
    </div>
  );
}

/** How many asks wait, by session. */
function useWaiting(): ReadonlyMap<string, number> {
  const { entries } = useInbox();
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { ask, settledAtMs } of entries)
      if (settledAtMs === undefined) counts.set(ask.session_id, (counts.get(ask.session_id) ?? 0) + 1);
    return counts;
  }, [entries]);
}

const Row = ({ session, waiting }: { session: SessionView; waiting: number }) => (
  <Link href={`/sessions/${session.session_id}`} className="session-row">
    <span className="session-name">{sessionName(session)}</span>
    <span className="chip">{agentName(session)}</span>
    {session.parent_session_id !== undefined && <span className="chip">sub-agent</span>}
    {waiting > 0 && <span className="chip warn">{waiting} waiting</span>}
    <span className="small muted session-last">{oneLine((session.snapshot.last_message ?? '').slice(0, 200))}</span>
    <span className="small muted">{session.status.replaceAll('_', ' ')}</span>
    <span className="small muted">
      <Age atMs={session.updated_at_ms} />
    </span>
  </Link>
);

function Foot({ list, shown, isSearch }: { list: SessionList; shown: Shown; isSearch: boolean }) {
  const { sessions, isLooking, more } = list;
  const count = sessions?.length ?? 0;
  const word = shown === 'ended' ? 'ended' : 'open';
  const so = more ? ' so far' : '';
  return (
    <div className="history-foot">
      <p className="small muted" role="status">
        {isLooking
          ? 'Looking…'
          : count > 0
            ? `${count} ${word}${so}`
            : isSearch
              ? `No ${word} session matches this search${so}.`
              : NOTHING[shown]}
      </p>
      {more && (
        <button type="button" className="button" disabled={isLooking} onClick={more}>
          Further back
        </button>
      )}
    </div>
  );
}

const NOTHING: Record<Shown, ReactNode> = {
  active: (
    <>
      No session is open. Start a run here, or with <code>holdpoint run</code>.
    </>
  ),
  ended: 'No session has ended yet. The open ones are listed under “Open”.',
};
