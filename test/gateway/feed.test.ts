// The live end of the event log: a wake-up at any instant leads to another read of the table.
import { expect, it } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { Feed } from '../../src/gateway/feed.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';

const open = gatewayForEach();

const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
};

it('announces an event whose wake-up arrives at any step of the read before it', async () => {
  let afterRead = async () => {};
  const distant: Store = {
    reader: open.store.reader,
    read: async (unit) => {
      const result = await open.store.read(unit);
      await afterRead();
      return result;
    },
    write: (unit) => open.store.write(unit),
    onCommit: () => {},
    shown: () => {},
    close: async () => {},
  };
  const feed = new Feed(distant);
  await feed.start();
  const unheard: number[] = [];
  for (let steps = 0; steps < 12; steps++) {
    // Committed after the look has read the table, announced so many steps after the look has its result.
    const announced = new Promise<void>((resolve) => {
      afterRead = async () => {
        afterRead = async () => {};
        await open.gateway.createSession({ session_id: `s${steps}`, agent: 'external' });
        void (async () => {
          for (let n = 0; n < steps; n++) await undefined;
          feed.wake();
          resolve();
        })();
      };
    });
    let isHeard = false;
    const { woken, cancel } = feed.wait(`session:s${steps}`, 60_000);
    void woken.then(() => {
      isHeard = true;
    });
    feed.wake();
    await announced;
    await turns(5);
    if (!isHeard) unheard.push(steps);
    cancel();
  }
  await feed.stop();
  expect(unheard).toEqual([]);
});
