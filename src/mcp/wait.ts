// Waiting for a person inside a tool call. The person's clock is not the tool's: a client that gave a progress token is
// told from time to time that the call is alive, for as long as it takes; any other is answered before its limit, with
// how to look again. Never decides anything: what has not ended is returned as it is.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { AskView } from '../core/views.ts';
import type { ToolBackend } from './tool-backend.ts';

export interface Patience {
  /** How often a waiting client hears that its call is alive. */
  keepAliveMs: number;
  /** How long a call waits that cannot be kept alive: less than the shortest limit of common clients. */
  limitMs: number;
}

export const PATIENCE: Patience = { keepAliveMs: 15_000, limitMs: 50_000 };

const now = (): number => performance.now();

export async function waitForEnd(
  backend: ToolBackend,
  askId: string,
  ctx: ServerContext,
  patience: Patience,
  signal?: AbortSignal,
) {
  const token = ctx.mcpReq._meta?.progressToken;
  const until = token === undefined ? now() + patience.limitMs : Number.POSITIVE_INFINITY;
  const signals = [signal, ctx.mcpReq.signal, ctx.http?.req?.signal];
  const gone = AbortSignal.any(signals.filter((s) => s !== undefined));
  for (let progress = 1; ; progress++) {
    const slice = Math.max(0, Math.min(patience.keepAliveMs, until - now()));
    const began = now();
    const ask = await backend.look(askId, slice, gone);
    // Back before its time and not ended: the server is stopping.
    const isCutShort = now() - began < slice / 2;
    if (ask.answer !== undefined || gone.aborted || isCutShort || now() >= until) return ask;
    if (token !== undefined)
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, message: waitingText(ask) },
      });
  }
}

const waitingText = (ask: AskView): string => `${ask.ask_id} waits for a person.`;
