// Looks up the signs of risk of asks that are known only as requests: events, runs and threads carry no signs. Signs are a
// hint, so an ask that cannot be looked up is shown without them.
import { type AskRequest, isQuestion } from '../client/action-summary.ts';
import type { Client } from '../client/client.ts';
import { riskLines } from './text/risk-text.ts';
import type { Line } from './text/spans.ts';

export async function signLines(client: Client, request: AskRequest, width: number): Promise<Line[]> {
  if (isQuestion(request)) return [];
  const ask = await client.asks.get(request.id).catch(() => undefined);
  return ask ? riskLines(ask, width, Date.now()) : [];
}

/** By the id of the ask. */
export const signLinesOf = async (
  client: Client,
  requests: readonly AskRequest[],
  width: number,
): Promise<ReadonlyMap<string, Line[]>> =>
  new Map(await Promise.all(requests.map(async (one) => [one.id, await signLines(client, one, width)] as const)));
