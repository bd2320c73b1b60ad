// Stores the outputs of a run one after the other, in the order in which they were reported. A caller need not wait: what
// fails is given to `onFailure` once, and what was queued behind it is still tried. An agent that writes faster than it can
// be stored loses outputs, and a status says how many: reading it more slowly would also delay what it asks.
import type { AgentContext, OutputOptions } from '../agent.ts';

/** Only the newest outputs of a run can be read back, so what identifies its conversation is repeated. */
const REPEAT_EVERY = 40;
/** How much may wait to be stored; an output weighs more than its text. */
const MOST_WAITING = 8_000_000;
const WEIGHT = 1000;

type Data = Record<string, unknown>;

export function createOutputQueue(
  context: Pick<AgentContext, 'output'>,
  onFailure: (error: unknown) => void = () => {},
) {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let leftOut = 0;
  /** Runs `work` after everything that was queued before. The returned promise never rejects. */
  const push = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(onFailure);
    return last;
  };

  async function storeLeftOut(): Promise<void> {
    const text = `${leftOut} outputs are left out here: the agent wrote more than could be stored.`;
    leftOut = 0;
    await context.output(text, { type: 'status' });
  }

  /** The same for what a run can do without: it is left out, and the result false, while too much waits. */
  function offer(text: string, work: () => Promise<void>): boolean {
    if (leftOut > 0 || waiting > MOST_WAITING) {
      leftOut += 1;
      if (leftOut === 1) void push(storeLeftOut);
      return false;
    }
    const weight = text.length + WEIGHT;
    waiting += weight;
    void push(() => {
      waiting -= weight;
      return work();
    });
    return true;
  }

  return {
    push,
    offer,
    /** An output with data is state that a later process needs, so it is never left out. */
    output(text: string | undefined, options: OutputOptions): Promise<void> {
      const work = () => context.output(text, options);
      if (text === undefined || options.data !== undefined) return push(work);
      offer(text, work);
      return last;
    },
    status: (text: string) => void offer(text, () => context.output(text, { type: 'status' })),
    /** Resolves when everything that was queued until now is stored or has failed. */
    flush: () => last,
  };
}

/**
 * The outputs of a conversation with an agent that has an id of its own, which later runs recall by `type`. What a
 * sub-agent reports is stored under its name, and none of it as the text of the conversation.
 */
export function createConversationOutputs(context: Pick<AgentContext, 'output'>, type: string) {
  // An output that could not be stored does not stop the run: no decision depends on it.
  const queue = createOutputQueue(context);
  let identity: Data = {};
  let count = 0;
  const storeIdentity = () => context.output(undefined, { id: `${type}-${crypto.randomUUID()}`, type, data: identity });

  async function store(
    text: string,
    options: OutputOptions,
    nameOf?: () => Promise<string | undefined>,
  ): Promise<void> {
    const name = await nameOf?.();
    if (name === undefined) return context.output(text, options);
    await context.output(`[${name}] ${text}`, {
      ...options,
      type: options.type === 'text' ? 'thinking' : options.type,
    });
  }

  return {
    ...queue,
    /** Sets what identifies the conversation. */
    async follow(data: Data): Promise<void> {
      identity = data;
      await storeIdentity();
    },
    /** `nameOf`: the sub-agent that reports it; undefined for the conversation itself. */
    report(text: string, options: OutputOptions, nameOf?: () => Promise<string | undefined>): void {
      if (!queue.offer(text, () => store(text, options, nameOf))) return;
      count += 1;
      if (count % REPEAT_EVERY === 0) void queue.push(storeIdentity);
    },
  };
}
