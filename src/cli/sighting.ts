// Tells the server that the person at this terminal has asks before their eyes. What goes into a file, a pipe or out as
// JSON is for programs. Never in the way: whether the server takes it changes nothing here.
import type { Client } from '../client/client.ts';
import { isTerminal } from './output.ts';

export async function tellSeen(client: Client, ...requests: readonly { id: string }[]): Promise<void> {
  if (!isTerminal()) return;
  for (const { id } of requests) await client.asks.seen(id).catch(() => {});
}
