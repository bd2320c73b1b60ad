// Decides whether a session matches a search, and builds the address of the sessions page for it. Pure.
import type { SessionView } from '../../../src/core/views.ts';
import { agentName, sessionName } from '../text/session-text.ts';

export type ListedStatus = 'active' | 'ended';

/** Every term must occur in what is known about the session; an id matches only as a whole. */
export function matchesSession(session: SessionView, q: string): boolean {
  const text = [sessionName(session), agentName(session), session.agent, session.work_folder ?? '']
    .concat(session.project_ids, session.snapshot.last_message ?? '')
    .join('\n')
    .toLowerCase();
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean);
  return terms.every((term) => text.includes(term) || term === session.session_id.toLowerCase());
}

export function sessionsAddress(status: ListedStatus, q: string): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  if (status === 'ended') params.set('status', status);
  return params.size === 0 ? '/sessions' : `/sessions?${params}`;
}
