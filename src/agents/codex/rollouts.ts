// Reads the rollout files in which Codex records its threads: the model's calls, the sandbox and approval policy of each, and
// the output. A thread may have no file, and calls nested in another call are not recorded.
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { canonical } from '../../core/digest.ts';
import { linesOf } from '../../node/lines.ts';
import { parsedJson } from '../wire/json-rpc.ts';
import type { TurnRef } from './protocol.ts';

export interface RecordedCall {
  /** The model asked to run it without the sandbox. */
  isUnsandboxed: boolean;
  /** A digest of all that restricts the call besides the command: its turn's settings, and its own arguments. */
  limits: string;
  /** What the model got, parsed where it is JSON; undefined until then. */
  output?: unknown;
}

export type Rollouts = ReturnType<typeof createRollouts>;

const Reply = z.looseObject({
  thread: z.looseObject({ id: z.string(), path: z.string().nullish() }),
  approvalPolicy: z.unknown().optional(),
});
const Arguments = z.looseObject({ sandbox_permissions: z.unknown().optional() });
const TurnContext = z.looseObject({
  type: z.literal('turn_context'),
  payload: z.looseObject({
    turn_id: z.string(),
    cwd: z.string(),
    approval_policy: z.unknown().optional(),
    sandbox_policy: z.looseObject({}),
    permission_profile: z.unknown().optional(),
  }),
});
const ResponseItem = z.looseObject({
  type: z.literal('response_item'),
  payload: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() }),
    z.looseObject({ type: z.literal('function_call_output'), call_id: z.string(), output: z.unknown() }),
  ]),
});
const Line = z.discriminatedUnion('type', [TurnContext, ResponseItem]);

export function createRollouts() {
  const threads = new Map<string, { file: string | null | undefined; policy: unknown }>();
  return {
    /** Takes file and approval policy of a thread from the reply to `thread/start` or `thread/resume`. */
    learn(reply: unknown): void {
      const { thread, approvalPolicy: policy } = Reply.safeParse(reply).data ?? {};
      if (thread) threads.set(thread.id, { file: thread.path, policy });
    },
    /** Whether any command of the thread may be asked about, sandboxed or not. A sub-agent is judged by its conversation. */
    asksForEveryCommand(turn: TurnRef | undefined): boolean {
      const own = threads.get(turn?.threadId ?? '');
      const known = own ? [own] : [...threads.values()];
      return known.length === 0 || known.some(({ policy }) => policy === undefined || policy === 'untrusted');
    },
    /** Call ids are unique in a turn. */
    async recordedCall(turn: TurnRef | undefined, callId: string): Promise<RecordedCall | 'unrecorded' | 'unreadable'> {
      const { file } = threads.get(turn?.threadId ?? '') ?? {};
      if (!file || turn?.turnId === undefined) return 'unreadable';
      return findCall(file, turn.turnId, callId).catch(() => 'unreadable');
    },
  };
}

async function findCall(file: string, turnId: string, callId: string): Promise<RecordedCall | 'unrecorded'> {
  let call: RecordedCall | undefined;
  let settings: unknown[] | undefined;
  for await (const text of linesOf(createReadStream(file))) {
    if (!text.includes('turn_context') && !(settings && text.includes(callId))) continue;
    const { data: line } = Line.safeParse(parsedJson(text));
    if (line?.type === 'turn_context')
      settings = line.payload.turn_id === turnId ? settingsOf(line.payload) : undefined;
    if (line?.type !== 'response_item' || line.payload.call_id !== callId || !settings) continue;
    const { payload } = line;
    if (payload.type === 'function_call') call = callWithin(settings, payload.arguments);
    else if (call) call.output = decoded(payload.output);
  }
  return call ?? 'unrecorded';
}

/** Arguments of a command that restrict nothing: the command itself, its description, how long to watch it. */
const UNRESTRICTING = /^(?:cmd|command|workdir|justification|prefix_rule|yield_time_ms|max_output_tokens)$/;

function callWithin(settings: readonly unknown[], given: string): RecordedCall | undefined {
  const { data } = Arguments.safeParse(parsedJson(given));
  if (!data) return undefined;
  const own = Object.entries(data).filter(([name, value]) => !UNRESTRICTING.test(name) && value !== 'use_default');
  return {
    isUnsandboxed: data.sandbox_permissions === 'require_escalated',
    limits: canonical([...settings, Object.fromEntries(own)]),
  };
}

const settingsOf = (turn: z.infer<typeof TurnContext>['payload']): unknown[] => [
  turn.cwd,
  turn.approval_policy ?? null,
  turn.sandbox_policy,
  turn.permission_profile ?? null,
];

/** An output is any text, and mostly JSON. */
const decoded = (output: unknown): unknown => (typeof output === 'string' ? (parsedJson(output) ?? output) : output);
