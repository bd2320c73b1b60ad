// Declares the contract of an agent adapter: its descriptor, the context of a hosted run, how a person's own agent is attached.
// An adapter translates: processes, state and the server are reached through its context, which has no privileges of its own.
import type { AskOptions } from '../client/asking.ts';
import type { Client } from '../client/client.ts';
import type { ForwardedCall, ToolResult } from '../client/mcp-call.ts';
import type { ApprovalOutcome, AskOutcome, Held } from '../client/outcome.ts';
import type { SkillFiles } from '../client/skill-files.ts';
import type { ApproveSpec, AskSpec, Deadline, Questions } from '../client/spec.ts';
import type { Waits } from '../client/waits.ts';
import type { AgentDescription } from '../core/agent-description.ts';
import type { FailureReason, Recovery } from '../core/run.ts';
import type { ToolRule } from '../core/tool-rules.ts';
import type { AskView, MessageView, RunView, SessionView } from '../core/views.ts';
import type { EditorProxies } from './kit/editor-proxy.ts';
import type { HookCaller } from './kit/hook-caller.ts';
import type { RuntimeAdapter } from './kit/runtime.ts';

/** The descriptor. Its file loads nothing heavy: `run` and `attached` import what they need when they are called. */
export interface Agent extends AgentDescription {
  /** What the server does with a run whose worker is lost: see `Recovery`. */
  readonly recovery: Recovery;
  /** The program that the agent is, where it is one: for `doctor`, the docs and error texts. */
  readonly program?: Program;
  run(context: AgentContext): Promise<Ending>;
  /** Loads the check of a run's input, which returns what is wrong with it. */
  inputCheck?(): Promise<(input: Record<string, unknown>) => string | undefined>;
  /** How a headless dispatch runs the agent's program, where that differs from any other command. */
  runtime?(): Promise<RuntimeAdapter>;
  readonly attached?: Attached;
  /** Stands between an editor and the agent's program. */
  editorProxy?(): Promise<EditorProxies>;
}

export interface Program {
  command: string;
  /** The version that the tests against the real program run, as `--version` prints it. */
  tested: string;
  /** The shell command that installs it. */
  install: string;
  /** What the tests cannot show, as a clause for people. */
  untested?: string;
}

/** `held`: stopped on an open ask, no process is left. `vanished`: gone without a result, as after a crash. */
export type Ending =
  | { ended: 'completed'; text?: string | undefined; exit_code?: number | undefined }
  | { ended: 'failed'; error: string; reason?: FailureReason | undefined; exit_code?: number | undefined }
  | { ended: 'held' }
  | { ended: 'vanished' };

/** Derives from the agent's own tool call id, so that a repeated call is the same ask, output or child. */
type Identified = { id: string };
/** `isBound`: the allow holds for the named files as they are now, so it cannot be reused. */
type Approval = ApprovalOutcome & { isBound?: boolean };

/** A run that this one continues, with its asks. */
export interface EarlierRun {
  run: RunView;
  asks: AskView[];
}

export interface OutputOptions {
  id?: string | undefined;
  type?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

/** What a hosted run may use: the public API in the name of one leased run, and processes on the worker's machine. */
export interface AgentContext {
  readonly input: Record<string, unknown>;
  readonly session: SessionView;
  readonly run: RunView;
  /** Another worker hosted this run before: the agent resumes where it stopped, or starts over and finds its answers. */
  readonly resumed: boolean;
  /** Ended asks whose answers no agent has acknowledged yet. */
  readonly due: readonly AskView[];
  /** Aborted when the run has ended or belongs to another worker: stop at once, report nothing. */
  readonly signal: AbortSignal;
  /** The environment for programs: the worker's, without its own settings, plus what the run was given. */
  readonly env: Readonly<Record<string, string>>;
  toolRules(): Promise<readonly ToolRule[]>;
  readonly processes: Processes;
  /** How long a program may take until it is ready for its work. */
  readonly startLimitMs: number;
  /** The runtimes that registered agents bring for headless dispatches. */
  readonly runtimes: readonly RuntimeAdapter[];
  /** Stores an output of the run. A repeated id is a no-op. */
  output(text: string | undefined, options?: OutputOptions): Promise<void>;
  /** A blocking ask resolves when it ends; other modes resolve with `held` until the run is started again. */
  ask(spec: AskSpec & Identified, options?: AskOptions): Promise<AskOutcome | Held>;
  approve(spec: ApproveSpec & Identified, options?: AskOptions): Promise<Approval | Held>;
  /** Asks the parent session; the answer arrives in the mailbox. */
  askParent(spec: Questions & Deadline & Identified): Promise<AskOutcome>;
  /** Acknowledges an answer that was due, or was asked for with `acknowledge: 'later'` or `'sent'`. */
  acknowledge(askId: string): Promise<void>;
  /** Reports that such an answer did not reach the agent and never will. */
  markUndeliverable(askId: string, reason: string): Promise<void>;
  /** Ends an open ask that was settled at the agent's own prompt, or is no longer needed. */
  withdraw(askId: string, justification?: string): Promise<void>;
  readonly mailbox: {
    list(): Promise<MessageView[]>;
    acknowledge(messageId: string): Promise<void>;
  };
  /** Calls a tool of the server's MCP endpoint in the name of this run. */
  callTool(call: ForwardedCall): Promise<ToolResult>;
  /** Fetches a published skill by `name` or `namespace/name`. */
  skill(name: string): Promise<SkillFiles>;
  /** Creates a child session with its first run. */
  spawn(
    child: Identified & Pick<SessionView, 'agent' | 'title'> & { input: Record<string, unknown> },
  ): Promise<{ session_id: string; run_id: string }>;
  /** Starts the next run of the parent session with a child's result. */
  report(input: Record<string, unknown>): Promise<void>;
  /** The runs that this one continues (forms, restarts), the latest first. */
  earlier(): Promise<EarlierRun[]>;
  /** The runs of this session that were submitted before the given one, in order. */
  runsBefore(runId: string): Promise<RunView[]>;
  /** The complete input of an earlier run. */
  inputOf(runId: string): Promise<Record<string, unknown>>;
  /** The data of the newest output of this type, in this run or else in the latest run of the session that has one. */
  recall(type: string): Promise<Record<string, unknown> | undefined>;
  /** Every ask of this session. */
  history(): Promise<AskView[]>;
}

/** Whether the worker shuts down and the run continues elsewhere: the agent must find everything unchanged then. */
export const isLeaving = ({ reason }: AbortSignal): boolean =>
  (reason as { why?: unknown } | undefined)?.why === 'leaving';

/** Identifies a process on its machine, also after the worker that started it is gone. */
export interface ProcessIdentity {
  host: string;
  pid: number;
  /** When it began, as the machine counts: another process with the same id has another instant. */
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
  /** An entry of `env` that no other program has: finds descendants that outlive the leader. */
  mark: string;
  /** Called with the process before it begins; if this throws, it never does. */
  onStart(process: ProcessIdentity): void;
}

/** A process that exchanges lines over standard input and output while it runs. */
export interface LineProcessSpec extends Omit<ProcessSpec, 'input' | 'limitMs' | 'onStart'> {
  onStart?(process: ProcessIdentity): Promise<void>;
  /** With a promise, nothing more is read until it resolves. */
  onLine(line: string): void | Promise<void>;
}

export interface LineProcess {
  /** A no-op once the process has ended. */
  send(line: string): void;
  /** Closes its standard input, which tells most programs to end. */
  closeInput(): void;
  /** Resolves when the process itself has exited; its descendants may still run. */
  readonly exited: Promise<void>;
  /** Resolves when the process and all its descendants are gone. */
  readonly ended: Promise<ProcessExit>;
}

export interface ProcessExit {
  /** As a shell reports it: 128 + n when a signal ended it. */
  exitCode: number;
  signal?: string | undefined;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Starts programs on the worker's machine. Descendants end with their leader, unless they left its group and environment. */
export interface Processes {
  self(): ProcessIdentity;
  isAlive(process: ProcessIdentity): boolean;
  /** Ends a process that a record names, if it has the mark, and its descendants. Resolves to whether none is left. */
  end(process: ProcessIdentity, mark: string): Promise<boolean>;
  run(spec: ProcessSpec): Promise<ProcessExit>;
  /** Resolves when the process has begun. */
  start(spec: LineProcessSpec): Promise<LineProcess>;
}

/** How a person's own, already installed agent asks through Holdpoint too. */
export interface Attached {
  connector(): Promise<Connector>;
  /** Handles hook calls that the agent posts to the server (`POST /v1/hooks/<agent>`). Runs in the server's process. */
  serveHooks?(context: AttachedContext): Promise<HookServer>;
  /** Handles one hook call that the agent makes by running `holdpoint hook <agent>`. */
  readonly hookProcess?: HookProcess;
  /** Follows a running agent over its own local server, for as long as a worker of its machine runs. */
  readonly followed?: FollowedAgent;
}

/** The public client with a token that is bound to no run, for code that serves an attached agent. */
export interface AttachedContext {
  client: Client;
  waits: Waits;
  log?: { info(about: object, message: string): void; warn(about: object, message: string): void };
}

export interface HookServer {
  /** The response body. A request whose payload has an `ambiguity` must be left to the agent's own prompt. */
  handle(payload: unknown, signal: AbortSignal, ambiguity?: string, caller?: HookCaller): Promise<object>;
  /** Ends what an earlier process of the only server on this database left open. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface HookProcess {
  /** What the process prints; undefined: nothing, the agent then asks by itself. `open` may throw. */
  decide(payload: unknown, open: () => HookProcessContext): Promise<object | undefined>;
  /** Ends the ask of a hook process that was killed. Rejects when the server could not be reached. */
  endAbandoned(client: Client, call: HookCall): Promise<void>;
}

/** The ask of a hook process, by ids that exist before it is raised. */
export type HookCall = { run_id: string; call_id: string };

export interface SocketConnection {
  send(text: string): void;
  close(): void;
  /** Resolves when the connection is closed, by either side. */
  readonly ended: Promise<void>;
}

interface MachineContext extends AttachedContext {
  signal: AbortSignal;
  /** The label of the machine's state folder that sessions of its attached agents carry. */
  machine: string;
}

export interface HookProcessContext extends MachineContext {
  /** Opens a WebSocket on a local socket path; rejects when nothing listens there. */
  openSocket(path: string, onText: (text: string) => void): Promise<SocketConnection>;
  env: NodeJS.ProcessEnv;
  /** Records the call on disk, in case this process is killed; the returned function removes the record. */
  record(call: HookCall): () => Promise<void>;
}

export interface FollowContext extends MachineContext {
  /** The settings file that `connect` changed. */
  settingsFile: string;
  /** Opens a WebSocket at the address, which is a socket path then. Reports the agent as attached. */
  open(onText: (text: string) => void): Promise<SocketConnection>;
  /** For an agent that is followed without such a socket: it is there. */
  onAttached(): void;
  /** Reports in plain words why it cannot be followed. */
  onUnreachable(problem: string): void;
  /** Reports a request that could not be asked here and is only at the agent's own prompt. */
  onNotAsked(error: unknown): void;
}

export interface FollowedAgent {
  /** Where the agent listens, by the settings file that `connect` changed; another address is followed anew. */
  addressOf(settingsFile: string): string | Promise<string>;
  /** Resolves when the connection has ended. */
  follow(context: FollowContext): Promise<void>;
  /** Ends what the agent had asked from this machine, once it has been gone for a while. */
  gone(client: Client, machine: string): Promise<void>;
}

/** How `connect` and `disconnect` change the person's settings file. Pure: text in, text out. Throws `SettingsProblem`. */
export interface Connector {
  /** The environment variable that moves the agent's settings folder, or if it is named `…_FILE` the file. */
  folderVariable: string;
  file(env: NodeJS.ProcessEnv): string;
  connected(text: string | undefined, target: ConnectTarget): string;
  /** `before`: the file as it was before `connect`, where that is known. */
  disconnected(text: string, before?: string): string;
  isConnected(text: string): boolean;
  /** The text as it is shown to a person: shortened, without secrets. */
  shown(text: string): string;
  /** The servers that the hooks in it call, with the tokens they carry or the state folder that they name. */
  targets(text: string): { url: string; token?: string; data?: string }[];
  /** What to do by hand where the file is not understood. */
  byHand: string;
  /** Whether its hooks carry a token of their own; otherwise they find one in the state folder. */
  needsToken: boolean;
  /** What the person should know after `connect`. */
  note: string;
  /** Why the agent that these settings name cannot be attached; undefined if it can. */
  check?(text: string): Promise<string | undefined>;
}

export interface ConnectTarget {
  url: string;
  token: string;
  /** The state folder, and the command line program that a hook may run. */
  data: string;
  program: string;
  /** The environment of the person's terminal. */
  env?: NodeJS.ProcessEnv;
}
