// Defines the session: one conversation with one agent in one work folder, with one active slot for its runs. It has the
// head of its event log, to which the next event is linked.
import type { Rule } from './rule.ts';

export const PERMISSIONS = ['approval', 'autonomous'] as const;
export type Permissions = (typeof PERMISSIONS)[number];

/** The session of events that belong to no conversation: tokens, rules, nodes. */
export const SYSTEM_SESSION = 'system';

/** The agent is the caller's own program: no worker claims its runs, they start as soon as they have the slot. */
export const EXTERNAL_AGENT = 'external';

/** On a session of `external`: a conversation of a person at the prompt of their own agent. */
export const ATTACHED_LABEL = 'attached';

/** Its agent takes input only at its own prompt. */
export const isAttached = ({ agent, labels }: Pick<Session, 'agent' | 'labels'>): boolean =>
  agent === EXTERNAL_AGENT && labels.includes(ATTACHED_LABEL);

/** What people call the agent: an id that was derived from the session's own says less than the kind of agent. */
export const agentNameOf = ({ id, agent, agentId }: Pick<Session, 'id' | 'agent' | 'agentId'>): string =>
  agentId.endsWith(id) ? agent : agentId;

export interface Session {
  id: string;
  agent: string;
  agentId: string;
  title: string | undefined;
  workFolder: string | undefined;
  projectIds: string[];
  channelIds: string[];
  /** Labels that a worker needs to host this session's agent. */
  labels: string[];
  parentSessionId: string | undefined;
  /** Its own setting; otherwise that of the worker applies. */
  permissions: Permissions | undefined;
  /** Its own rules, and before them those of its parent. */
  rules: Rule[] | undefined;
  taskId: string | undefined;
  /** The id of the token that created it; unknown for sessions of release 0.1.0. */
  madeBy: string | undefined;
  status: 'active' | 'ended';
  createdAt: number;
  updatedAt: number;
  endedAt: number | undefined;
  activeRunId: string | undefined;
  queuedCount: number;
  pendingCount: number;
  /** Answers that were not delivered before the worker was lost; reused when the same question is asked again. */
  keptCount: number;
  runCount: number;
  lastMessage: string | undefined;
  headSeq: number;
  headHash: string;
  /** Seals the head with the server's key. */
  headMac: string | undefined;
  /** The day on which it last stored something, counted from 1970 in UTC, and how much on that day. */
  bytesDay: number;
  bytesStored: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const dayOf = (now: number): number => Math.floor(now / DAY_MS);

export const bytesToday = ({ bytesDay, bytesStored }: Session, now: number): number =>
  bytesDay === dayOf(now) ? bytesStored : 0;

export function countBytes(session: Session, bytes: number, now: number): void {
  session.bytesStored = bytesToday(session, now) + bytes;
  session.bytesDay = dayOf(now);
}

export const threadIdOf = (sessionId: string): string => `thr_${sessionId}`;
export const sessionIdOfThread = (threadId: string): string | undefined =>
  threadId.startsWith('thr_') ? threadId.slice(4) : undefined;
