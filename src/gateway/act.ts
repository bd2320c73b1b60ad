// Stores what someone does about a pending ask besides deciding it, with its event. Owns "I'm on it" and snooze; comments
// are in comment.ts.
import { type Act, type Activity, type ActivityEvent, acted, LONGEST_SNOOZE_MS } from '../core/activity.ts';
import { type Ask, isOverdue, lateRefusal, type PendingAsk } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { originsOf } from './ask-origin.ts';
import { expireNow } from './expire.ts';
import { type Ledger, openAsk } from './ledger.ts';
import { type Key, mutate, ok, type Refused, type Reply } from './mutate.ts';
import { runOfAsk } from './records.ts';
import { askView } from './views.ts';

/** The ask while it takes answers; one past its deadline is expired first. */
export async function openPending(
  ports: Ports,
  tx: Tx,
  askId: string,
  mayAct: (ledger: Ledger, ask: Ask) => Promise<void> = async () => {},
): Promise<{ ledger: Ledger; ask: PendingAsk } | Refused> {
  const { ledger, ask } = await openAsk(ports, tx, askId);
  await mayAct(ledger, ask);
  if (isOverdue(ask, ledger.now)) return expireNow(ledger, await runOfAsk(tx, ask), ask);
  if (ask.status !== 'pending') return { refused: { ...lateRefusal(ask, false), code: 'ask_state_conflict' } };
  return { ledger, ask };
}

/** Saves the ask's activity after this event. The caller closes the ledger. */
export async function act(
  ledger: Ledger,
  ask: PendingAsk,
  type: ActivityEvent,
  { name, surface, tokenId: token_id }: Actor,
  more: Partial<Act> = {},
): Promise<Activity> {
  const data: Act = { by: name, surface, ...more };
  const activity = acted(ask.activity, type, data, ledger.now);
  await ledger.tx.update('ask', { ...ask, activity });
  ledger.note(type, { ...data, token_id }, ask.runId, ask.id);
  return activity;
}

export interface MarkCommand {
  askId: string;
  actor: Actor;
  key?: Key | undefined;
}

/** "I'm on it": shown to everyone, binds nobody. A later one replaces it; a repeat changes nothing. */
export const takeAsk = (ports: Ports, command: MarkCommand): Promise<Reply<AskView>> =>
  marked(ports, command, 'ask.taken', ({ taken_by }) => taken_by?.by === command.actor.name);

export const releaseAsk = (ports: Ports, command: MarkCommand): Promise<Reply<AskView>> =>
  marked(ports, command, 'ask.released', ({ taken_by }) => taken_by === undefined);

/** Until an instant, for everyone; without one the ask is back. Its deadline passes all the same. */
export function snoozeAsk(
  ports: Ports,
  { until, ...command }: MarkCommand & { until: number | null },
): Promise<Reply<AskView>> {
  const now = ports.clock.now();
  if (until !== null && (until <= now || until > now + LONGEST_SNOOZE_MS))
    throw fail('invalid_request', 'body.until_ms: an instant in the next 31 days, or null to end the snooze.');
  const until_ms = until ?? undefined;
  const more = until_ms === undefined ? {} : { until_ms };
  return marked(ports, command, 'ask.snoozed', ({ snoozed }) => snoozed?.until_ms === until_ms, more);
}

function marked(
  ports: Ports,
  { askId, actor, key }: MarkCommand,
  type: ActivityEvent,
  isSo: (activity: Activity) => boolean,
  more: Partial<Act> = {},
): Promise<Reply<AskView>> {
  return mutate(ports, key, async (tx) => {
    const opened = await openPending(ports, tx, askId);
    if ('refused' in opened) return opened;
    const { ledger, ask } = opened;
    const activity = isSo(ask.activity) ? ask.activity : await act(ledger, ask, type, actor, more);
    if (activity !== ask.activity) await ledger.close();
    const now = { ...ask, activity };
    return ok(askView(now, undefined, await originsOf(tx)(now)));
  });
}
