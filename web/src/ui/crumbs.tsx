// Shows where an ask comes from: agent, projects, the sessions from the outermost to the one that asks, age and deadline.
import { ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { agentName, originsOf, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age, Countdown } from './age.tsx';
import './crumbs.css';

interface CrumbsProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
}

export function Crumbs({ ask, sessions }: CrumbsProps) {
  const line = originsOf(sessions, ask);
  const own = line.at(-1);
  const projects = own?.project_ids ?? [];
  /** The child session that asks its parent here. */
  const requester = ask.asked_from?.requester;
  return (
    <div className="crumbs">
      {own && <span className="chip">{agentName(own)}</span>}
      {projects.map((project) => (
        <span key={project} className="chip">
          {oneLine(project)}
        </span>
      ))}
      <span className="crumbs">
        {line.map((session, i) => (
          <Fragment key={session.session_id}>
            {i > 0 && <ChevronRight className="icon" aria-label="sub-agent" />}
            <Link href={`/sessions/${session.session_id}`}>{sessionName(session)}</Link>
          </Fragment>
        ))}
        {requester ? (
          <>
            <ChevronRight className="icon" aria-label="asked by its sub-agent" />
            <Link href={`/sessions/${requester.session_id}`}>{sessionName(requester)} asks</Link>
          </>
        ) : (
          ask.request.lineage?.map((agent) => (
            <Fragment key={agent}>
              <ChevronRight className="icon" aria-label="sub-agent" />
              <span>{oneLine(agent)}</span>
            </Fragment>
          ))
        )}
      </span>
      <span className="age">
        <Age atMs={ask.created_at_ms} />
        {ask.status === 'pending' && ask.expires_at_ms !== undefined && <Countdown toMs={ask.expires_at_ms} />}
      </span>
    </div>
  );
}
