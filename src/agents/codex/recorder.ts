// Says what Codex does, in order, under the name of the sub-agent that does it where it is one, and keeps in sight which
// thread the conversation is in. What a sub-agent says is for the agent that called it, and so no answer of the run.
import type { AgentContext } from '../agent.ts';
import type { Said } from './outputs.ts';

/** The type of the outputs in which a run keeps its thread, to be taken up again. */
export const THREAD = 'codex-thread';
/** Only the newest outputs of a run are shown: what must be found again is said again before it is out of sight. */
const REMEMBER_EVERY = 40;

export interface Recorder {
  /** The thread of the conversation. */
  follow(threadId: string): Promise<void>;
  say(what: Said | undefined, threadId: string): void;
  lastMessage(): string | undefined;
  flush(): Promise<void>;
}

export function createRecorder(
  context: Pick<AgentContext, 'output'>,
  lineageOf: (threadId: string) => Promise<string[]>,
): Recorder {
  let thread: string | undefined;
  let count = 0;
  let last: string | undefined;
  let saying: Promise<void> = Promise.resolve();
  const remember = () =>
    context.output(undefined, { id: `${THREAD}-${crypto.randomUUID()}`, type: THREAD, data: { thread_id: thread } });

  async function put({ text, ...as }: Said, threadId: string): Promise<void> {
    if (threadId === thread) return context.output(text, as);
    const who = (await lineageOf(threadId)).at(-1) ?? threadId;
    await context.output(`[${who}] ${text}`, { ...as, type: as.type === 'text' ? 'thinking' : as.type });
  }

  return {
    async follow(threadId) {
      thread = threadId;
      await remember();
    },
    say(what, threadId) {
      if (!what) return;
      if (what.type === 'text' && threadId === thread) last = what.text;
      count += 1;
      const isTime = count % REMEMBER_EVERY === 0;
      saying = saying.then(() => put(what, threadId)).then(isTime ? remember : undefined);
      saying.catch(() => {});
    },
    lastMessage: () => last,
    flush: () => saying.catch(() => {}),
  };
}
