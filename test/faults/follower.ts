// Somebody who watches everything: one stream over all sessions, taken up after the last event seen whenever it breaks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventView } from '../../src/core/views.ts';
import { openStream } from '../support/http.ts';
import type { Knowledge } from './knowledge.ts';
import type { Server } from './phoenix.ts';

const RETRY_MS = 20;

export interface Follower {
  /** Resolves when everything up to this event has been shown. */
  until(seq: number): Promise<void>;
  stop(): void;
}

export function follow(server: Server, knowledge: Knowledge): Follower {
  let stopped = false;
  let close = () => {};
  const last = () => knowledge.seen.at(-1)?.seq ?? 0;

  async function watch(): Promise<void> {
    while (!stopped) {
      const headers = { 'last-event-id': String(last()) };
      const opening = openStream(await server.url(), { path: '/v1/events', token: server.token, headers });
      const stream = await opening.catch(() => undefined);
      if (!stream) await sleep(RETRY_MS);
      close = () => stream?.close();
      for await (const { id, data } of stream?.events ?? []) {
        const { seq, hash } = JSON.parse(data) as EventView;
        if (String(seq) !== id) knowledge.faults.push(`follower: event ${seq} came under the id ${id}`);
        knowledge.seen.push({ seq, hash });
      }
    }
  }
  void watch();
  return {
    async until(seq) {
      while (last() < seq) await sleep(RETRY_MS);
    },
    stop() {
      stopped = true;
      close();
    },
  };
}
