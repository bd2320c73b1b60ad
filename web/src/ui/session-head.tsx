// Shows a session's parents, title, agent and state, and the buttons that interrupt or end it.
import { ChevronRight, CirclePause, CircleStop } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { lineage } from '../../../src/client/inbox-model.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { agentName, isAttached, sessionName, statusText } from '../text/session-text.ts';
import { ConfirmButton } from './confirm-button.tsx';
import './crumbs.css';
import './session-head.css';

interface SessionHeadProps {
  session: SessionView;
  sessions: ReadonlyMap<string, SessionView>;
}

export function SessionHead({ session, sessions }: SessionHeadProps) {
  const line = lineage(sessions, session.session_id);
  const mayAnswer = useMayAnswer();
  const isBusy = session.active_run_id !== undefined;
  const { session_id: id } = session;
  const [stopIt, endIt] = isAttached(session)
    ? ['Leave it to the terminal?', 'Ask only at its terminal from now on?']
    : ['Stop this run?', 'End session?'];
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
      <span className={`chip ${session.status.startsWith('waiting') ? 'warn' : ''}`}>{statusText(session.status)}</span>
      <span className="buttons">
        {mayAnswer && isBusy && (
          <ConfirmButton className="button small" question={stopIt} act={() => api.sessions.interrupt(id)}>
            <CirclePause className="icon" /> Interrupt
          </ConfirmButton>
        )}
        {mayAnswer && session.status !== 'ended' && (
          <ConfirmButton className="button small danger" question={endIt} act={() => api.sessions.end(id)}>
            <CircleStop className="icon" /> End
          </ConfirmButton>
        )}
      </span>
    </header>
  );
}
