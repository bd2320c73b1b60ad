// Lists the sessions, open or ended: title, agent, state, last message, and how many asks are pending in each. Search and
// state are in the address, where they can be shared and gone back to.
import { Play } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { SessionView } from '../../../src/core/views.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { type SessionList, useEndedSessions, useOpenSessions } from '../hooks/session-list.ts';
import { type ListedStatus, sessionsAddress } from '../state/session-search.ts';
import { failureText } from '../text/failure.ts';
import { agentName, sessionName, statusText } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from '../ui/age.tsx';
import { Filters } from '../ui/filters.tsx';
import { ListFoot } from '../ui/list-foot.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBar } from '../ui/search-bar.tsx';
import { SearchField } from '../ui/search-field.tsx';
import './sessions.css';

const STATUSES: readonly (readonly [string, ListedStatus])[] = [
  ['Open', 'active'],
  ['Ended', 'ended'],
];

export default function SessionsPage({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  const [, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  const q = params.get('q') ?? '';
  const status: ListedStatus = params.get('status') === 'ended' ? 'ended' : 'active';
  const open = useOpenSessions(q);
  const ended = useEndedSessions(q, status === 'ended');
  const list = status === 'ended' ? ended : open;
  const pending = usePendingCounts();
  // Those that wait first; sorting is stable.
  const isWaiting = ({ session_id }: SessionView) => Number(pending.has(session_id));
  const sessions = list.sessions?.toSorted((a, b) => isWaiting(b) - isWaiting(a));
  const change = (next: ListedStatus, search: string) => navigate(sessionsAddress(next, search), { replace: true });
  const newRun = onNewRun && (
    <button type="button" className="button" onClick={onNewRun}>
      <Play className="icon" /> New run
    </button>
  );
  return (
    <Page title="Sessions" tools={newRun}>
      <SearchBar>
        <SearchField
          label="Search the sessions"
          placeholder="Title, agent, folder, project"
          value={q}
          onChange={(search) => change(status, search)}
        />
        <Filters label="Which sessions" choices={STATUSES} value={status} onChoose={(next) => change(next, q)} />
      </SearchBar>
      {list.error && <p className="notice bad">{failureText(list.error)}</p>}
      <ul className="session-list" aria-label={status === 'ended' ? 'Ended sessions' : 'Open sessions'}>
        {sessions?.map((session) => (
          <li key={session.session_id}>
            <Row session={session} pending={pending.get(session.session_id) ?? 0} />
          </li>
        ))}
      </ul>
      <ListFoot isLoading={list.isLoading} more={list.more}>
        {found(list, status, q.trim() !== '')}
      </ListFoot>
    </Page>
  );
}

/** How many asks are pending, by session. */
function usePendingCounts(): ReadonlyMap<string, number> {
  const { entries } = useInbox();
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { ask, settledAtMs } of entries)
      if (settledAtMs === undefined) counts.set(ask.session_id, (counts.get(ask.session_id) ?? 0) + 1);
    return counts;
  }, [entries]);
}

const Row = ({ session, pending }: { session: SessionView; pending: number }) => (
  <Link href={`/sessions/${session.session_id}`} className="session-row">
    <span className="session-name">{sessionName(session)}</span>
    <span className="chip">{agentName(session)}</span>
    {session.parent_session_id !== undefined && <span className="chip">sub-agent</span>}
    {pending > 0 && <span className="chip warn">{pending} waiting</span>}
    <span className="small muted session-last">{oneLine((session.snapshot.last_message ?? '').slice(0, 200))}</span>
    <span className="small muted">{statusText(session.status)}</span>
    <span className="small muted">
      <Age atMs={session.updated_at_ms} />
    </span>
  </Link>
);

function found({ sessions = [], isLoading, more }: SessionList, status: ListedStatus, isSearch: boolean): ReactNode {
  if (isLoading) return 'Looking…';
  const word = status === 'ended' ? 'ended' : 'open';
  const soFar = more ? ' so far' : '';
  if (sessions.length > 0) return `${sessions.length} ${word}${soFar}`;
  return isSearch ? `No ${word} session matches this search${soFar}.` : NOTHING[status];
}

const NOTHING: Record<ListedStatus, ReactNode> = {
  active: (
    <>
      No open sessions. Start a run here, or with <code>holdpoint run</code>.
    </>
  ),
  ended: 'No sessions have ended yet.',
};
