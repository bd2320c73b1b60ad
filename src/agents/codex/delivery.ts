// What became of the answers that Codex was sent. Owns the way of each from there on, and says its end to the server.
// Where others answer too the first answer counts, and Codex does not say whose it was: only what it does then tells, or
// what it writes down that the model was told. What it never confirmed because it is gone stays due. Decides nothing.
//   answered here ─► sent ─► Codex says that the request is settled ─► it is done, or is not; the model is told an answer
//                     │         ├─ nobody else answers: delivered        ├─ as answered: delivered
//                     │         └─ nothing can be seen: delivered        └─ otherwise, or not seen in time: undeliverable
//                     └─ the turn is over before: undeliverable
import type { AgentContext } from '../agent.ts';
import type { Place } from './model-messages.ts';
import type { Item } from './protocol.ts';
import type { Transcripts } from './transcripts.ts';

export interface SentAnswer {
  askId: string;
  place?: Place | undefined;
  /** What was asked for, where Codex shows whether it does it; and whether it was sent an allow. */
  item?: Watched | undefined;
  /** The call in whose result the model is told the answer, where Codex writes that down. */
  call?: Heard | undefined;
}

interface Watched {
  id: string;
  isAllowed: boolean;
  isCommand: boolean;
}

interface Heard {
  id: string;
  /** Whether what the model was told is the answer; undefined: nobody can tell. */
  isAnswer(told: unknown): boolean | undefined;
}

/** What is to be seen in Codex besides what it says by itself. */
interface Sight {
  /** Whether a thread has this item. */
  has(threadId: string, itemId: string): Promise<boolean>;
  callOf: Transcripts['callOf'];
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
const UNTOLD = 'the model was not seen to be told it';
/** Codex begins at once what was allowed, and says at once of a change or tool that it was refused. */
const LOOK_EVERY_MS = 500;
const LOOKS_AT_MOST = 3;

interface Way {
  /** `settled`: Codex has settled the request, with this answer or another; only what it does then tells. */
  state: 'sent' | 'settled';
  looks: number;
  timer?: NodeJS.Timeout;
}

/** `sight`: only where others answer too. */
export function createDeliveries(
  context: Pick<AgentContext, 'acknowledge' | 'markUndeliverable'>,
  sight?: Sight,
): Deliveries {
  const underWay = new Map<SentAnswer, Way>();
  const telling = new Set<Promise<void>>();

  function tell(answer: SentAnswer, isDelivered: boolean, why = ELSEWHERE): void {
    clearTimeout(underWay.get(answer)?.timer);
    underWay.delete(answer);
    const call = isDelivered ? context.acknowledge(answer.askId) : context.markUndeliverable(answer.askId, why);
    // What the server could not be told stays due: whoever takes the run up says it to the model once more.
    keep(call.catch(() => {}));
  }

  function keep(doing: Promise<void>): void {
    const work: Promise<void> = doing.finally(() => telling.delete(work));
    telling.add(work);
  }

  const about = (itemId: string): [SentAnswer, boolean][] =>
    [...underWay.keys()].flatMap((answer) =>
      sight && answer.item?.id === itemId ? [[answer, answer.item.isAllowed]] : [],
    );

  /** A command is among the items of its thread once it runs. Nobody waits for ever for one that was declined. */
  async function check(answer: SentAnswer, way: Way, item: Watched): Promise<void> {
    const { id, isAllowed } = item;
    way.looks += 1;
    const isDone = await sight?.has(answer.place?.threadId ?? '', id).catch(() => undefined);
    if (!underWay.has(answer)) return;
    if (isDone) tell(answer, isAllowed);
    else if (way.looks < LOOKS_AT_MOST) way.timer = setTimeout(check, LOOK_EVERY_MS, answer, way, item);
    else if (isAllowed || isDone === false) tell(answer, !isAllowed, UNSEEN);
  }

  /**
   * The model is told when all calls that it made together are done, and before its turn is over. Of a call that is not
   * written down at all nobody will know more than that the request was settled.
   */
  async function listen(answer: SentAnswer, way: Way, call: Heard, isLast = false): Promise<void> {
    way.looks += 1;
    const written = (await sight?.callOf(answer.place, call.id)) ?? 'unreadable';
    if (!underWay.has(answer)) return;
    const isWritten = typeof written === 'object';
    if (isWritten && written.told !== undefined) tell(answer, call.isAnswer(written.told) ?? true);
    else if (isLast || written === 'unreadable') tell(answer, !isWritten, UNTOLD);
    else if (way.looks < LOOKS_AT_MOST) way.timer = setTimeout(listen, LOOK_EVERY_MS, answer, way, call);
    else if (!isWritten) tell(answer, true);
  }

  return {
    sent: (answer) => void underWay.set(answer, { state: 'sent', looks: 0 }),
    settled(answer) {
      const way = underWay.get(answer);
      const { item, call } = answer;
      if (!way) return;
      if (!sight || !(item || call)) return tell(answer, true);
      way.state = 'settled';
      if (call) keep(listen(answer, way, call));
      else if (item?.isCommand) way.timer = setTimeout(check, LOOK_EVERY_MS, answer, way, item);
      else if (item?.isAllowed) way.timer = setTimeout(tell, LOOK_EVERY_MS, answer, true);
    },
    ended(item) {
      if (item.id) for (const [answer, isAllowed] of about(item.id)) tell(answer, isAllowed !== wasRefused(item));
    },
    asksAgain(itemId) {
      for (const [answer, isAllowed] of about(itemId)) tell(answer, isAllowed);
    },
    turnOver(turnId) {
      for (const [answer, way] of underWay) {
        const { place, item, call } = answer;
        if (place?.turnId !== turnId) continue;
        if (way.state === 'sent') tell(answer, false);
        else if (call) keep(listen(answer, way, call, true));
        else tell(answer, !(item?.isAllowed && item.isCommand), UNSEEN);
      }
    },
    async told() {
      while (telling.size > 0) await Promise.all(telling);
    },
    close() {
      for (const { timer } of underWay.values()) clearTimeout(timer);
      underWay.clear();
    },
  };
}

/** A tool of an MCP server that a person refused has failed, like one that went wrong. */
const wasRefused = ({ status, error }: Item): boolean =>
  status === 'declined' || (status === 'failed' && REFUSED.test(String(Object(error).message)));
const REFUSED = /^user (?:rejected|cancelled) MCP tool call/;
