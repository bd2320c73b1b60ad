// Names the agent of a session for people, as the page does. Pure.
import { oneLine } from './terminal-text.ts';

interface Origin {
  agent: string;
  agent_id: string;
}

/** An agent id that the server generated from the session id is less useful than the kind of agent. */
export const agentName = ({ agent, agent_id }: Origin, sessionId: string): string =>
  oneLine(agent_id.endsWith(sessionId) ? agent : agent_id);
