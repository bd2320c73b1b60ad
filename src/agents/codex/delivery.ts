// Tracks each answer that was sent to Codex until the server has recorded it as delivered or undeliverable. Where other
// clients answer too, the first answer wins and Codex does not say whose it was: then only the evidence tells, that is what
// Codex does afterwards, or what its rollout file says the model was told. What Codex never confirmed because it is gone
// stays due.
//   sent ─► serverRequest/resolved ─┬─ no other client, or no evidence possible: delivered
//    │                              └─ evidence: as answered → delivered; otherwise, or none in time → undeliverable
//    └─ the turn ends before that: undeliverable
import type { AgentContext } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import type { Item, TurnRef } from './protocol.ts';
import type { Rollouts } from './rollouts.ts';

export interface SentAnswer {
  askId: string;
  turn?: TurnRef | undefined;
  /** The item that was asked about, where it shows whether it was allowed. */
  item?: ExpectedItem | undefined;
  /** The call in whose output the model is told the answer, where the rollout file records that. */
  call?: ExpectedCall | undefined;
}

interface ExpectedItem {
  id: string;
  /** Whether an allow was sent. */
  isAllowed: boolean;
  isCommand: boolean;
}

interface ExpectedCall {
  id: string;
  /** Whether the output tells the model this answer; undefined if that cannot be determined. */
  isAnswer(output: unknown): boolean | undefined;
}

interface Evidence {
  /** Whether the newest turn of the thread has this item. */
  hasItem(threadId: string, itemId: string): Promise<boolean>;
  recordedCall: Rollouts['recordedCall'];
}

export interface Deliveries {
  sent(answer: SentAnswer): void;
  /** Codex has resolved the request, with this answer or another. */
  resolved(answer: SentAnswer): void;
  /** May come before the request is resolved. */
  itemCompleted(item: Item): void;
  /** An item asks once more, so the answer before let it continue. */
  itemAsksAgain(itemId: string): void;
  /** No further evidence comes from this turn. */
  turnCompleted(turnId: string): void;
  /** Resolves when the server has recorded all that is known. */
  recorded(): Promise<void>;
  /** Codex is gone: stops looking for evidence. */
  close(): void;
}

export const SETTLED_IN_CODEX = 'settled in Codex itself';
const NOT_DONE = 'Codex was not seen to do it';
const NOT_TOLD = 'the model was not seen to be told it';
/** Codex begins at once what was allowed, and reports at once that a change or tool call was refused. */
const CHECK_EVERY_MS = 500;
const MAX_CHECKS = 3;

interface Progress {
  state: 'sent' | 'resolved';
  checks: number;
  timer?: NodeJS.Timeout;
}

/** `evidence`: only where other clients answer too. */
export function createDeliveries(
  context: Pick<AgentContext, 'acknowledge' | 'markUndeliverable'>,
  evidence?: Evidence,
): Deliveries {
  const open = new Map<SentAnswer, Progress>();
  const inFlight = createInFlight();

  function conclude(answer: SentAnswer, isDelivered: boolean, reason = SETTLED_IN_CODEX): void {
    clearTimeout(open.get(answer)?.timer);
    open.delete(answer);
    // If the server cannot be reached the answer stays due, and the next process of the run repeats it to the model.
    inFlight.add(isDelivered ? context.acknowledge(answer.askId) : context.markUndeliverable(answer.askId, reason));
  }

  const sentFor = (itemId: string): [SentAnswer, boolean][] =>
    [...open.keys()].flatMap((answer) =>
      evidence && answer.item?.id === itemId ? [[answer, answer.item.isAllowed]] : [],
    );

  /** A command is among the items of its turn once it runs; one that was declined may never appear. */
  async function checkItem(answer: SentAnswer, progress: Progress, item: ExpectedItem): Promise<void> {
    const { id, isAllowed } = item;
    progress.checks += 1;
    const hasRun = await evidence?.hasItem(answer.turn?.threadId ?? '', id).catch(() => undefined);
    if (!open.has(answer)) return;
    if (hasRun) conclude(answer, isAllowed);
    else if (progress.checks < MAX_CHECKS)
      progress.timer = setTimeout(checkItem, CHECK_EVERY_MS, answer, progress, item);
    else if (isAllowed || hasRun === false) conclude(answer, !isAllowed, NOT_DONE);
  }

  /** The model gets the outputs of its parallel calls together, before the turn ends. A call may not be recorded at all. */
  async function checkCall(answer: SentAnswer, progress: Progress, call: ExpectedCall, isLast = false): Promise<void> {
    progress.checks += 1;
    const recorded = (await evidence?.recordedCall(answer.turn, call.id)) ?? 'unreadable';
    if (!open.has(answer)) return;
    const isRecorded = typeof recorded === 'object';
    if (isRecorded && recorded.output !== undefined) conclude(answer, call.isAnswer(recorded.output) ?? true);
    else if (isLast || recorded === 'unreadable') conclude(answer, !isRecorded, NOT_TOLD);
    else if (progress.checks < MAX_CHECKS)
      progress.timer = setTimeout(checkCall, CHECK_EVERY_MS, answer, progress, call);
    else if (!isRecorded) conclude(answer, true);
  }

  return {
    sent: (answer) => void open.set(answer, { state: 'sent', checks: 0 }),
    resolved(answer) {
      const progress = open.get(answer);
      const { item, call } = answer;
      if (!progress) return;
      if (!evidence || !(item || call)) return conclude(answer, true);
      progress.state = 'resolved';
      if (call) inFlight.add(checkCall(answer, progress, call));
      else if (item?.isCommand) progress.timer = setTimeout(checkItem, CHECK_EVERY_MS, answer, progress, item);
      else if (item?.isAllowed) progress.timer = setTimeout(conclude, CHECK_EVERY_MS, answer, true);
    },
    itemCompleted(item) {
      if (item.id) for (const [answer, isAllowed] of sentFor(item.id)) conclude(answer, isAllowed !== wasRefused(item));
    },
    itemAsksAgain(itemId) {
      for (const [answer, isAllowed] of sentFor(itemId)) conclude(answer, isAllowed);
    },
    turnCompleted(turnId) {
      for (const [answer, progress] of open) {
        const { turn, item, call } = answer;
        if (turn?.turnId !== turnId) continue;
        if (progress.state === 'sent') conclude(answer, false);
        else if (call) inFlight.add(checkCall(answer, progress, call, true));
        else conclude(answer, !(item?.isAllowed && item.isCommand), NOT_DONE);
      }
    },
    recorded: inFlight.settled,
    close() {
      for (const { timer } of open.values()) clearTimeout(timer);
      open.clear();
    },
  };
}

/** Codex reports a tool call that a person refused as failed, like one that went wrong. */
const wasRefused = ({ status, error }: Item): boolean =>
  status === 'declined' || (status === 'failed' && REFUSED.test(String(Object(error).message)));
const REFUSED = /^user (?:rejected|cancelled) MCP tool call/;
