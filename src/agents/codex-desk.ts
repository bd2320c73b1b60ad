// The desk where Codex's requests are carried to a person and back. Each open request is one ask; its end is sent to
// Codex, or, when Codex settled it by itself, the ask is taken back. Owns which requests are open and what could not be
// said to the model yet. Decides nothing: without an explicit allow, and without having been able to show what would be
// allowed, Codex hears a no.
import type { z } from 'zod';
import type { ApprovalOutcome, AskOutcome, Held } from '../client/outcome.ts';
import { DEFAULT_DENIAL } from '../core/answer.ts';
import { canonical } from '../core/digest.ts';
import type { AgentContext } from './agent.ts';
import type { Standing } from './carried-answers.ts';
import { mayStand, type WantedApproval } from './codex-approvals.ts';
import type { ItemNotice } from './codex-protocol.ts';
import { laterQuestion, type WantedQuestion } from './codex-questions.ts';
import { type Wanted, wantedBy } from './codex-requests.ts';
import type { UnderWay } from './codex-under-way.ts';
import { INTERNAL_ERROR, type Incoming, METHOD_NOT_FOUND, type Peer, type RequestId } from './wire/jsonrpc.ts';

export interface Desk {
  readonly standing: Standing;
  take(request: Incoming): Promise<void>;
  /** An item has ended: some of them ask. */
  ended(notice: z.infer<typeof ItemNotice>): void;
  /** Codex has settled a request: with our answer, or without it. */
  resolved(id: RequestId): void;
  /** The turn of these requests is over: what is still open is taken back. Resolves when that is done. */
  turnOver(): Promise<void>;
  /** What is still to be said to the model after a turn, once nothing is open; undefined when there is nothing. */
  unsaid(): Promise<string | undefined>;
  /** The process is gone: nothing that is open here can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer, or gave an answer of which Codex did not confirm that it has it. */
  owes(): boolean;
}

interface Open {
  stop: AbortController;
  askId?: string;
  isAnswered: boolean;
  isWithdrawn: boolean;
}

/** The turn a request belongs to: of the main thread, or of a sub-agent's. */
interface Place {
  threadId: string;
  turnId?: string | undefined;
}

/** The answer that Codex is given; undefined: none by us. */
type Settled = { result: unknown } | undefined;

export interface DeskParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'withdraw' | 'say' | 'session'>;
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
  const messages: string[] = [];
  const uses = new Map<string, number>();
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

  /** To the model, beside a result: while the turn goes on it is told at once, otherwise with the next turn. */
  async function tell(text: string, place: Place | undefined): Promise<void> {
    try {
      const { threadId, turnId } = place ?? {};
      if (turnId === undefined) throw new Error('no turn to tell it in');
      await peer.request('turn/steer', { threadId, expectedTurnId: turnId, input: [{ type: 'text', text }] });
    } catch {
      if (!isClosed) messages.push(text);
    }
  }

  const manner = (entry: Open) => ({
    signal: entry.stop.signal,
    raised: (askId: string) => {
      entry.askId = askId;
      onRaised?.(askId);
      if (entry.isWithdrawn) withdraw(entry);
    },
  });

  function withdraw(entry: Open): void {
    entry.isWithdrawn = true;
    if (entry.askId === undefined) return;
    entry.stop.abort();
    keepBusy(context.withdraw(entry.askId, 'settled in Codex itself').catch(() => {}));
  }

  function keepBusy(work: Promise<void>): void {
    busy.add(work);
    void work.finally(() => busy.delete(work));
  }

  async function lineageIn(place: Place | undefined): Promise<{ lineage?: string[] }> {
    const lineage = place ? await lineageOf(place.threadId) : [];
    return lineage.length > 0 ? { lineage } : {};
  }

  async function decide(wanted: WantedApproval, entry: Open, place: Place | undefined): Promise<Settled> {
    const { spec } = wanted;
    const input = plain(spec.input);
    const known = standing.take({ tool_name: spec.tool_name, input });
    if (known !== undefined) {
      await context.say(`Allowed as decided before (${known}).`, { type: 'status' });
      return { result: wanted.answer({ allowed: true, input, suggestion_ids: [] }) };
    }
    const asked = { ...spec, input, ...(await lineageIn(place)), id: nameOf(wanted.id) };
    const outcome = ended(await context.approve(asked, manner(entry)));
    if (!isForCodex(outcome, wanted)) return undefined;
    if (outcome.allowed && !wanted.takesChanges && canonical(outcome.input) !== canonical(input)) {
      if (mayStand(spec)) standing.put({ tool_name: spec.tool_name, input: outcome.input }, outcome.ask_id);
      const instead = typeof outcome.input.command === 'string' ? outcome.input.command : JSON.stringify(outcome.input);
      await tell(
        `The person allowed this instead, exactly as it stands here: ${instead}\nAsk for exactly that.`,
        place,
      );
      return { result: wanted.answer({ allowed: false, input, suggestion_ids: [] }) };
    }
    const why = outcome.allowed ? undefined : denialText(outcome);
    if (why !== undefined) await tell(why, place);
    return { result: wanted.answer(outcome) };
  }

  async function answer(wanted: WantedQuestion, entry: Open, place: Place | undefined): Promise<Settled> {
    const lineage = await lineageIn(place);
    for (let context_ = wanted.spec.context; ; ) {
      const spec = { ...wanted.spec, ...lineage, context: context_, id: nameOf(wanted.id) };
      const outcome = ended(await context.ask(spec, manner(entry)));
      if (!isForCodex(outcome, wanted)) return undefined;
      const reply = wanted.answer(outcome);
      if ('again' in reply) {
        context_ = [wanted.spec.context, reply.again].filter(Boolean).join('\n\n');
        continue;
      }
      if (reply.tell !== undefined) await tell(reply.tell, place);
      return { result: reply.result };
    }
  }

  /** An ask that ended without a word of a person: the run is over, or the prompt of Codex itself still stands. */
  const isForCodex = ({ status }: ApprovalOutcome | AskOutcome, { kind }: WantedApproval | WantedQuestion): boolean =>
    status === 'answered' || status === 'declined' || (status === 'expired' && kind === 'approval' && !isShared);

  async function settle(request: Incoming, entry: Open): Promise<Settled> {
    const place = placeOf(request.params);
    let wanted = read(request);
    if (wanted.kind === 'unshown' && place) {
      await underWay.catchUp(place.threadId).catch(() => {});
      wanted = read(request);
    }
    if (wanted.kind === 'approval') return decide(wanted, entry, place);
    if (wanted.kind === 'question') return answer(wanted, entry, place);
    if (wanted.kind !== 'unshown') return undefined;
    const what = isShared ? 'it can only be answered at its own prompt' : 'it was declined';
    await context.say(`Codex asked for something that cannot be shown, so ${what}: ${wanted.why}`, { type: 'status' });
    if (isShared) return undefined;
    await tell(`It was declined, because it could not be shown to the person. ${wanted.why}`, place);
    return wanted;
  }

  async function carry(request: Incoming): Promise<void> {
    const { id } = request;
    const entry = fresh();
    open.set(id, entry);
    try {
      const settled = await settle(request, entry);
      if (isClosed || over?.aborted || entry.isWithdrawn) return;
      if (!settled) return void open.delete(id);
      entry.isAnswered = true;
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
    const entry = fresh();
    waitingLater.add(entry);
    try {
      await answer(wanted, entry, place);
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
      if (wanted.kind !== 'reply' && wanted.kind !== 'refuse') return keepBusy(carry(request));
      if (isShared) return;
      if (wanted.kind === 'reply') return peer.respond(request.id, wanted.result);
      peer.refuse(request.id, METHOD_NOT_FOUND, wanted.why);
      await context.say(wanted.why, { type: 'status' }).catch(() => {});
    },
    ended({ threadId, turnId, item }) {
      const wanted = laterQuestion(item, turnId);
      if (!wanted) return;
      const asking = askLater(wanted, { threadId, turnId }).finally(() => later.delete(asking));
      later.add(asking);
    },
    resolved(id) {
      const entry = open.get(id);
      open.delete(id);
      if (entry && !entry.isAnswered) withdraw(entry);
    },
    async turnOver() {
      for (const entry of open.values()) if (!entry.isAnswered) withdraw(entry);
      while (busy.size > 0) await Promise.all(busy);
    },
    async unsaid() {
      while (later.size > 0) await Promise.all(later);
      return messages.length > 0 ? messages.splice(0).join('\n\n') : undefined;
    },
    close() {
      isClosed = true;
      for (const entry of [...open.values(), ...waitingLater]) entry.stop.abort(new Error('Codex is gone'));
    },
    owes: () => open.size > 0 || waitingLater.size > 0,
  };
}

const fresh = (): Open => ({ stop: new AbortController(), isAnswered: false, isWithdrawn: false });

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

/** Codex's own answer to a denial has no room for a reason. */
function denialText({ status, reason }: ApprovalOutcome): string | undefined {
  if (status === 'answered') return reason === DEFAULT_DENIAL ? undefined : `The person said no: ${reason}`;
  return `Nobody allowed it (${status === reason ? status : `${status}: ${reason}`}).`;
}

const plain = (input: Record<string, unknown>) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
