// Defines the run, a unit of work in a session from an input to its end, and its state machine.
//
//   queued ──► running ◄──► waiting_for_approval ──────┐
//     │           │  ▲                                  ├──► completed · failed · interrupted · cancelled
//     │           │  └──► waiting_for_user_question ───┘
//     └───────────┴───────────────────────────────────► (terminal: nothing follows)
//
// Knows nothing of slots, leases or storage.
import type { Ask } from './ask.ts';
import { type Refusal, refuse } from './errors.ts';
import type { Question } from './question.ts';
import type { Permissions } from './session.ts';
import { truncate } from './text-limit.ts';

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

/** `recover`: allowed only in crash recovery. `handover`: only where another run carries the answer. */
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

/** The status of a held run: questions come first, but never hide pending approvals. */
export function heldStatus(pending: readonly Pick<Ask, 'kind'>[]): RunStatus {
  if (pending.some(({ kind }) => kind === 'question')) return 'waiting_for_user_question';
  return pending.length > 0 ? 'waiting_for_approval' : 'running';
}

/** Refuses a move that is not in the table. `also`: a special move that the caller may make. */
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

/** How a run that did not fail was stopped, as reported by the agent's side. */
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
  /** The run that this one continues, and the ask whose answer it carries. */
  resumesRunId: string | undefined;
  carriesAskId: string | undefined;
  subtaskId: string | undefined;
  /** Place in the session's queue; a carrying run inherits the place of its predecessor. */
  queueOrder: number;
  outputCount: number;
  clarification: Clarification | undefined;
  lease: Lease | undefined;
  /** Fencing number: every claim of the run by a worker gets a higher one. */
  leaseEpoch: number;
  /** Which token claimed it under which epoch: `<epoch> <token id>`. Of another epoch where an older server claimed it. */
  leaseHolder: string | undefined;
  /** What can be done after the loss of its worker; declared by the worker when it claims the run. */
  recovery: Recovery;
  /** The setting of the worker that claimed it. */
  permissions: Permissions | undefined;
}

const PREVIEW_LENGTH = 200;

/** The beginning of an input, for lists. */
export const previewOf = (text: unknown): string =>
  typeof text === 'string' ? truncate(text, PREVIEW_LENGTH, '') : '';

/** `resume`: the agent continues where it stopped. `replay`: it runs again from its input. `none`: the run is lost. */
export const RECOVERIES = ['none', 'replay', 'resume'] as const;
export type Recovery = (typeof RECOVERIES)[number];

export interface Lease {
  workerId: string;
  until: number;
}

/** The error of a run that was interrupted by the loss of its worker. */
export const LOST_ERROR = 'worker lost while the run was active';

/** The lease of a held run whose worker is lost, until a worker comes that could host its agent. */
export const LOST: Lease = { workerId: '(lost)', until: 0 };

export const isHosted = ({ lease }: Pick<Run, 'lease'>): boolean => lease !== undefined && lease.until !== LOST.until;

/** The questions of a child run to its parent session, until the run has the slot. */
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
