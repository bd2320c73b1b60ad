// Serves the permission requests of hook processes (hook.ts), which repeat their call until it is answered. The first call
// raises the ask and is told its ids; each further one names them and waits for the end of that ask for a while. State is in
// the ask alone: a lost connection, a restart of the server and a call at another server change nothing.
import type { AskView } from '../../core/views.ts';
import type { AttachedContext } from '../agent.ts';
import { settling } from '../kit/attached-session.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { type AttachedAsks, decisionReply, NO_DECISION, type Raising } from './attached-asks.ts';
import type { Conversation, Conversations, Opened } from './attached-conversations.ts';
import { GONE, type HookEvent, type HookPoll, POLL_MS, STOPPED } from './hook-protocol.ts';

interface Parts extends Pick<AttachedContext, 'client'> {
  conversations: Conversations;
  asks: AttachedAsks;
  /** How long a call waits at most. */
  pollMs?: number | undefined;
}

export function createHookPolls({ client, conversations, asks, pollMs = POLL_MS }: Parts) {
  const closing = new AbortController();

  async function answer(
    conversation: Conversation,
    event: HookEvent,
    poll: HookPoll,
    signal: AbortSignal,
  ): Promise<object> {
    if (poll.is_given_up) return conversations.inOrder(conversation, () => giveUp(conversation, poll));
    if (!poll.ask) return conversations.inOrder(conversation, () => raise(conversation, event, poll));
    conversations.returned(poll.ask.ask_id);
    const stop = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(pollMs)]);
    try {
      return decisionReply(await asks.resume(conversation, poll.ask, event, stop));
    } catch (error) {
      if (stop.aborted) return { holdpoint: poll.ask };
      throw error;
    }
  }

  /** Resolves when the ask is stored. */
  async function raise(conversation: Conversation, event: HookEvent, { key, is_repeat }: HookPoll): Promise<object> {
    const found = is_repeat ? askWith(key, await conversations.look(conversation)) : undefined;
    if (found) return open(found);
    const stop = new AbortController();
    let askId = '';
    const raised = (id: string) => {
      askId = id;
      stop.abort(new Error('the ask is stored'));
    };
    const request: Raising = { isRaised: false, options: { raised, signal: stop.signal }, key };
    try {
      return decisionReply(await asks.decide(conversation, request, event));
    } catch (error) {
      if (askId !== '') return open(await client.asks.get(askId));
      await asks.leave(conversation, request, event, error);
      return NO_DECISION;
    }
  }

  function open({ ask_id, run_id, tool_call_id: call_id }: AskView): object {
    conversations.returned(ask_id);
    return { holdpoint: { ask_id, run_id, call_id } };
  }

  /** The turn was interrupted at the terminal, or Claude Code is gone. */
  async function giveUp(conversation: Conversation, { key }: HookPoll): Promise<object> {
    const ask = askWith(key, await conversations.look(conversation));
    if (ask) await withdrawAsk(settling(client), ask.ask_id, GONE);
    await conversations.interrupt(conversation, STOPPED);
    return NO_DECISION;
  }

  /** Ends the calls; the asks stay open for the calls that follow. */
  return { answer, close: () => closing.abort() };
}

const askWith = (key: number, opened: Opened | undefined): AskView | undefined =>
  opened?.asks.find(({ tool_call_id }) => tool_call_id.endsWith(`~${key}`));
