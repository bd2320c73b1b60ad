// Handles the PermissionRequest hook of a person's own Claude Code in a process of its own, so that the request outlives a
// restart of the server: posts the event to the server's hook route (hook-polls.ts) and repeats the call until the ask has
// ended. Decides nothing itself: without a decision of the server it returns nothing, and the terminal of Claude Code asks.
import { randomInt } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { isFinalRefusal, sleep, wasNotSent } from '../../client/http.ts';
import type { HookCall, HookProcessContext } from '../agent.ts';
import { withdrawAbandoned } from '../kit/attached-session.ts';
import { PATH } from './connect.ts';
import { GONE, HookEvent, type HookPoll, OpenAsk, POLL_MS } from './hook-protocol.ts';

const AGAIN_MS = 1000;
/** How long a sub-agent waits for a server that stays away. */
const AWAY_MS = 5 * 60_000;

export async function decide(payload: unknown, open: () => HookProcessContext): Promise<object | undefined> {
  const event = HookEvent.safeParse(payload);
  if (!event.success || event.data.hook_event_name !== 'PermissionRequest') return undefined;
  const { client, signal, record } = open();
  const key = randomInt(1, 2 ** 48 - 1);
  const call = async (about: Omit<HookPoll, 'key'>, during?: AbortSignal) => {
    const request = {
      method: 'POST',
      path: PATH,
      body: { ...event.data, holdpoint: { key, ...about } },
      waitMs: POLL_MS,
    } as const;
    const isFirst = !about.ask && !about.is_repeat;
    return (await client.http.send<object>({ ...request, signal: during, repeat: isFirst ? 'once' : 'harmless' }))
      .value;
  };
  // Claude Code shows no dialog for a sub-agent while the hook waits.
  const patienceMs = event.data.agent_id === undefined ? Number.POSITIVE_INFINITY : AWAY_MS;
  const again = (about: Omit<HookPoll, 'key'>) => untilReached(() => call(about, signal), patienceMs, signal);
  let ask: HookPoll['ask'];
  let removeRecord = async () => {};
  try {
    let reply = await call({}, signal).catch((error: unknown) => {
      if (signal.aborted || isFinalRefusal(error) || wasNotSent(error)) throw error;
      return again({ is_repeat: true });
    });
    for (let open = OpenAsk.safeParse(reply).data; open; open = OpenAsk.safeParse(reply).data) {
      const { run_id, call_id } = open.holdpoint;
      if (!ask) removeRecord = record({ run_id, call_id });
      ask = open.holdpoint;
      reply = await again({ ask });
    }
    await removeRecord();
    return Object.keys(reply).length > 0 ? reply : undefined;
  } catch (error) {
    if (!signal.aborted) throw error;
    await call({ ask, is_given_up: true });
    await removeRecord();
    return undefined;
  }
}

/** Repeats a call that the server has not refused. */
async function untilReached<T>(call: () => Promise<T>, patienceMs: number, signal: AbortSignal): Promise<T> {
  for (const since = Date.now(); ; await sleep(AGAIN_MS, signal)) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || isFinalRefusal(error) || Date.now() - since > patienceMs) throw error;
    }
  }
}

export const endAbandoned = (client: Client, call: HookCall): Promise<void> => withdrawAbandoned(client, call, GONE);
