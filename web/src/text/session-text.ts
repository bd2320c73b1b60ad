// Names a session and its agent in lists and headings. Pure; text only.
import { lineage } from '../../../src/client/inbox-model.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { plainMarkdown } from './plain-markdown.ts';
import { oneLine } from './visible.ts';

export const sessionName = (session: Pick<SessionView, 'title' | 'session_id'>): string =>
  oneLine(plainMarkdown(session.title ?? '')) || session.session_id;

/** An agent id that the server generated from the session id is less useful than the kind of agent. */
export const agentName = ({
  agent,
  agent_id,
  session_id,
}: Pick<SessionView, 'agent' | 'agent_id' | 'session_id'>): string =>
  oneLine(agent_id.endsWith(session_id) ? agent : agent_id);

/** What a session or a run is doing, as people say it. */
export const statusText = (status: string): string => STATUS_TEXTS[status] ?? status.replaceAll('_', ' ');
const STATUS_TEXTS: Record<string, string> = { held: 'waiting', waiting_for_user_question: 'waiting for an answer' };

/** The agent is a program of the user's own: no worker hosts it. */
export const EXTERNAL_AGENT = 'external';

/** The agent runs in a person's own terminal: it takes answers from here, and no messages. */
export const isAttached = ({ agent, labels }: SessionView): boolean =>
  agent === EXTERNAL_AGENT && labels.includes('attached');

type Origin = Pick<SessionView, 'agent' | 'agent_id' | 'session_id' | 'title' | 'project_ids'>;

/** The sessions that an ask comes from, outermost first; until they are known, what the ask itself says of its own. */
export function originsOf(sessions: ReadonlyMap<string, SessionView>, ask: AskView): readonly Origin[] {
  const line = lineage(sessions, ask.session_id);
  return line.length > 0 || !ask.asked_from ? line : [{ ...ask.asked_from, session_id: ask.session_id }];
}
