// The contract of an agent: one kind of coding agent, how it is run, what it is given. An adapter is pure translation
// between its agent's messages and these calls; it starts nothing, keeps nothing and has no privileges: whatever it
// does it does through its context, which is the public API in the name of one leased run.

import type { Manner } from '../client/asking.ts';
import type { ForwardedCall, ToolResult } from '../client/mcp-call.ts';
import type { ApprovalOutcome, AskOutcome, Held } from '../client/outcome.ts';
import type { SkillFiles } from '../client/skill-files.ts';
import type { ApproveSpec, AskSpec, Deadline, Questions } from '../client/spec.ts';
import type { FailureReason, Recovery } from '../core/run.ts';
import type { AskView, MessageView, RunView, SessionView } from '../core/views.ts';

/** Derives from the agent's own tool call, so that a call made again is the same ask, output or child. */
interface Named {
  id: string;
}

/** One run that this one carries on, with what it had asked. */
export interface EarlierRun {
  run: RunView;
  asks: AskView[];
}

export interface Saying {
  id?: string | undefined;
  type?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

export interface NewChild extends Named {
  agent: string;
  input: Record<string, unknown>;
  title?: string | undefined;
}

/** Enough to find a process again on its machine, also after the worker that started it is gone. */
export interface ProcessIdentity {
  host: string;
  pid: number;
  began: string;
}

export interface ProcessSpec {
  argv: readonly string[];
  folder: string;
  env: Record<string, string>;
  /** Written to its standard input, which is then closed; empty otherwise. */
  input?: string | undefined;
  limitMs?: number | undefined;
  signal: AbortSignal;
  /** An entry of `env` that no other program has. */
  mark: string;
  /** Called with the process before it begins; if this throws, it never does. */
  onStart(process: ProcessIdentity): void;
}

/** A program that is spoken with, line by line, while it runs. */
export interface TalkSpec extends Omit<ProcessSpec, 'input' | 'limitMs' | 'onStart'> {
  /** Called with the process before it begins; if this rejects, it never does. */
  onStart(process: ProcessIdentity): Promise<void>;
  onLine(line: string): void;
}

export interface Talk {
  /** Nobody listens any more once it has ended: then this says nothing. */
  send(line: string): void;
  /** Closes its standard input, which tells most programs to end. */
  hangUp(): void;
  /** It does nothing any more; what it started may still be there. */
  readonly exited: Promise<void>;
  /** Nothing of it is left. */
  readonly ended: Promise<ProcessExit>;
}

export interface ProcessExit {
  /** As a shell tells it: 128 + n when a signal ended it. */
  exitCode: number;
  signal?: string | undefined;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Programs on the worker's machine. What a program started ends with it, unless it left group and environment behind. */
export interface Processes {
  self(): ProcessIdentity;
  isAlive(process: ProcessIdentity): boolean;
  /** Ends it and all that belongs to it. Resolves to whether nothing is left. */
  end(process: ProcessIdentity, mark: string): Promise<boolean>;
  run(spec: ProcessSpec): Promise<ProcessExit>;
  /** Resolves when it has begun. */
  talk(spec: TalkSpec): Promise<Talk>;
}

/** Whether the worker goes away and the run does not: an agent that is taken up later should find things as they are. */
export const isLeaving = ({ reason }: AbortSignal): boolean =>
  (reason as { why?: unknown } | undefined)?.why === 'leaving';

export interface AgentContext {
  readonly input: Record<string, unknown>;
  readonly session: SessionView;
  readonly run: RunView;
  /** A worker had this run before: the agent takes up where it stopped, or begins again and finds its answers. */
  readonly resumed: boolean;
  /** Answers that no agent has acknowledged yet. */
  readonly due: readonly AskView[];
  /** The run is no longer this worker's, or is over: stop at once and tell nobody. */
  readonly signal: AbortSignal;
  /** The worker's environment, without its own settings: what a program may inherit. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: Processes;

  /** The same id again says nothing. */
  say(text: string | undefined, saying?: Saying): Promise<void>;
  /** Blocking asks resolve with their end; the other modes with `held` until the run is started again with the answer. */
  ask(spec: AskSpec & Named, manner?: Manner): Promise<AskOutcome | Held>;
  /** `isBound`: it holds for files as they are now, and so for no later time. */
  approve(spec: ApproveSpec & Named, manner?: Manner): Promise<(ApprovalOutcome & { isBound?: boolean }) | Held>;
  /** Asks the parent session; the answer comes by mail. */
  askParent(spec: Questions & Deadline & Named): Promise<AskOutcome>;
  /** For an answer that was due, or was asked for with `acknowledge: 'later'` or `'sent'`. */
  acknowledge(askId: string): Promise<void>;
  /** For such an answer that never reached the agent, and never will. */
  giveUp(askId: string, reason: string): Promise<void>;
  /** An open ask that was settled at the agent's own prompt, or is not needed any more. */
  withdraw(askId: string, justification?: string): Promise<void>;
  readonly mailbox: {
    list(): Promise<MessageView[]>;
    acknowledge(messageId: string): Promise<void>;
  };
  /** Calls a tool at the server's MCP door, in the name of this run. */
  callTool(call: ForwardedCall): Promise<ToolResult>;
  /** A published skill, by `name` or `namespace/name`, as the files it is made of. */
  skill(name: string): Promise<SkillFiles>;
  /** A session of its own below this one, with its first run. */
  spawn(child: NewChild): Promise<{ session_id: string; run_id: string }>;
  /** A child's result: the next run of the parent session. */
  report(input: Record<string, unknown>): Promise<void>;
  /** The runs this one carries on (forms, restarts), the latest first. */
  earlier(): Promise<EarlierRun[]>;
  /** The runs of this session that were submitted before that one, in order. */
  runsBefore(runId: string): Promise<RunView[]>;
  /** What an earlier run was asked to do, whole. */
  inputOf(runId: string): Promise<Record<string, unknown>>;
  /** The data of the newest output of this type, in this run or else in the last run of the session that has one. */
  recall(type: string): Promise<Record<string, unknown> | undefined>;
  /** Everything this session has asked. */
  history(): Promise<AskView[]>;
}

/** `held`: stopped cleanly on an open ask, no process is left. `vanished`: gone without a word, as after a crash. */
export type Ending =
  | { ended: 'completed'; text?: string | undefined; exit_code?: number | undefined }
  | { ended: 'failed'; error: string; reason?: FailureReason | undefined; exit_code?: number | undefined }
  | { ended: 'held' }
  | { ended: 'vanished' };

export interface Agent {
  readonly name: string;
  /** What can be done when its worker is lost: see `Recovery`. */
  readonly recovery: Recovery;
  run(context: AgentContext): Promise<Ending>;
}
