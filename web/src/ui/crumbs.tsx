// Where an ask comes from: project, the sessions from the outermost to the one that asks, its age and its deadline.
import { ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { countdown, duration } from '../../../src/client/times.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { lineage } from '../state/inbox.ts';
import { oneLine } from '../text/visible.ts';

export const sessionName = (session: Pick<SessionView, 'title' | 'session_id'>): string =>
  oneLine(session.title ?? '') || session.session_id;

/** An id that the server made up says less than the kind of agent. */
export const agentName = ({ agent, agent_id, session_id }: SessionView): string =>
  oneLine(agent_id.endsWith(session_id) ? agent : agent_id);

/** A program of somebody's own is the agent: no worker runs it. */
export const EXTERNAL_AGENT = 'external';

/** A person holds it at the terminal of their own agent: that takes answers from here, and nothing else. */
export const isAttached = ({ agent, labels }: SessionView): boolean =>
  agent === EXTERNAL_AGENT && labels.includes('attached');

interface CrumbsProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  /** The child that asks its parent here. */
  requester: { sessionId: string; name: string } | undefined;
}

export function Crumbs({ ask, sessions, requester }: CrumbsProps) {
  const line = lineage(sessions, ask.session_id);
  const own = line.at(-1);
  const projects = own?.project_ids ?? [];
  return (
    <div className="crumbs">
      {own && <span className="chip">{agentName(own)}</span>}
      {projects.map((project) => (
        <span key={project} className="chip">
          {oneLine(project)}
        </span>
      ))}
      <nav aria-label="Session" className="crumbs">
        {line.map((session, i) => (
          <Fragment key={session.session_id}>
            {i > 0 && <ChevronRight className="icon" aria-label="sub-agent" />}
            <Link href={`/sessions/${session.session_id}`}>{sessionName(session)}</Link>
          </Fragment>
        ))}
        {ask.request.lineage?.map((agent) => (
          <Fragment key={agent}>
            <ChevronRight className="icon" aria-label="sub-agent" />
            <span>{oneLine(agent)}</span>
          </Fragment>
        ))}
        {requester && (
          <>
            <ChevronRight className="icon" aria-label="asked by its sub-agent" />
            <Link href={`/sessions/${requester.sessionId}`}>{requester.name} asks</Link>
          </>
        )}
      </nav>
      <span className="age">
        <Age atMs={ask.created_at_ms} />
        {ask.status === 'pending' && ask.expires_at_ms !== undefined && <Countdown toMs={ask.expires_at_ms} />}
      </span>
    </div>
  );
}

export function Age({ atMs }: { atMs: number }) {
  const now = useNow();
  const ms = now - atMs;
  return (
    <time dateTime={new Date(atMs).toISOString()} title={new Date(atMs).toLocaleString()}>
      {ms < 1000 ? 'just now' : `${duration(ms)} ago`}
    </time>
  );
}

const NEAR_MS = 60_000;

export function Countdown({ toMs }: { toMs: number }) {
  const left = toMs - useNow();
  const text = left <= 0 ? 'expiring now' : `expires in ${countdown(left)}`;
  return <span className={`chip countdown ${left < NEAR_MS ? 'bad' : 'warn'}`}>{text}</span>;
}
