// Defines the ask, which holds a run, and its state machine. A union on `status`: a pending ask cannot have an answer, an
// ended one always has an outcome, an author, a surface and an instant.
//
//   pending ──answer──► answered ──┐
//      │  ├──decline─► declined  ──┤
//      │  ├──cancel──► cancelled ──┼──► delivery: due → delivered | undeliverable
//      │  ├──expire──► expired   ──┤
//      └──fail─────► failed      ──┘
import type { Activity } from './activity.ts';
import type { QuestionAnswer } from './answer.ts';
import type { ErrorCode, Refusal, Winner } from './errors.ts';
import type { FormOwner } from './form.ts';
import type { Question } from './question.ts';
import type { Sighting } from './sighting.ts';

export const ASK_KINDS = ['approval', 'question'] as const;
export type AskKind = (typeof ASK_KINDS)[number];

export const ASK_MODES = ['blocking', 'deferred', 'form', 'restart'] as const;
export type AskMode = (typeof ASK_MODES)[number];

export const ASK_STATUSES = ['pending', 'answered', 'declined', 'cancelled', 'expired', 'failed'] as const;
export type AskStatus = (typeof ASK_STATUSES)[number];
export type EndedStatus = Exclude<AskStatus, 'pending'>;

export const DELIVERY_STATES = ['none', 'due', 'delivered', 'undeliverable'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const SURFACES = ['api', 'cli', 'web', 'thread', 'form', 'mcp', 'opencode', 'link', 'system'] as const;
export type Surface = (typeof SURFACES)[number];

export interface ApprovalContent {
  tool_name: string;
  input: Record<string, unknown>;
  reason: string;
  scope: string;
  suggestions?: unknown[] | undefined;
  diff?: string | undefined;
  /** `false`: the caller cannot accept a changed input. */
  editable?: false | undefined;
  /** The sub-agents between the run and the one that asks, the outermost first. */
  lineage?: string[] | undefined;
  /** The folder it runs in, if that may differ from the folder of the session. */
  work_folder?: string | undefined;
  /** Files that the action names, as they were when it was asked; part of what is allowed. */
  files?: NamedFile[] | undefined;
  /** What rules say about it; absent where none applies to any part of it. */
  asked_because?: { why: string; delegate_to?: string } | undefined;
  /** The decision on the same action that was not delivered because the agent was lost. */
  earlier?: EarlierDecision | undefined;
}

export interface NamedFile {
  path: string;
  sha256: string;
  /** The text of a script that the action runs or a file that it replaces, where it is short. The hash binds; this only shows what it is of. */
  text?: string | undefined;
}

/** What an approval is bound to. */
export const boundFiles = (files: readonly NamedFile[]): Omit<NamedFile, 'text'>[] =>
  files.map(({ path, sha256 }) => ({ path, sha256 }));

export interface EarlierDecision {
  ask_id: string;
  behavior: 'allow' | 'deny';
  answered_by: string;
  answered_at_ms: number;
  reason?: string;
}

export interface QuestionContent {
  questions: Question[];
  /** What the person should know to answer. */
  context?: string | undefined;
  /** The owner of the form; only in mode `form`, and not part of the digest. */
  form?: FormOwner | undefined;
  lineage?: string[] | undefined;
}

export interface Author {
  answeredBy: string;
  surface: Surface;
  /** Names are chosen by people; the token tells two of one name apart. */
  tokenId?: string | undefined;
}

interface Answerer {
  name: string;
  surface: Surface;
  tokenId?: string | undefined;
}
export const authorOf = ({ name, surface, tokenId }: Answerer): Author => ({ answeredBy: name, surface, tokenId });
/** The author of what the server itself ends. */
export const SYSTEM: Author = { answeredBy: 'system', surface: 'system' };

export interface Answer {
  outcome: EndedStatus;
  answers?: QuestionAnswer[];
  behavior?: 'allow' | 'deny';
  updated_input?: Record<string, unknown>;
  /** The agent's suggestions that were accepted with an allow. */
  suggestion_ids?: string[];
  /** What was given with it: the same from now on, without asking. */
  grant_id?: string;
  /** Digest of the action that may run: of `updated_input` where the person changed it. */
  digest?: string;
  justification?: string;
  reason?: string;
  answered_by: string;
  surface: Surface;
  answered_at_ms: number;
  /** The ask whose answer was given again, because its worker was lost before its agent had it. */
  kept_from?: string;
}

export interface AskBase {
  id: string;
  mode: AskMode;
  sessionId: string;
  runId: string;
  toolCallId: string;
  /** RFC 8785 digest of what was shown. */
  digest: string;
  /** Hash of everything the agent sent, to tell a repeat from another ask under the same tool call. */
  payloadHash: string;
  createdAt: number;
  expiresAt: number | undefined;
  seenBy: readonly Sighting[];
  /** Comments, who is on it, until when it is snoozed. */
  activity: Activity;
  /** `worker`: under the lease of its run. `agent`: with the token of its session or run. Unknown in release 0.1.0. */
  raisedBy: AskRaiser | undefined;
}
export const ASK_RAISERS = ['worker', 'agent'] as const;
export type AskRaiser = (typeof ASK_RAISERS)[number];
type Content = { kind: 'approval'; content: ApprovalContent } | { kind: 'question'; content: QuestionContent };

export type PendingAsk = AskBase & Content & { status: 'pending' };
export type EndedAsk = AskBase &
  Content & {
    status: EndedStatus;
    answer: Answer;
    /** The token that ended it, for the log; not stored with the ask. */
    endedBy?: string | undefined;
    /** Keyed hash of the decision, to tell an identical second answer from a different one. */
    answerMac: string;
    /** Encrypted answers of secret questions; gone once the agent has them. */
    sealed: string | undefined;
    delivery: {
      state: DeliveryState;
      attempts: number;
      /** When it was last handed to the agent; while it is due. */
      sentAt?: number | undefined;
      deliveredAt: number | undefined;
      reason: string | undefined;
    };
  };
export type Ask = PendingAsk | EndedAsk;
export type ApprovalAsk = Extract<Ask, { kind: 'approval' }>;
export type QuestionAsk = Extract<Ask, { kind: 'question' }>;

export type AskCommand = 'answer' | 'decline' | 'cancel' | 'expire' | 'fail';

/** `compare`: an identical decision gets the first outcome, a different one is refused with the winner. */
export type AskMove = 'end' | 'compare' | 'conflict' | 'expired' | 'ignore';

const settled = { cancel: 'conflict', expire: 'ignore', fail: 'ignore' } as const;

export const ASK_TABLE: Record<AskStatus, Record<AskCommand, AskMove>> = {
  pending: { answer: 'end', decline: 'end', cancel: 'end', expire: 'end', fail: 'end' },
  answered: { ...settled, answer: 'compare', decline: 'compare' },
  declined: { ...settled, answer: 'compare', decline: 'compare' },
  cancelled: { ...settled, answer: 'conflict', decline: 'conflict' },
  expired: { answer: 'expired', decline: 'expired', cancel: 'expired', expire: 'ignore', fail: 'ignore' },
  failed: { ...settled, answer: 'conflict', decline: 'conflict' },
};

export const isOverdue = (ask: Ask, now: number): ask is PendingAsk & { expiresAt: number } =>
  ask.status === 'pending' && ask.expiresAt !== undefined && ask.expiresAt <= now;

/** The effect of a command on an ask now. A pending ask past its deadline must be expired first. */
export function decide(ask: Ask, command: AskCommand, now: number): AskMove | 'expire_first' {
  if (command !== 'expire' && isOverdue(ask, now)) return 'expire_first';
  return ASK_TABLE[ask.status][command];
}

export function endAsk(
  ask: PendingAsk,
  status: EndedStatus,
  decision: Omit<Answer, 'outcome' | 'answered_by' | 'surface' | 'answered_at_ms'> & { answered_at_ms?: number },
  author: Author,
  now: number,
  kept: { answerMac: string; sealed?: string | undefined } = { answerMac: '' },
): EndedAsk {
  const answer: Answer = {
    answered_at_ms: now,
    answered_by: author.answeredBy,
    ...decision,
    outcome: status,
    surface: author.surface,
  };
  return {
    ...ask,
    status,
    answer,
    endedBy: author.tokenId,
    answerMac: kept.answerMac,
    sealed: kept.sealed,
    delivery: { state: 'due', attempts: 0, deliveredAt: undefined, reason: undefined },
  };
}

/** The reason of an ask that ended with the process that held it. */
export const WORKER_RESTART = 'worker_restart';

/** The reason of an ask that its agent withdrew: it was answered at the agent's own prompt, or is not needed any more. */
export const WITHDRAWN = 'withdrawn';

/** A denial whose reason is this very word is a decision all the same. */
export const isWithdrawn = ({ outcome, reason }: { outcome: string; reason?: string | undefined }): boolean =>
  outcome === 'cancelled' && reason === WITHDRAWN;

/** An approval that the server ends without a decision is an explicit denial: its agent may not act on it. */
export const withoutDecision = (ask: Ask, reason: string): Pick<Answer, 'behavior' | 'reason'> =>
  ask.kind === 'approval' ? { behavior: 'deny', reason } : { reason };

export function winnerOf(ask: EndedAsk): Winner {
  const { answered_by, surface, answered_at_ms, outcome, behavior, reason, justification } = ask.answer;
  const { state, reason: undelivered } = ask.delivery;
  return {
    answered_by,
    surface,
    answered_at_ms,
    outcome,
    ...(behavior && outcome === 'answered' && { behavior }),
    ...(isWithdrawn(ask.answer) && { reason, justification }),
    ...(state === 'undeliverable' && undelivered !== undefined && { undelivered }),
  };
}

/** A short text for people: the outcome, its author, and why it did not reach the agent. */
export function endedHow(winner: Winner): string {
  const { outcome, behavior, answered_by, surface, justification, undelivered } = winner;
  if (isWithdrawn(winner)) return `withdrawn by its agent (${justification ?? 'it is not needed any more'})`;
  const how = behavior === undefined ? outcome : { allow: 'allowed', deny: 'denied' }[behavior];
  return `${how} by ${answered_by} (${surface})${undelivered === undefined ? '' : `: ${undelivered}`}`;
}

/** `14:02 UTC` */
function timeOfDay(atMs: number): string {
  const minutes = Math.floor(atMs / 60_000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)} UTC`;
}

/** The refusal of a call after the ask has ended. */
export function lateRefusal(ask: EndedAsk, clarification: boolean): Refusal {
  const winner = winnerOf(ask);
  const end = ask.status === 'expired' ? `expired at ${timeOfDay(winner.answered_at_ms)}` : `was ${endedHow(winner)}`;
  return { code: lateCode(ask, clarification), detail: `It ${end}.`, winner, more: { request_id: ask.id } };
}

function lateCode({ kind, status }: EndedAsk, clarification: boolean): ErrorCode {
  if (kind === 'approval') return 'approval_state_conflict';
  if (status === 'expired') return 'question_expired';
  return clarification && status !== 'failed' ? 'question_resolution_conflict' : 'question_state_conflict';
}

/** The digest of the action that may run, or of the questions that were shown. */
export const answeredDigest = (ask: EndedAsk): string => ask.answer.digest ?? ask.digest;
