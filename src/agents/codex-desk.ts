// The desk where Codex's requests are carried to a person and back. Each open request is one ask; its end is sent to
// Codex, or, when Codex settled it by itself, the ask is taken back. Owns which requests are open and what could not be
// said to the model yet. Decides nothing: without an explicit allow Codex hears a no.
import type { z } from 'zod';
import type { ApprovalOutcome, AskOutcome, Held } from '../client/outcome.ts';
import { DEFAULT_DENIAL } from '../core/answer.ts';
import { canonical } from '../core/digest.ts';
import type { AgentContext } from './agent.ts';
import type { Standing } from './carried-answers.ts';
import type { WantedApproval } from './codex-approvals.ts';
import type { Item, ItemNotice } from './codex-protocol.ts';
import { laterQuestion, type WantedQuestion } from './codex-questions.ts';
import { wantedBy } from './codex-requests.ts';
import { INTERNAL_ERROR, type Incoming, METHOD_NOT_FOUND, type Peer, type RequestId } from './wire/jsonrpc.ts';

export interface Desk {
  readonly standing: Standing;
  take(request: Incoming): Promise<void>;
  /** Items as they begin and end: requests refer to them, and some of them ask. */
  see(notice: z.infer<typeof ItemNotice>, isOver: boolean): void;
  /** Codex has settled a request: with our answer, or without it. */
  resolved(id: RequestId): void;
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

interface Place {
  threadId: string;
  turnId: string;
}

export interface DeskParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'withdraw' | 'say' | 'session'>;
  peer: Peer;
  standing: Standing;
  /** Others answer too: what cannot be asked here is left to them, not refused. */
  isShared?: boolean;
  onRaised?(askId: string): void;
}

export function createDesk({ context, peer, standing, isShared, onRaised }: DeskParts): Desk {
  const open = new Map<RequestId, Open>();
  const later = new Set<Promise<void>>();
  const waitingLater = new Set<Open>();
  const items = new Map<string, Item>();
  const messages: string[] = [];
  const uses = new Map<string, number>();
  let isClosed = false;

  const keyOf = (threadId: string, itemId: string) => `${threadId} ${itemId}`;
  const scene = () => ({
    folder: context.session.work_folder,
    item: (threadId: string, itemId: string) => items.get(keyOf(threadId, itemId)),
    toolCall: (threadId: string, server: string) =>
      [...items].findLast(
        ([key, { type, server: of }]) => key.startsWith(`${threadId} `) && type === 'mcpToolCall' && of === server,
      )?.[1],
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
      if (!place) throw new Error('no turn to tell it in');
      const { threadId, turnId } = place;
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
    void context.withdraw(entry.askId, 'settled in Codex itself').catch(() => {});
  }

  async function decide(wanted: WantedApproval, entry: Open, place: Place | undefined): Promise<unknown> {
    const { spec } = wanted;
    const input = plain(spec.input);
    const known = standing.take({ tool_name: spec.tool_name, input });
    if (known !== undefined) {
      await context.say(`Allowed as decided before (${known}).`, { type: 'status' });
      return wanted.answer({ allowed: true, input, suggestion_ids: [] });
    }
    const outcome = settled(await context.approve({ ...spec, input, id: nameOf(wanted.id) }, manner(entry)));
    if (outcome.allowed && !wanted.takesChanges && canonical(outcome.input) !== canonical(input)) {
      standing.put({ tool_name: spec.tool_name, input: outcome.input }, outcome.ask_id);
      const instead = typeof outcome.input.command === 'string' ? outcome.input.command : JSON.stringify(outcome.input);
      await tell(
        `The person allowed this instead, exactly as it stands here: ${instead}\nAsk for exactly that.`,
        place,
      );
      return wanted.answer({ allowed: false, input, suggestion_ids: [] });
    }
    const why = outcome.allowed ? undefined : denialText(outcome);
    if (why !== undefined) await tell(why, place);
    return wanted.answer(outcome);
  }

  async function answer(wanted: WantedQuestion, entry: Open, place: Place | undefined): Promise<unknown> {
    for (let context_ = wanted.spec.context; ; ) {
      const asked = await context.ask({ ...wanted.spec, context: context_, id: nameOf(wanted.id) }, manner(entry));
      const reply = wanted.answer(settled(asked));
      if ('again' in reply) {
        context_ = [wanted.spec.context, reply.again].filter(Boolean).join('\n\n');
        continue;
      }
      if (reply.tell !== undefined) await tell(reply.tell, place);
      return reply.result;
    }
  }

  async function carry(
    id: RequestId,
    wanted: WantedApproval | WantedQuestion,
    place: Place | undefined,
  ): Promise<void> {
    const entry = fresh();
    open.set(id, entry);
    try {
      const result =
        wanted.kind === 'approval' ? await decide(wanted, entry, place) : await answer(wanted, entry, place);
      if (isClosed || entry.isWithdrawn) return;
      entry.isAnswered = true;
      peer.respond(id, result);
    } catch (error) {
      if (entry.stop.signal.aborted) return;
      open.delete(id);
      if (isShared) return;
      const why = error instanceof Error ? error.message : String(error);
      peer.refuse(id, INTERNAL_ERROR, `The person could not be asked: ${why}`);
      await context
        .say(`A request of Codex could not be asked, and was refused: ${why}`, { type: 'status' })
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
      const wanted = wantedBy(request, scene());
      if (isShared && (wanted.kind === 'reply' || wanted.kind === 'refuse')) return;
      if (wanted.kind === 'reply') return peer.respond(request.id, wanted.result);
      if (wanted.kind === 'refuse') {
        peer.refuse(request.id, METHOD_NOT_FOUND, wanted.why);
        return context.say(wanted.why, { type: 'status' }).catch(() => {});
      }
      await carry(request.id, wanted, placeOf(request.params));
    },
    see({ threadId, turnId, item }, isOver) {
      if (!item.id) return;
      if (isOver) items.delete(keyOf(threadId, item.id));
      else items.set(keyOf(threadId, item.id), item);
      const wanted = isOver ? laterQuestion(item, turnId) : undefined;
      if (!wanted) return;
      const asking = askLater(wanted, { threadId, turnId }).finally(() => later.delete(asking));
      later.add(asking);
    },
    resolved(id) {
      const entry = open.get(id);
      open.delete(id);
      if (entry && !entry.isAnswered) withdraw(entry);
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

/** The turn a request belongs to: of the main thread, or of a sub-agent's. */
function placeOf(params: unknown): Place | undefined {
  const { threadId, turnId } = Object(params) as Partial<Record<keyof Place, unknown>>;
  return typeof threadId === 'string' && typeof turnId === 'string' ? { threadId, turnId } : undefined;
}

/** Asks are raised blocking, so they come back with their end. */
function settled<T extends ApprovalOutcome | AskOutcome>(outcome: T | Held): T {
  if (outcome.status === 'held') throw new Error('the ask was held');
  return outcome as T;
}

/** Codex's own answer to a denial has no room for a reason. */
function denialText({ status, reason }: ApprovalOutcome): string | undefined {
  if (status === 'answered') return reason === DEFAULT_DENIAL ? undefined : `The person said no: ${reason}`;
  return `Nobody allowed it (${status === reason ? status : `${status}: ${reason}`}).`;
}

const plain = (input: Record<string, unknown>) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
