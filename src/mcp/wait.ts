// Waits for a person inside a tool call. Every wait is bounded, because a client may give up after its own timeout whether
// or not progress arrives; a client that gave a progress token is notified meanwhile. Decides nothing: an ask that has not
// ended is returned as it is.
import type { ServerContext } from '@modelcontextprotocol/server';
import { personComments, repliedComments } from '../core/activity.ts';
import type { AskView } from '../core/views.ts';
import type { Backed, Call } from './calls.ts';
import { handleOf } from './handle.ts';
import { settleOld } from './handover.ts';

export interface Patience {
  /** How often a waiting client is notified of progress. */
  keepAliveMs: number;
  /** How long a call waits at most: less than the 60 s after which common clients give up, progress or not. */
  limitMs: number;
  /**
   * After how long an answer that was sent counts as delivered when the session calls on another connection: longer than
   * the 60 s after which a client that was cut off calls again.
   */
  repeatMs: number;
}

export const PATIENCE: Patience = { keepAliveMs: 15_000, limitMs: 50_000, repeatMs: 90_000 };

const now = (): number => performance.now();

export async function waitForEnd(
  backed: Backed,
  ask: AskView,
  call: Call,
  ctx: ServerContext,
  wantedMs = backed.patience.limitMs,
): Promise<AskView> {
  const { backend, calls, patience } = backed;
  if (ask.answer !== undefined) return ask;
  const token = ctx.mcpReq._meta?.progressToken;
  const until = now() + calls.limit(call, Math.min(wantedMs, patience.limitMs));
  const hungUp = ctx.http?.req?.signal;
  const gone = hungUp ? AbortSignal.any([call.signal, hungUp]) : call.signal;
  calls.hold(call, ask.ask_id);
  const read = ask.takes_comments ? Math.max(calls.commentsShown(ask.ask_id), repliedComments(ask)) : undefined;
  for (let progress = 1; ; progress++) {
    const slice = Math.max(0, Math.min(patience.keepAliveMs, until - now()));
    const startedAt = now();
    const seen = await backend.look(ask.ask_id, slice, gone, read);
    const comments = personComments(seen).length;
    // Back before its time and not ended: someone has commented, or the server is stopping.
    const isCutShort = now() - startedAt < slice / 2 || (read !== undefined && comments > read);
    if (seen.answer !== undefined || gone.aborted || isCutShort || now() >= until) {
      if (!gone.aborted) calls.showComments(ask.ask_id, comments);
      return seen;
    }
    // A thread shows one prompt at a time: one that was answered before must not hide this one.
    await settleOld(backed, ask.ask_id);
    if (token !== undefined)
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, message: `${handleOf(ask)} waits for a person.` },
      });
  }
}
