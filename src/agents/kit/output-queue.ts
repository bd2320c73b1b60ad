// Stores the outputs of a run one after the other, in the order in which they were reported. A caller need not wait: what
// fails is given to `onFailure` once, and what was queued behind it is still tried.
import type { AgentContext, OutputOptions } from '../agent.ts';

/** Only the newest outputs of a run can be read back, so what identifies its conversation is repeated. */
const REPEAT_EVERY = 40;

type Data = Record<string, unknown>;

export function createOutputQueue(
  context: Pick<AgentContext, 'output'>,
  onFailure: (error: unknown) => void = () => {},
) {
  let last: Promise<void> = Promise.resolve();
  /** Runs `work` after everything that was queued before. The returned promise never rejects. */
  const push = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(onFailure);
    return last;
  };
  return {
    push,
    output: (text: string | undefined, options: OutputOptions) => push(() => context.output(text, options)),
    status: (text: string) => void push(() => context.output(text, { type: 'status' })),
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
      void queue.push(() => store(text, options, nameOf));
      count += 1;
      if (count % REPEAT_EVERY === 0) void queue.push(storeIdentity);
    },
  };
}
