// What Codex writes down about its threads, beyond what it says: the calls of the model, and what the model was told of
// each. Owns which file is of which thread, and reads it; writes nothing. Where there is none, or it says nothing of a
// call (as of one inside of another), nobody can tell.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Place } from './codex-words.ts';

export interface WrittenCall {
  /** What the model was told, as JSON where it is that; undefined while it was told nothing. */
  told?: unknown;
}

export interface Transcripts {
  /** A reply that tells of a thread. */
  know(reply: unknown): void;
  /** What is written of this call, which is unique in its turn. */
  callOf(place: Place | undefined, callId: string): Promise<Written>;
}

/** `unwritten`: nothing of the call, or not yet. `unreadable`: nothing at all, so that nobody need look again. */
type Written = WrittenCall | 'unwritten' | 'unreadable';

const Reply = z.looseObject({ thread: z.looseObject({ id: z.string(), path: z.string() }) });
const Line = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('turn_context'), payload: z.looseObject({ turn_id: z.string() }) }),
  z.looseObject({
    type: z.literal('response_item'),
    payload: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function_call'), call_id: z.string() }),
      z.looseObject({ type: z.literal('function_call_output'), call_id: z.string(), output: z.unknown() }),
    ]),
  }),
]);

export function createTranscripts(): Transcripts {
  const files = new Map<string, string>();
  return {
    know(reply) {
      const read = Reply.safeParse(reply);
      if (read.success) files.set(read.data.thread.id, read.data.thread.path);
    },
    async callOf(place, callId) {
      const file = files.get(place?.threadId ?? '');
      if (file === undefined || place?.turnId === undefined) return 'unreadable';
      return writtenCall(file, place.turnId, callId).catch(() => 'unreadable');
    },
  };
}

async function writtenCall(file: string, turnId: string, callId: string): Promise<Written> {
  let call: WrittenCall | undefined;
  let isInTurn = false;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.includes('turn_context') && !(isInTurn && line.includes(callId))) continue;
    const { data: written } = Line.safeParse(asJson(line));
    if (written?.type === 'turn_context') isInTurn = written.payload.turn_id === turnId;
    if (written?.type !== 'response_item' || written.payload.call_id !== callId) continue;
    const { payload } = written;
    if (payload.type === 'function_call') call = {};
    else if (call) call.told = asJson(payload.output) ?? payload.output;
  }
  return call ?? 'unwritten';
}

/** The last line may not be whole yet, and what the model was told is text. */
function asJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
