// Reports sightings: that the person at this terminal has an ask on the screen. Output to a file, a pipe or as JSON is for
// programs and counts as none. A report that fails is dropped.
import type { Client } from '../client/client.ts';
import { isTerminal } from './output.ts';

export async function reportSighting(client: Client, ...requests: readonly { id: string }[]): Promise<void> {
  if (!isTerminal()) return;
  for (const { id } of requests) await client.asks.seen(id).catch(() => {});
}
