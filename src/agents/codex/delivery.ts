// Tracks each answer sent to Codex until the server has recorded it as delivered or undeliverable. Codex resolves a request
// with the first answer of any client and does not say whose it was: where there are other clients, evidence decides.
//   sent ─► serverRequest/resolved ─┬─ no other client, or the request has neither item nor call: delivered
//    │                              ├─ item or output as answered: delivered; not as answered: undeliverable
//    │                              ├─ no item in time: an allowed command is undeliverable, a denied one delivered
//    │                              └─ call not in the rollout file: delivered; there, never with an output: undeliverable
//    ├─ the turn ends before that: undeliverable
//    └─ Codex exits: the answer stays due
import type { AgentContext } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import type { ActiveItems } from './active-items.ts';
import type { ApprovalAsk } from './approvals.ts';
import type { AnsweredCall } from './delivery-evidence.ts';
import type { Item, TurnRef } from './protocol.ts';
import type { QuestionAsk } from './questions.ts';
import type { Rollouts } from './rollouts.ts';

export interface SentAnswer {
  askId: string;
  turn: TurnRef | undefined;
  asked: ApprovalAsk | QuestionAsk;
  /** The response that was sent. */
  result: unknown;
  /** Of an approval: whether the response allows it. */
  isAllowed?: boolean | undefined;
}

/** The item that was asked about, where its end shows whether it was allowed. */
function itemOf({ asked, isAllowed }: SentAnswer) {
  if (asked.kind !== 'approval' || asked.itemId === undefined || isAllowed === undefined) return undefined;
  return { id: asked.itemId, isAllowed, isCommand: asked.spec.tool_name === 'Bash' };
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
  evidence?: Pick<ActiveItems, 'hasItem'> & Pick<Rollouts, 'recordedCall'>,
) {
  const open = new Map<SentAnswer, Progress>();
  const inFlight = createInFlight();

  function conclude(answer: SentAnswer, isDelivered: boolean, reason = SETTLED_IN_CODEX): void {
    clearTimeout(open.get(answer)?.timer);
    open.delete(answer);
    // If the server cannot be reached the answer stays due, and the next process of the run repeats it to the model.
    inFlight.add(isDelivered ? context.acknowledge(answer.askId) : context.markUndeliverable(answer.askId, reason));
  }

  const sentFor = (itemId: string): [SentAnswer, boolean][] =>
    [...open.keys()].flatMap((answer) => {
      const item = evidence && itemOf(answer);
      return item?.id === itemId ? [[answer, item.isAllowed]] : [];
    });

  /** A command is among the items of its turn once it runs; one that was declined may never appear. */
  async function checkItem(answer: SentAnswer, progress: Progress): Promise<void> {
    const { id = '', isAllowed = false } = itemOf(answer) ?? {};
    progress.checks += 1;
    const hasRun = await evidence?.hasItem(answer.turn?.threadId ?? '', id).catch(() => undefined);
    if (!open.has(answer)) return;
    if (hasRun) conclude(answer, isAllowed);
    else if (progress.checks < MAX_CHECKS) progress.timer = setTimeout(checkItem, CHECK_EVERY_MS, answer, progress);
    else if (isAllowed || hasRun === false) conclude(answer, !isAllowed, NOT_DONE);
  }

  /** The model gets the outputs of its parallel calls together, before the turn ends. A call may not be recorded at all. */
  async function checkCall(answer: SentAnswer, progress: Progress, call: AnsweredCall, isLast = false): Promise<void> {
    progress.checks += 1;
    const recorded = (await evidence?.recordedCall(answer.turn, call.id)) ?? 'unreadable';
    if (!open.has(answer)) return;
    const isRecorded = typeof recorded === 'object';
    if (isRecorded && recorded.output !== undefined)
      conclude(answer, call.isAnswer(recorded.output, answer.result) ?? true);
    else if (isLast || recorded === 'unreadable') conclude(answer, !isRecorded, NOT_TOLD);
    else if (progress.checks < MAX_CHECKS)
      progress.timer = setTimeout(checkCall, CHECK_EVERY_MS, answer, progress, call);
    else if (!isRecorded) conclude(answer, true);
  }

  return {
    sent: (answer: SentAnswer) => void open.set(answer, { state: 'sent', checks: 0 }),
    /** Codex has resolved the request, with this answer or another. */
    resolved(answer: SentAnswer) {
      const progress = open.get(answer);
      const item = itemOf(answer);
      const { call } = answer.asked;
      if (!progress) return;
      if (!evidence || !(item || call)) return conclude(answer, true);
      progress.state = 'resolved';
      if (call) inFlight.add(checkCall(answer, progress, call));
      else if (item?.isCommand) progress.timer = setTimeout(checkItem, CHECK_EVERY_MS, answer, progress);
      else if (item?.isAllowed) progress.timer = setTimeout(conclude, CHECK_EVERY_MS, answer, true);
    },
    /** May come before the request is resolved. */
    itemCompleted(item: Item): void {
      if (item.id) for (const [answer, isAllowed] of sentFor(item.id)) conclude(answer, isAllowed !== wasRefused(item));
    },
    /** An item asks once more, so the answer before let it continue. */
    itemAsksAgain(itemId: string): void {
      for (const [answer, isAllowed] of sentFor(itemId)) conclude(answer, isAllowed);
    },
    /** No further evidence comes from this turn. */
    turnCompleted(turnId: string): void {
      for (const [answer, progress] of open) {
        if (answer.turn?.turnId !== turnId) continue;
        const item = itemOf(answer);
        const { call } = answer.asked;
        if (progress.state === 'sent') conclude(answer, false);
        else if (call) inFlight.add(checkCall(answer, progress, call, true));
        else conclude(answer, !(item?.isAllowed && item.isCommand), NOT_DONE);
      }
    },
    /** Resolves when the server has recorded all that is known. */
    recorded: inFlight.settled,
    /** Codex is gone: stops looking for evidence. */
    close(): void {
      for (const { timer } of open.values()) clearTimeout(timer);
      open.clear();
    },
  };
}

/** Codex reports a tool call that a person refused as failed, like one that went wrong. */
const wasRefused = ({ status, error }: Item): boolean =>
  status === 'declined' || (status === 'failed' && REFUSED.test(String(Object(error).message)));
const REFUSED = /^user (?:rejected|cancelled) MCP tool call/;
