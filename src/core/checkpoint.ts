// Defines the signed statements of the audit log: checkpoints over a range of events, chained to each other, and the
// introduction of a new signing key by the key before it. Owns what is signed; keys and signatures are the caller's.
import { z } from 'zod';
import { canonical, type Hash } from './digest.ts';
import { type Event, FIRST_PREV_HASH } from './event.ts';

export const CHECKPOINT = 'audit.checkpoint';
export const KEY_INTRODUCED = 'audit.key';

/** A checkpoint of the first format: neither chained nor with an order. Databases of version 0.1 have them. */
const Unchained = z.strictObject({
  /** It covers the events after the first up to the second number: each checkpoint begins where another ended. */
  after_seq: z.int(),
  through_seq: z.int(),
  /** The last event, so far, of every session that has one in between. */
  heads: z.array(z.strictObject({ session_id: z.string(), session_seq: z.int(), hash: z.string() })),
  key: z.string(),
  signature: z.string(),
});
const Chained = Unchained.extend({
  /** Hash of the checkpoint before it. */
  previous: z.string(),
  /** How many events it covers, and the hash over their numbers and hashes in the order of `seq`. */
  events: z.int(),
  order: z.string(),
});
export const Checkpoint = z.union([Chained, Unchained]);
export type Checkpoint = z.infer<typeof Checkpoint>;
type Signed<T> = Omit<T, 'signature'>;

/** From the data of an event, or a line of a witness. */
export const readCheckpoint = (text: string): Checkpoint | undefined => Checkpoint.safeParse(parsed(text)).data;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isChained = (checkpoint: Checkpoint): checkpoint is z.infer<typeof Chained> => 'order' in checkpoint;

/** The text that is signed. */
export function signedText(checkpoint: Signed<Checkpoint> & { signature?: string }): string {
  const { signature: _, ...statement } = checkpoint;
  if ('order' in statement) return canonical(statement);
  const { key: __, ...unchained } = statement;
  return canonical(unchained);
}

/** `previous` of the first checkpoint. Of any other it is the hash of the data of the checkpoint before it. */
export const NO_CHECKPOINT = FIRST_PREV_HASH;

type Placed = Pick<Event, 'seq' | 'hash'>;

/** Of events in the order of `seq`. */
export const orderHash = (events: readonly Placed[], hash: Hash): string =>
  hash(events.map((event) => `${event.seq} ${event.hash}\n`).join(''));

/** The statement over the events that follow `after`, for `key` to sign. */
export function statementOf(
  events: readonly Event[],
  after: number,
  previous: string,
  key: string,
  hash: Hash,
): Signed<z.infer<typeof Chained>> {
  return {
    after_seq: after,
    through_seq: events.at(-1)?.seq ?? after,
    previous,
    events: events.length,
    order: orderHash(events, hash),
    heads: headsOf(events),
    key,
  };
}

function headsOf(events: readonly Event[]): Checkpoint['heads'] {
  const heads = new Map(events.map((event) => [event.sessionId, event]));
  return [...heads.values()].map(({ sessionId, sessionSeq, hash }) => ({
    session_id: sessionId,
    session_seq: sessionSeq,
    hash,
  }));
}

/** A signing key is replaced: `signature` is that of the key before it. */
const Introduction = z.strictObject({ key: z.string(), previous_key: z.string(), signature: z.string() });
export type Introduction = z.infer<typeof Introduction>;

export const readIntroduction = (text: string): Introduction | undefined => Introduction.safeParse(parsed(text)).data;

export const introductionText = ({ key, previous_key }: Omit<Introduction, 'signature'>): string =>
  canonical({ key, previous_key });
