// What Codex writes down about its threads, beyond what it says: the calls of the model, within which limits each was
// made, and what the model was told of it. Owns which file is of which thread, and reads it; writes nothing. Where there is
// none, or it says nothing of a call (as of one inside of another), nobody can tell.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { canonical } from '../../core/digest.ts';
import type { Place } from './model-messages.ts';

export interface WrittenCall {
  /** The model wanted it to be done without the sandbox. */
  isOutside: boolean;
  /** Within which it is done, beside what is done: what its turn may touch, and what the call says of that. */
  limits: string;
  /** What the model was told, as JSON where it is that; undefined while it was told nothing. */
  told?: unknown;
}

export interface Transcripts {
  /** A reply that tells of a thread. */
  know(reply: unknown): void;
  /** Whether every command of the thread may be asked for, also one in the sandbox; of a sub-agent its conversation tells. */
  asksForAll(place: Place | undefined): boolean;
  /** What is written of this call, which is unique in its turn. */
  callOf(place: Place | undefined, callId: string): Promise<Written>;
}

/** `unwritten`: nothing of the call, or not yet. `unreadable`: nothing at all, so that nobody need look again. */
type Written = WrittenCall | 'unwritten' | 'unreadable';

const Reply = z.looseObject({
  thread: z.looseObject({ id: z.string(), path: z.string().nullish() }),
  approvalPolicy: z.unknown().optional(),
});
const Arguments = z.looseObject({ sandbox_permissions: z.unknown().optional() });
const Line = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('turn_context'),
    payload: z.looseObject({
      turn_id: z.string(),
      cwd: z.string(),
      approval_policy: z.unknown().optional(),
      sandbox_policy: z.looseObject({}),
      permission_profile: z.unknown().optional(),
    }),
  }),
  z.looseObject({
    type: z.literal('response_item'),
    payload: z.discriminatedUnion('type', [
      z.looseObject({
        type: z.literal('function_call'),
        call_id: z.string(),
        arguments: z.string(),
      }),
      z.looseObject({ type: z.literal('function_call_output'), call_id: z.string(), output: z.unknown() }),
    ]),
  }),
]);

export function createTranscripts(): Transcripts {
  const threads = new Map<string, { file: string | null | undefined; policy: unknown }>();
  return {
    know(reply) {
      const { thread, approvalPolicy: policy } = Reply.safeParse(reply).data ?? {};
      if (thread) threads.set(thread.id, { file: thread.path, policy });
    },
    asksForAll(place) {
      const own = threads.get(place?.threadId ?? '');
      const known = own ? [own] : [...threads.values()];
      return known.length === 0 || known.some(({ policy }) => policy === undefined || policy === 'untrusted');
    },
    async callOf(place, callId) {
      const { file } = threads.get(place?.threadId ?? '') ?? {};
      if (!file || place?.turnId === undefined) return 'unreadable';
      return writtenCall(file, place.turnId, callId).catch(() => 'unreadable');
    },
  };
}

async function writtenCall(file: string, turnId: string, callId: string): Promise<Written> {
  let call: WrittenCall | undefined;
  let limits: unknown[] | undefined;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.includes('turn_context') && !(limits && line.includes(callId))) continue;
    const { data: written } = Line.safeParse(asJson(line));
    if (written?.type === 'turn_context') limits = written.payload.turn_id === turnId ? limitsOf(written) : undefined;
    if (written?.type !== 'response_item' || written.payload.call_id !== callId || !limits) continue;
    const { payload } = written;
    if (payload.type === 'function_call') call = callWithin(limits, payload.arguments);
    else if (call) call.told = asJson(payload.output) ?? payload.output;
  }
  return call ?? 'unwritten';
}

/** Of what the model gives to a command: the command, words about it, and how long to look at it. */
const NO_LIMITS: ReadonlySet<string> = new Set([
  'cmd',
  'command',
  'workdir',
  'justification',
  'prefix_rule',
  'yield_time_ms',
  'max_output_tokens',
]);

function callWithin(limits: readonly unknown[], given: string): WrittenCall | undefined {
  const { data } = Arguments.safeParse(asJson(given));
  if (!data) return undefined;
  const said = Object.entries(data).filter(([name, value]) => !NO_LIMITS.has(name) && value !== 'use_default');
  return {
    isOutside: data.sandbox_permissions === 'require_escalated',
    limits: canonical([...limits, Object.fromEntries(said)]),
  };
}

const limitsOf = ({ payload }: Extract<z.infer<typeof Line>, { type: 'turn_context' }>): unknown[] => [
  payload.cwd,
  payload.approval_policy ?? null,
  payload.sandbox_policy,
  payload.permission_profile ?? null,
];

/** The last line may not be whole yet, and what the model was told is text. */
function asJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
