// The run: one stretch of work in a session, from an input to its end.
//
//   queued ──► running ◄──► waiting_for_approval ──────┐
//     │           │  ▲                                  ├──► completed · failed · interrupted · cancelled
//     │           │  └──► waiting_for_user_question ───┘
//     └───────────┴───────────────────────────────────► (terminal: nothing follows)
//
// Owns which status may follow which. Knows nothing of slots, leases or storage.
import { type Refusal, refuse } from './errors.ts';
import type { Question } from './question.ts';
import type { Permissions } from './session.ts';

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting_for_approval',
  'waiting_for_user_question',
  'completed',
  'failed',
  'interrupted',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_KINDS = [
  'input',
  'parent_clarification',
  'approval_resume',
  'user_question_resume',
  'dispatch',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** `recover`: allowed only while a crash is being repaired. `handover`: only where the answer is carried on by another run. */
export type RunMove = 'move' | 'stay' | 'refuse' | 'recover' | 'handover';

const ended = {
  queued: 'refuse',
  running: 'refuse',
  waiting_for_approval: 'refuse',
  waiting_for_user_question: 'refuse',
  completed: 'refuse',
  failed: 'refuse',
  interrupted: 'refuse',
  cancelled: 'refuse',
} as const;

export const RUN_TABLE: Record<RunStatus, Record<RunStatus, RunMove>> = {
  queued: {
    queued: 'stay',
    running: 'move',
    waiting_for_approval: 'refuse',
    waiting_for_user_question: 'refuse',
    completed: 'refuse',
    failed: 'move',
    interrupted: 'refuse',
    cancelled: 'move',
  },
  running: {
    queued: 'recover',
    running: 'stay',
    waiting_for_approval: 'move',
    waiting_for_user_question: 'move',
    completed: 'move',
    failed: 'move',
    interrupted: 'move',
    cancelled: 'move',
  },
  waiting_for_approval: {
    queued: 'recover',
    running: 'move',
    waiting_for_approval: 'stay',
    waiting_for_user_question: 'move',
    completed: 'refuse',
    failed: 'move',
    interrupted: 'move',
    cancelled: 'move',
  },
  waiting_for_user_question: {
    queued: 'recover',
    running: 'move',
    waiting_for_approval: 'move',
    waiting_for_user_question: 'stay',
    completed: 'handover',
    failed: 'move',
    interrupted: 'move',
    cancelled: 'move',
  },
  completed: { ...ended, completed: 'stay' },
  failed: { ...ended, failed: 'stay' },
  interrupted: { ...ended, interrupted: 'stay' },
  cancelled: { ...ended, cancelled: 'stay' },
};

export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'interrupted' || status === 'cancelled';

export const isWaiting = (status: RunStatus): boolean =>
  status === 'waiting_for_approval' || status === 'waiting_for_user_question';

/** The status a held run shows: questions are named first, but never hide the approvals beside them. */
export function heldStatus(pendingApprovals: number, pendingQuestions: number): RunStatus {
  if (pendingQuestions > 0) return 'waiting_for_user_question';
  if (pendingApprovals > 0) return 'waiting_for_approval';
  return 'running';
}

/** Refuses a move the table does not have. `also` names the special move the caller is entitled to. */
export function checkMove(from: RunStatus, to: RunStatus, also?: 'recover' | 'handover'): Refusal | undefined {
  const move = RUN_TABLE[from][to];
  if (move === 'move' || move === 'stay' || move === also) return undefined;
  return refuse('run_state_conflict', `The run is ${from}; it cannot become ${to}.`);
}

/** Why a dispatch failed. */
export const FAILURE_REASONS = [
  'worker-failed',
  'provider-failed',
  'timeout',
  'cancelled',
  'fetch-failed',
  'integrity-failed',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** How a run that did not fail was stopped, by whom the agent's side knows of. */
export const INTERRUPTIONS = ['person', 'worker_restart'] as const;
export type Interruption = (typeof INTERRUPTIONS)[number];

export interface Run {
  id: string;
  sessionId: string;
  agent: string;
  labels: string[];
  kind: RunKind;
  status: RunStatus;
  input: Record<string, unknown>;
  source: string;
  actor: string;
  textPreview: string;
  submittedAt: number;
  updatedAt: number;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  /** Why it failed, was cancelled or interrupted. */
  error: string | undefined;
  /** `needs_input` for a run that handed over to a dispatch; the reason of a dispatch that failed. */
  outcome: string | undefined;
  /** The run this one carries on, and the ask whose answer it carries. */
  resumesRunId: string | undefined;
  carriesAskId: string | undefined;
  subtaskId: string | undefined;
  /** Place in the session's queue; a carrying run inherits the place of the run it carries on. */
  queueOrder: number;
  outputCount: number;
  clarification: Clarification | undefined;
  lease: Lease | undefined;
  /** Fencing number: every claim of the run by a worker gets a higher one. */
  leaseEpoch: number;
  /** What can be done when the worker that held it is gone; said by the worker when it claims the run. */
  recovery: Recovery;
  /** What the worker that took it is set to. */
  permissions: Permissions | undefined;
}

/** `resume`: the agent takes up where it stopped. `replay`: it can be run again from its input. `none`: it is lost. */
export const RECOVERIES = ['none', 'replay', 'resume'] as const;
export type Recovery = (typeof RECOVERIES)[number];

export interface Lease {
  workerId: string;
  until: number;
}

/** What a run says that ended because nobody was left to host it. */
export const LOST_WORDS = 'worker lost while the run was active';

/** The worker is gone, and with it the tool calls that hold the run; no worker has come that could say so to its agent. */
export const LOST: Lease = { workerId: '(lost)', until: 0 };

export const isHosted = ({ lease }: Pick<Run, 'lease'>): boolean => lease !== undefined && lease.until !== LOST.until;

/** What a child run asked its parent session; the questions wait here until the run has the slot. */
export interface Clarification {
  requestId: string;
  requesterAgentId: string;
  requesterSessionId: string;
  requesterRunId: string;
  requesterToolCallId: string;
  requesterProjectIds: string[];
  requesterChannelIds: string[];
  parentProjectIds: string[];
  parentChannelIds: string[];
  questions: Question[];
  payloadHash: string;
  expiresAt: number | undefined;
}
