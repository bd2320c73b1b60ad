// The desk where Codex's requests are carried to a person and back. Each open request is one ask; its end is sent to
// Codex, or, when Codex settled it by itself, the ask is taken back. Owns which requests are open, and nothing of what is
// decided about one; a request that could not be asked is refused.
import type { z } from 'zod';
import type { AgentContext } from '../agent.ts';
import { createOpenAsk } from '../kit/pending-asks.ts';
import type { Standing } from '../kit/resume-message.ts';
import { INTERNAL_ERROR, type Incoming, METHOD_NOT_FOUND, type Peer, type RequestId } from '../wire/json-rpc.ts';
import type { UnderWay } from './active-items.ts';
import { placeOf, type Wanted, wantedBy } from './asks.ts';
import { createLater } from './async-questions.ts';
import { createAsking, type Put } from './decisions.ts';
import { createDeliveries, ELSEWHERE, type SentAnswer } from './delivery.ts';
import { createWords, type Place, type Unsaid } from './model-messages.ts';
import type { ItemNotice } from './protocol.ts';
import { laterQuestion } from './questions.ts';
import type { Transcripts } from './transcripts.ts';

export interface Desk {
  readonly standing: Standing;
  take(request: Incoming): Promise<void>;
  /** Resolves when all that was taken by now is stored as an ask, or is known not to become one. */
  raised(): Promise<void>;
  /** An item has ended: some of them ask, others show what became of an answer. */
  ended(notice: z.infer<typeof ItemNotice>): void;
  /** Codex has settled a request: with our answer, or without it. */
  resolved(id: RequestId): void;
  /** A turn is over, and what it had asked settled without us. Resolves when nothing is open any more. */
  turnOver(turnId: string): Promise<void>;
  /** Resolves when the server knows which answers have reached Codex. */
  told(): Promise<void>;
  /** What is still to be said to the model after a turn, once nothing is open; undefined when there is nothing. */
  unsaid(): Promise<Unsaid | undefined>;
  /** The process is gone: nothing that is open here can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer, or gave an answer of which Codex did not confirm that it has it. */
  owes(): boolean;
}

interface Open extends Put {
  /** What it asks for, where its end shows what was decided. */
  itemId?: string | undefined;
  /** What Codex was sent; it has not said yet that the request is settled. */
  sent?: SentAnswer;
}

export interface DeskParts {
  context: Pick<
    AgentContext,
    'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'withdraw' | 'output' | 'session'
  >;
  peer: Peer;
  standing: Standing;
  underWay: UnderWay;
  transcripts: Transcripts;
  /** The sub-agents above and including the thread that asks; none for the conversation itself. */
  lineageOf(threadId: string): Promise<string[]>;
  /** The run is no longer ours: Codex is about to be stopped, and is told nothing that would let it go on. */
  over?: AbortSignal | undefined;
  /** Others answer too: what cannot be asked here is left to them, not refused. */
  isShared?: boolean;
  onRaised?(askId: string): void;
}

export function createDesk(parts: DeskParts): Desk {
  const { context, peer, standing, underWay, transcripts, over, isShared = false, onRaised } = parts;
  const open = new Map<RequestId, Open>();
  const busy = new Set<Promise<void>>();
  const raising = new Set<Promise<void>>();
  const conversation = crypto.randomUUID();
  const deliveries = createDeliveries(
    context,
    isShared ? { has: underWay.has, callOf: transcripts.callOf } : undefined,
  );
  const words = createWords(peer, context.acknowledge);
  const asking = createAsking({ ...parts, isShared, words, told: deliveries.told });
  const later = createLater(asking, words);
  let isClosed = false;

  const fresh = (place: Place | undefined, isRaised?: () => void): Open => {
    const raised = (askId: string) => {
      onRaised?.(askId);
      isRaised?.();
    };
    return { ask: createOpenAsk(context, raised), place };
  };

  const read = (request: Incoming): Wanted =>
    wantedBy(request, { folder: context.session.work_folder, items: underWay.of, conversation, nowMs: Date.now() });

  /** What it names may have begun before we listened. */
  async function readWhole(request: Incoming, place: Place | undefined): Promise<Wanted> {
    const wanted = read(request);
    if (wanted.kind !== 'unshown' || !place) return wanted;
    await underWay.catchUp(place.threadId).catch(() => {});
    return read(request);
  }

  /** Codex closed the request. Unless our answer is on its way, somebody else answered it: the ask is taken back. */
  function takeBack({ sent, ask }: Open): void {
    if (!sent) ask.takeBack(ELSEWHERE);
  }

  async function carry(request: Incoming): Promise<void> {
    const { id } = request;
    const { promise, resolve: isRaised } = Promise.withResolvers<void>();
    raising.add(promise);
    const entry = fresh(placeOf(request), isRaised);
    open.set(id, entry);
    try {
      const wanted = await readWhole(request, entry.place);
      if (wanted.kind === 'approval') entry.itemId = wanted.itemId;
      const settled = await asking.settle(wanted, entry);
      if (isClosed || over?.aborted || entry.ask.isTakenBack()) return;
      if (!settled) return void open.delete(id);
      const { askId, item, call } = settled;
      if (askId !== undefined) {
        entry.sent = { askId, item, call, place: entry.place };
        deliveries.sent(entry.sent);
      }
      peer.respond(id, settled.result);
    } catch (error) {
      if (entry.ask.manner.signal.aborted || over?.aborted) return;
      open.delete(id);
      await unasked(id, error);
    } finally {
      isRaised();
      raising.delete(promise);
      await entry.ask.told();
    }
  }

  async function unasked(id: RequestId, error: unknown): Promise<void> {
    const why = error instanceof Error ? error.message : String(error);
    if (!isShared) peer.refuse(id, INTERNAL_ERROR, `The person could not be asked: ${why}`);
    const what = isShared ? 'can only be answered at its own prompt' : 'was refused';
    const text = `A request of Codex could not be asked, and ${what}: ${why}`;
    await context.output(text, { type: 'status' }).catch(() => {});
  }

  function keepBusy(work: Promise<void>): void {
    busy.add(work);
    void work.finally(() => busy.delete(work));
  }

  return {
    standing,
    async take(request) {
      // Open requests are told again to every listener that comes, also to one that is there already.
      if (open.has(request.id)) return;
      const wanted = read(request);
      if (wanted.kind === 'approval' && wanted.itemId) deliveries.asksAgain(wanted.itemId);
      if (wanted.kind !== 'reply' && wanted.kind !== 'refuse') return keepBusy(carry(request));
      if (isShared) return;
      if (wanted.kind === 'reply') return peer.respond(request.id, wanted.result);
      peer.refuse(request.id, METHOD_NOT_FOUND, wanted.why);
      await context.output(wanted.why, { type: 'status' }).catch(() => {});
    },
    async raised() {
      await Promise.all(raising);
    },
    ended({ threadId, turnId, item }) {
      deliveries.ended(item);
      if (isShared && item.id) for (const entry of open.values()) if (entry.itemId === item.id) takeBack(entry);
      // What Codex does not wait for is left to those who follow the conversation at its own prompt.
      const wanted = isShared ? undefined : laterQuestion(item, turnId);
      if (wanted) later.ask(wanted, fresh({ threadId, turnId }));
    },
    resolved(id) {
      const entry = open.get(id);
      open.delete(id);
      if (!entry) return;
      if (entry.sent) deliveries.settled(entry.sent);
      takeBack(entry);
    },
    async turnOver(turnId) {
      deliveries.turnOver(turnId);
      for (const [id, entry] of open) {
        if (entry.place?.turnId !== turnId) continue;
        open.delete(id);
        takeBack(entry);
      }
      while (busy.size > 0) await Promise.all(busy);
      await deliveries.told();
    },
    told: deliveries.told,
    async unsaid() {
      await later.allOver();
      return words.unsaid();
    },
    close() {
      isClosed = true;
      for (const { ask } of open.values()) ask.leave();
      later.close();
      deliveries.close();
    },
    owes: () => open.size > 0 || later.owes() || words.owes(),
  };
}
