// Asks Codex about a request that waits for a decision, in an ephemeral fork of its thread, as its own `/side` does: the fork
// has the history, may read and change nothing, and is left when the request has ended. Comments on one request share a
// fork. The thread that waits is not touched, and nothing of the fork is an output, a request or a turn of the run.
import { type AboutRequest, sideQuestion, withinTime } from '../kit/side-question.ts';
import { INTERNAL_ERROR, type Incoming, on, type Peer, type PeerOptions, route } from '../wire/json-rpc.ts';
import { ItemNotice, ThreadReply, TurnNotice, TurnReply, turnRefOf } from './protocol.ts';

/** A fork raises no asks, and has no permission that its thread had. */
const READ_ONLY = { approvalPolicy: 'never', sandbox: 'read-only', ephemeral: true, excludeTurns: true };
/** Items of a turn that only says something. */
const WORDS: ReadonlySet<string> = new Set(['userMessage', 'agentMessage', 'reasoning', 'plan', 'error']);

interface Fork {
  said?: string | undefined;
  over: PromiseWithResolvers<void>;
  interrupt(turnId: string): void;
}

export type SideQuestions = ReturnType<typeof createSideQuestions>;

export function createSideQuestions(peer: Pick<Peer, 'request' | 'refuse'>) {
  const forks = new Map<string, Fork>();
  const opened = new WeakMap<AbortSignal, Promise<string>>();

  const receive = route(
    on('item/started', ItemNotice, ({ threadId, turnId, item }) => {
      if (!WORDS.has(item.type)) forks.get(threadId)?.interrupt(turnId);
    }),
    on('item/completed', ItemNotice, ({ threadId, item }) => {
      const fork = forks.get(threadId);
      if (fork && item.type === 'agentMessage' && item.text) fork.said = item.text;
    }),
    on('turn/completed', TurnNotice, ({ threadId }) => forks.get(threadId)?.over.resolve()),
  );

  /** Codex unloads a thread that was left half an hour later, as those of its own `/side`; none of it is on disk. */
  async function open(threadId: string, signal: AbortSignal): Promise<string> {
    const forked = await peer.request('thread/fork', { threadId, ...READ_ONLY });
    const { id } = ThreadReply.parse(forked).thread;
    const interrupt = (turnId: string) => void peer.request('turn/interrupt', { threadId: id, turnId }).catch(() => {});
    forks.set(id, { over: Promise.withResolvers(), interrupt });
    const leave = () => void peer.request('thread/unsubscribe', { threadId: id }).catch(() => {});
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return id;
  }

  /** `signal`: that of the request, one for all of its comments. */
  async function ask(threadId: string, about: AboutRequest, comment: string, signal: AbortSignal): Promise<string> {
    const opening = opened.get(signal) ?? open(threadId, signal);
    opened.set(signal, opening);
    opening.catch(() => opened.delete(signal));
    const id = await opening;
    const fork = forks.get(id) as Fork;
    Object.assign(fork, { said: undefined, over: Promise.withResolvers<void>() });
    const input = [{ type: 'text', text: sideQuestion(about, comment) }];
    const { turn } = TurnReply.parse(await peer.request('turn/start', { threadId: id, input }));
    try {
      await withinTime(fork.over.promise, signal);
    } catch (error) {
      fork.interrupt(turn.id);
      throw error;
    }
    if (fork.said === undefined) throw new Error('Codex said nothing');
    return fork.said;
  }

  const isOfFork = (params: unknown): boolean => forks.has(turnRefOf(params)?.threadId ?? '');

  return {
    ask,
    /** Keeps what concerns a fork from the handlers of the run. */
    without: (handle: PeerOptions['onNotification']): PeerOptions['onNotification'] => {
      return (method, params) => (isOfFork(params) ? receive(method, params) : handle(method, params));
    },
    /** A request of a fork is refused: only the run asks. */
    refuses(request: Incoming): boolean {
      if (!isOfFork(request.params)) return false;
      peer.refuse(request.id, INTERNAL_ERROR, 'Nobody is asked during a reply to a comment.');
      return true;
    },
  };
}
