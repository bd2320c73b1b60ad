import { expect, it } from 'vitest';
import { gather } from '../../src/store/gather.ts';

it('waits while each turn of the event loop brings more, and ends with the first that does not', async () => {
  let count = 1;
  const arriving = (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      count += 1;
    }
  })();
  await gather(() => count);
  expect(count).toBe(4);
  await arriving;
});

it('ends with a full batch, though more arrives with every turn', async () => {
  let count = 0;
  await gather(() => ++count, 5);
  expect(count).toBe(5);
});
