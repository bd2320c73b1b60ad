// Shows a session's runs in time, its sub-agents and facts about it, beside its thread.

import { useMemo } from 'react';
import { permissionsText } from '../../../src/client/permissions-text.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { type Runs, useChildSessions, useSessionEvents } from '../hooks/session-data.ts';
import { timeline } from '../state/timeline.ts';
import { agentName, sessionName, statusText } from '../text/session-text.ts';
import { Facts, FolderFact } from './facts.tsx';
import { SideLink } from './side-link.tsx';
import { Timeline } from './timeline.tsx';
import './session-side.css';

export function SessionSide({ session, runs }: { session: SessionView; runs: Runs }) {
  const events = useSessionEvents(session.session_id);
  const children = useChildSessions(session.session_id);
  const lines = useMemo(() => timeline(events), [events]);
  return (
    <aside className="session-side" aria-label="About this session">
      <h2>Runs</h2>
      <Timeline lines={lines} runs={runs} />
      {children.length > 0 && (
        <>
          <h2>Sub-agents</h2>
          <ul>
            {children.map((child) => (
              <li key={child.session_id}>
                <SideLink href={`/sessions/${child.session_id}`} note={statusText(child.status)}>
                  {sessionName(child)}
                </SideLink>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>About</h2>
      <Facts>
        <dt>Agent</dt>
        <dd>{agentName(session)}</dd>
        <FolderFact folder={session.work_folder} />
        <dt>Permissions</dt>
        <dd>{permissionsText(session)}</dd>
        <dt>Id</dt>
        <dd>
          <code>{session.session_id}</code>
        </dd>
      </Facts>
    </aside>
  );
}
