// The session: one conversation with one agent in one work folder, with one active slot for its runs.
// Carries the head of its event log, so that whoever holds the session can link the next event.

export const PERMISSIONS = ['approval', 'autonomous'] as const;
export type Permissions = (typeof PERMISSIONS)[number];

/** The session that holds events belonging to no conversation: tokens, rules, nodes. */
export const SYSTEM_SESSION = 'system';

/** Your own program is the agent: no worker claims its runs, they run as soon as they have the slot. */
export const EXTERNAL_AGENT = 'external';

/** On a session of `external`: a conversation that a person has with their own agent, and types into where it runs. */
export const ATTACHED_LABEL = 'attached';

/** Whoever wants to say something to its agent has to type it there. */
export const isAttached = ({ agent, labels }: Pick<Session, 'agent' | 'labels'>): boolean =>
  agent === EXTERNAL_AGENT && labels.includes(ATTACHED_LABEL);

export interface Session {
  id: string;
  agent: string;
  agentId: string;
  title: string | undefined;
  workFolder: string | undefined;
  projectIds: string[];
  channelIds: string[];
  /** What a worker must have to host this session's agent. */
  labels: string[];
  parentSessionId: string | undefined;
  /** Its own; without it those of the worker count. */
  permissions: Permissions | undefined;
  taskId: string | undefined;
  status: 'active' | 'ended';
  createdAt: number;
  updatedAt: number;
  endedAt: number | undefined;
  activeRunId: string | undefined;
  queuedCount: number;
  pendingCount: number;
  /** Answers that no agent could take before its worker was lost; given again when the same is asked again. */
  keptCount: number;
  runCount: number;
  lastMessage: string | undefined;
  headSeq: number;
  headHash: string;
}

export const threadIdOf = (sessionId: string): string => `thr_${sessionId}`;
export const sessionIdOfThread = (threadId: string): string | undefined =>
  threadId.startsWith('thr_') ? threadId.slice(4) : undefined;
