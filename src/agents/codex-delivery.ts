// What became of the answers that Codex was sent. Owns the way of each from there on, and says its end to the server.
// Where others answer too the first answer counts, and Codex does not say whose it was: only what it does then tells. What
// it never confirmed because it is gone stays due. Decides nothing, and answers nothing.
//   answered here ─► sent ─► Codex says that the request is settled ─► what was asked for is done, or is not
//                     │         │                                        ├─ as answered: delivered
//                     │         └─ nobody else answers: delivered        └─ otherwise: undeliverable
//                     └─ the turn is over before: undeliverable
import type { AgentContext } from './agent.ts';
import type { Item } from './codex-protocol.ts';
import type { Place } from './codex-words.ts';

export interface SentAnswer {
  askId: string;
  place?: Place | undefined;
  /** What was asked for, where Codex shows whether it does it; and whether it was sent an allow. */
  item?: { id: string; isAllowed: boolean; isCommand: boolean } | undefined;
}

export interface Deliveries {
  sent(answer: SentAnswer): void;
  /** Codex has settled the request, with this answer or another. */
  settled(answer: SentAnswer): void;
  /** An item has ended; it may do so before its request is said to be settled. */
  ended(item: Item): void;
  /** An item asks once more, so that it was let go on before. */
  asksAgain(itemId: string): void;
  /** The turn is over, and with it whatever would still have been seen. */
  turnOver(turnId: string): void;
  /** Resolves when the server knows all that is known here. */
  told(): Promise<void>;
  /** Codex is gone: what is not known by now is never known. */
  close(): void;
}

export const ELSEWHERE = 'settled in Codex itself';
const UNSEEN = 'Codex was not seen to do it';
/** Codex does or refuses at once what was decided; the end of what it does may be far. */
const LOOK_EVERY_MS = 1000;

/** `look`: whether a thread has this item; only where others answer too. */
export function createDeliveries(
  context: Pick<AgentContext, 'acknowledge' | 'giveUp'>,
  look?: (threadId: string, itemId: string) => Promise<boolean>,
): Deliveries {
  /** Those on their way; where Codex has settled the request, with the next look at what it does. */
  const underWay = new Map<SentAnswer, NodeJS.Timeout | undefined>();
  const telling = new Set<Promise<void>>();

  function tell(answer: SentAnswer, isDelivered: boolean, why = ELSEWHERE): void {
    clearTimeout(underWay.get(answer));
    underWay.delete(answer);
    const call = isDelivered ? context.acknowledge(answer.askId) : context.giveUp(answer.askId, why);
    // What the server could not be told stays due: whoever takes the run up says it to the model once more.
    const work: Promise<void> = call.catch(() => {}).finally(() => telling.delete(work));
    telling.add(work);
  }

  const about = (itemId: string): [SentAnswer, boolean][] =>
    [...underWay.keys()].flatMap((answer) =>
      look && answer.item?.id === itemId ? [[answer, answer.item.isAllowed]] : [],
    );

  function lookSoon(answer: SentAnswer): void {
    underWay.set(answer, setTimeout(check, LOOK_EVERY_MS, answer));
  }

  /** A command is among the items of its thread once it runs; of anything else only the end shows what was decided. */
  async function check(answer: SentAnswer): Promise<void> {
    const { item, place } = answer;
    if (!item || !place || !look) return;
    const isDone = item.isCommand
      ? await look(place.threadId, item.id).catch(() => undefined)
      : item.isAllowed || undefined;
    if (!underWay.has(answer)) return;
    if (isDone === item.isAllowed) tell(answer, true);
    else if (isDone) tell(answer, false);
    else lookSoon(answer);
  }

  return {
    sent: (answer) => void underWay.set(answer, undefined),
    settled(answer) {
      if (!underWay.has(answer)) return;
      if (look && answer.item) lookSoon(answer);
      else tell(answer, true);
    },
    ended(item) {
      if (item.id) for (const [answer, isAllowed] of about(item.id)) tell(answer, isAllowed !== wasRefused(item));
    },
    asksAgain(itemId) {
      for (const [answer, isAllowed] of about(itemId)) tell(answer, isAllowed);
    },
    turnOver(turnId) {
      for (const [answer, timer] of underWay) {
        if (answer.place?.turnId !== turnId) continue;
        const isUnseen = answer.item?.isAllowed && answer.item.isCommand;
        tell(answer, timer !== undefined && !isUnseen, timer && UNSEEN);
      }
    },
    async told() {
      while (telling.size > 0) await Promise.all(telling);
    },
    close() {
      for (const timer of underWay.values()) clearTimeout(timer);
      underWay.clear();
    },
  };
}

/** A tool of an MCP server that a person refused has failed, like one that went wrong. */
const wasRefused = ({ status, error }: Item): boolean =>
  status === 'declined' || (status === 'failed' && REFUSED.test(String(Object(error).message)));
const REFUSED = /^user (?:rejected|cancelled) MCP tool call/;
