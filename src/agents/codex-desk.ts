// The desk where Codex's requests are carried to a person and back. Each open request is one ask; its end is sent to
// Codex, or, when Codex settled it by itself, the ask is taken back. Owns which requests are open. Decides nothing:
// without an explicit allow, and without having been able to show what would be allowed, Codex hears a no.
import type { z } from 'zod';
import type { ApprovalOutcome, AskOutcome, Held } from '../client/outcome.ts';
import { DEFAULT_DENIAL } from '../core/answer.ts';
import { canonical } from '../core/digest.ts';
import type { AgentContext } from './agent.ts';
import type { Standing } from './carried-answers.ts';
import { mayStand, type WantedApproval } from './codex-approvals.ts';
import { createDeliveries, ELSEWHERE, type SentAnswer } from './codex-delivery.ts';
import type { ItemNotice } from './codex-protocol.ts';
import { laterQuestion, type WantedQuestion } from './codex-questions.ts';
import { type Wanted, wantedBy } from './codex-requests.ts';
import type { UnderWay } from './codex-under-way.ts';
import { createWords, type Place, type Unsaid } from './codex-words.ts';
import { INTERNAL_ERROR, type Incoming, METHOD_NOT_FOUND, type Peer, type RequestId } from './wire/jsonrpc.ts';

export interface Desk {
  readonly standing: Standing;
  take(request: Incoming): Promise<void>;
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

interface Open {
  stop: AbortController;
  place: Place | undefined;
  itemId?: string | undefined;
  askId?: string;
  /** What Codex was sent; it has not said yet that the request is settled. */
  sent?: SentAnswer;
  isWithdrawn: boolean;
}

/** The answer that Codex is given, and to which ask, where one was needed; undefined: none by us. */
type Settled = ({ result: unknown } & Partial<Pick<SentAnswer, 'askId' | 'item'>>) | undefined;

export interface DeskParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'acknowledge' | 'giveUp' | 'withdraw' | 'say' | 'session'>;
  peer: Peer;
  standing: Standing;
  underWay: UnderWay;
  /** The sub-agents above and including the thread that asks; none for the conversation itself. */
  lineageOf(threadId: string): Promise<string[]>;
  /** The run is no longer ours: Codex is about to be stopped, and is told nothing that would let it go on. */
  over?: AbortSignal | undefined;
  /** Others answer too: what cannot be asked here is left to them, not refused. */
  isShared?: boolean;
  onRaised?(askId: string): void;
}

export function createDesk(parts: DeskParts): Desk {
  const { context, peer, standing, underWay, lineageOf, over, isShared, onRaised } = parts;
  const open = new Map<RequestId, Open>();
  const later = new Set<Promise<void>>();
  const waitingLater = new Set<Open>();
  const busy = new Set<Promise<void>>();
  const conversation = crypto.randomUUID();
  const deliveries = createDeliveries(context, isShared ? underWay.has : undefined);
  const words = createWords(peer, context.acknowledge);
  const uses = new Map<string, number>();
  // Somebody at Codex's own prompt may have been first.
  const thePerson = isShared ? 'If it was not done, the person' : 'The person';
  let isClosed = false;

  const read = (request: Incoming): Wanted =>
    wantedBy(request, {
      folder: context.session.work_folder,
      items: underWay.of,
      conversation,
      nowMs: Date.now(),
    });

  /** The same call may ask more than once (a patch, then the same patch without the sandbox). */
  function nameOf(id: string): string {
    const count = (uses.get(id) ?? 0) + 1;
    uses.set(id, count);
    return count === 1 ? id : `${id}~${count}`;
  }

  const manner = (entry: Open) => ({
    acknowledge: 'sent' as const,
    signal: entry.stop.signal,
    raised: (askId: string) => {
      entry.askId = askId;
      onRaised?.(askId);
      if (entry.isWithdrawn) withdraw(entry);
    },
  });

  /** It was settled in Codex; unless an answer is on its way there, that was without us. */
  function withdraw(entry: Open): void {
    if (entry.sent) return;
    entry.isWithdrawn = true;
    const { askId } = entry;
    if (askId === undefined) return;
    entry.stop.abort();
    // Somebody may have answered at the same moment: that has nobody to go to.
    const takenBack = context.withdraw(askId, ELSEWHERE).catch(() => context.giveUp(askId, ELSEWHERE));
    keepBusy(takenBack.catch(() => {}));
  }

  function keepBusy(work: Promise<void>): void {
    busy.add(work);
    void work.finally(() => busy.delete(work));
  }

  /**
   * An allow is used up at the server before it is used: whoever takes the run up after us must not find it again. One that
   * was given up, because something else was decided at Codex's own prompt, is none.
   */
  const isUsable = (askId: string): Promise<boolean> =>
    deliveries
      .told()
      .then(() => context.acknowledge(askId))
      .then(
        () => true,
        () => false,
      );

  async function lineageIn(place: Place | undefined): Promise<{ lineage?: string[] }> {
    const lineage = place ? await lineageOf(place.threadId) : [];
    return lineage.length > 0 ? { lineage } : {};
  }

  async function decide(wanted: WantedApproval, entry: Open, place: Place | undefined): Promise<Settled> {
    const { spec } = wanted;
    entry.itemId = wanted.itemId;
    const input = plain(spec.input);
    const known = standing.take({ tool_name: spec.tool_name, input });
    if (known !== undefined && (await isUsable(known))) {
      await context.say(`Allowed as decided before (${known}).`, { type: 'status' });
      return { result: wanted.answer({ allowed: true, input, suggestion_ids: [] }) };
    }
    const asked = { ...spec, input, ...(await lineageIn(place)), id: nameOf(wanted.id) };
    const outcome = ended(await context.approve(asked, manner(entry)));
    if (!isAnswer(outcome)) return undefined;
    const sent = (isAllowed: boolean) => ({
      askId: outcome.ask_id,
      ...(wanted.itemId && { item: { id: wanted.itemId, isAllowed, isCommand: spec.tool_name === 'Bash' } }),
    });
    if (outcome.allowed && !wanted.takesChanges && canonical(outcome.input) !== canonical(input)) {
      if (mayStand(spec)) standing.put({ tool_name: spec.tool_name, input: outcome.input }, outcome.ask_id);
      const instead = typeof outcome.input.command === 'string' ? outcome.input.command : JSON.stringify(outcome.input);
      await words.tell(
        `${thePerson} allowed this instead, exactly as it stands here: ${instead}\nAsk for exactly that.`,
        place,
      );
      return { ...sent(false), result: wanted.answer({ allowed: false, input, suggestion_ids: [] }) };
    }
    if (!outcome.allowed && outcome.reason !== DEFAULT_DENIAL)
      await words.tell(`${thePerson} said no: ${outcome.reason}`, place);
    return { ...sent(outcome.allowed), result: wanted.answer(outcome) };
  }

  async function answer(wanted: WantedQuestion, entry: Open, place: Place | undefined) {
    const lineage = await lineageIn(place);
    for (let context_ = wanted.spec.context; ; ) {
      const spec = { ...wanted.spec, ...lineage, context: context_, id: nameOf(wanted.id) };
      const outcome = ended(await context.ask(spec, manner(entry)));
      if (!isAnswer(outcome)) return undefined;
      const reply = wanted.answer(outcome);
      if (!('again' in reply)) return { ...reply, askId: outcome.ask_id };
      await context.giveUp(outcome.ask_id, reply.again);
      context_ = [wanted.spec.context, reply.again].filter(Boolean).join('\n\n');
    }
  }

  async function settle(request: Incoming, entry: Open): Promise<Settled> {
    const { place } = entry;
    let wanted = read(request);
    if (wanted.kind === 'unshown' && place) {
      await underWay.catchUp(place.threadId).catch(() => {});
      wanted = read(request);
    }
    if (wanted.kind === 'approval') return decide(wanted, entry, place);
    if (wanted.kind === 'question') {
      const reply = await answer(wanted, entry, place);
      if (reply?.tell !== undefined) await words.tell(reply.tell, place);
      return reply;
    }
    if (wanted.kind !== 'unshown') return undefined;
    const what = isShared ? 'it can only be answered at its own prompt' : 'it was declined';
    await context.say(`Codex asked for something that cannot be shown, so ${what}: ${wanted.why}`, { type: 'status' });
    if (isShared) return undefined;
    await words.tell(`It was declined, because it could not be shown to the person. ${wanted.why}`, place);
    return wanted;
  }

  async function carry(request: Incoming): Promise<void> {
    const { id } = request;
    const entry = fresh(placeOf(request.params));
    open.set(id, entry);
    try {
      const settled = await settle(request, entry);
      if (isClosed || over?.aborted || entry.isWithdrawn) return;
      if (!settled) return void open.delete(id);
      const { askId, item } = settled;
      if (askId !== undefined) {
        entry.sent = { askId, item, place: entry.place };
        deliveries.sent(entry.sent);
      }
      peer.respond(id, settled.result);
    } catch (error) {
      if (entry.stop.signal.aborted || over?.aborted) return;
      open.delete(id);
      const why = error instanceof Error ? error.message : String(error);
      if (!isShared) peer.refuse(id, INTERNAL_ERROR, `The person could not be asked: ${why}`);
      const what = isShared ? 'can only be answered at its own prompt' : 'was refused';
      await context
        .say(`A request of Codex could not be asked, and ${what}: ${why}`, { type: 'status' })
        .catch(() => {});
    }
  }

  async function askLater(wanted: WantedQuestion, place: Place): Promise<void> {
    const entry = fresh(place);
    waitingLater.add(entry);
    try {
      const reply = await answer(wanted, entry, place);
      if (reply?.tell !== undefined) await words.tell(reply.tell, place, reply.askId);
      waitingLater.delete(entry);
    } catch {
      // Left open: whoever takes the run up again tells the model.
    }
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
      await context.say(wanted.why, { type: 'status' }).catch(() => {});
    },
    ended({ threadId, turnId, item }) {
      deliveries.ended(item);
      if (isShared && item.id) for (const entry of open.values()) if (entry.itemId === item.id) withdraw(entry);
      // What Codex does not wait for is left to those who follow the conversation at its own prompt.
      const wanted = isShared ? undefined : laterQuestion(item, turnId);
      if (!wanted) return;
      const asking = askLater(wanted, { threadId, turnId }).finally(() => later.delete(asking));
      later.add(asking);
    },
    resolved(id) {
      const entry = open.get(id);
      open.delete(id);
      if (!entry) return;
      if (entry.sent) deliveries.settled(entry.sent);
      withdraw(entry);
    },
    async turnOver(turnId) {
      deliveries.turnOver(turnId);
      for (const [id, entry] of open) {
        if (entry.place?.turnId !== turnId) continue;
        open.delete(id);
        withdraw(entry);
      }
      while (busy.size > 0) await Promise.all(busy);
      await deliveries.told();
    },
    told: deliveries.told,
    async unsaid() {
      while (later.size > 0) await Promise.all(later);
      return words.unsaid();
    },
    close() {
      isClosed = true;
      for (const entry of [...open.values(), ...waitingLater]) entry.stop.abort(new Error('Codex is gone'));
      deliveries.close();
    },
    owes: () => open.size > 0 || waitingLater.size > 0 || words.owes(),
  };
}

const fresh = (place: Place | undefined): Open => ({ stop: new AbortController(), place, isWithdrawn: false });

function placeOf(params: unknown): Place | undefined {
  const { threadId, turnId } = Object(params) as Partial<Record<keyof Place, unknown>>;
  if (typeof threadId !== 'string') return undefined;
  return { threadId, turnId: typeof turnId === 'string' ? turnId : undefined };
}

/** Asks are raised blocking, so they come back with their end. */
function ended<T extends ApprovalOutcome | AskOutcome>(outcome: T | Held): T {
  if (outcome.status === 'held') throw new Error('the ask was held');
  return outcome as T;
}

/** Any other end came without a word of a person: the run is over, or the ask was taken back. */
const isAnswer = ({ status }: ApprovalOutcome | AskOutcome): boolean => status === 'answered' || status === 'declined';

const plain = (input: Record<string, unknown>) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
