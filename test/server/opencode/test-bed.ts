// The published client of OpenCode, unmodified, pointed at a server's door: with HTTP Basic as its own servers have it.
import { createOpencodeClient as createV1 } from '@opencode-ai/sdk';
import { createOpencodeClient, type Event } from '@opencode-ai/sdk/v2';
import type { Server } from '../../support/server.ts';

export const basic = (token: string, user = 'opencode'): string =>
  `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

/** The ids of an ask there. */
export const permissionId = (askId: string) => askId.replace('ask_', 'per_');
export const questionId = (askId: string) => askId.replace('ask_', 'que_');

interface As {
  token?: string;
  directory?: string;
}

export async function sdk(server: Server, { token = server.token, directory }: As = {}) {
  const baseUrl = `${await server.url()}/opencode`;
  return createOpencodeClient({ baseUrl, headers: { authorization: basic(token) }, ...(directory && { directory }) });
}

export type Sdk = Awaited<ReturnType<typeof sdk>>;

/** The client of the first generation, which has no questions. */
export async function firstSdk(server: Server) {
  return createV1({ baseUrl: `${await server.url()}/opencode`, headers: { authorization: basic(server.token) } });
}

export interface Followed {
  events: Event[];
  /** Resolves with the first event that fits, among those that have come and those to come. */
  until<T extends Event['type']>(
    type: T,
    fits?: (event: Extract<Event, { type: T }>) => boolean,
  ): Promise<Extract<Event, { type: T }>>;
  /** Whether the server has ended it. */
  isOver(): boolean;
  stop(): void;
}

/** Follows `/event` and keeps what comes; the stream has begun when this resolves. */
export async function follow(client: Sdk): Promise<Followed> {
  const abort = new AbortController();
  const { stream } = await client.event.subscribe({}, { signal: abort.signal });
  const events: Event[] = [];
  let over = false;
  const looks = new Set<() => void>();
  void (async () => {
    for await (const event of stream) {
      events.push(event as Event);
      for (const look of [...looks]) look();
    }
  })()
    .catch(() => {})
    .finally(() => {
      over = true;
    });
  const until: Followed['until'] = (type, fits = () => true) =>
    new Promise((resolve) => {
      const look = () => {
        const found = events.find((event) => event.type === type && fits(event as never));
        if (!found) return;
        looks.delete(look);
        resolve(found as never);
      };
      looks.add(look);
      look();
    });
  await until('server.connected');
  return { events, until, isOver: () => over, stop: () => abort.abort() };
}
