// Accepts input for a session, the only way in which a text becomes work, and refuses what the session must not take now,
// for every sender and every endpoint.
import { fail } from '../core/errors.ts';
import { previewOf, type Run } from '../core/run.ts';
import { isAttached } from '../core/session.ts';
import { itemIdOf } from '../core/thread.ts';
import type { Actor } from '../core/token.ts';
import { refuseWhileForm } from './form-guard.ts';
import type { Ledger } from './ledger.ts';
import { enqueue } from './slot.ts';

const LONGEST_INPUT = 500_000;

/** Refuses input while the session has ended or a form waits for its answer. */
export async function checkTakesInput(ledger: Ledger): Promise<void> {
  const { session } = ledger;
  if (session.status === 'ended') throw fail('session_ended', `Session "${session.id}" has ended; create another one.`);
  await refuseWhileForm(ledger);
}

/** An attached agent reads no input from here: a person types it at the agent's own prompt. */
export function refuseAttached({ session }: Ledger): void {
  if (!isAttached(session)) return;
  throw fail(
    'thread_takes_no_input',
    'This conversation is held at the terminal of the agent: what you write here is taken only as an answer to what it asks. Type it there.',
  );
}

export interface PostedInput {
  text: string;
  actor: Actor;
  /** The post as an event. */
  item: Record<string, unknown>;
}

/** Queues a post that answers nothing. Posts before their run has begun are joined into one input, with blank lines. */
export async function queuePost(ledger: Ledger, { text, actor, item }: PostedInput) {
  const { tx, session, ports } = ledger;
  const queued = session.queuedCount > 0 ? await tx.queuedRuns(session.id) : [];
  const waiting = queued.findLast(takesPosts);
  const joined = `${waiting?.input.text}\n\n${text}`;
  const joins = waiting !== undefined && joined.length <= LONGEST_INPUT;
  const runId = joins ? waiting.id : ports.ids.next('run');
  const itemId = itemIdOf(session.id, ledger.nextSeq);
  if (!joins) {
    ledger.note('item.posted', item, runId);
    const input = { text, item_ids: [itemId] };
    const wanted = { id: runId, kind: 'input' as const, input, source: actor.surface, actor: actor.name };
    return { itemId, run: await enqueue(ledger, wanted) };
  }
  waiting.input = { ...waiting.input, text: joined, item_ids: [...(waiting.input.item_ids as string[]), itemId] };
  waiting.textPreview = previewOf(joined);
  const input_hash = ports.hash(JSON.stringify(waiting.input));
  ledger.note('item.posted', { ...item, input_hash, text_preview: waiting.textPreview }, runId);
  await tx.updateInput(waiting);
  return { itemId, run: waiting };
}

/** A run made of posts that has not begun. One that carries an answer takes its input from the run before it. */
const takesPosts = ({ startedAt, carriesAskId, input }: Run): boolean =>
  startedAt === undefined &&
  carriesAskId === undefined &&
  typeof input.text === 'string' &&
  Array.isArray(input.item_ids);
