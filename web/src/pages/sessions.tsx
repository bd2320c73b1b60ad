// The sessions that are open: what each is about, what it does now, how many asks wait in it.
import { Play } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { every } from '../../../src/client/client.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../queries.ts';
import { useInbox } from '../state/live.ts';
import { oneLine } from '../text/visible.ts';
import { Age, agentName, sessionName } from '../ui/crumbs.tsx';
import '../styles/session.css';

const PAGE = 500;
const listed = () => Array.fromAsync(every((page) => api.sessions.list({ status: 'active', limit: PAGE, ...page })));

export default function SessionsPage({ onNewRun }: { onNewRun: () => void }) {
  const { entries } = useInbox();
  const { data } = useFetched({ queryKey: ['sessions', 'active'], queryFn: listed });
  const waiting = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { ask, settledAtMs } of entries)
      if (settledAtMs === undefined) counts.set(ask.session_id, (counts.get(ask.session_id) ?? 0) + 1);
    return counts;
  }, [entries]);
  const sorted = useMemo(() => (data ?? []).toSorted((a, b) => b.updated_at_ms - a.updated_at_ms), [data]);
  return (
    <div className="page-scroll">
      <div className="page-body">
        <div className="page-head">
          <h1>Sessions</h1>
          <span className="small muted">{data && `${data.length} open`}</span>
          <button type="button" className="button end" onClick={onNewRun}>
            <Play className="icon" /> New run
          </button>
        </div>
        {data?.length === 0 ? (
          <p className="muted">
            No session is open. Start a run here, or with <code>holdpoint run</code>.
          </p>
        ) : (
          <ul className="session-list">
            {sorted.map((session) => (
              <li key={session.session_id}>
                <Row session={session} waiting={waiting.get(session.session_id) ?? 0} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
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
