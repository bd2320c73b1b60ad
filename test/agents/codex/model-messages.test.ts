// Answers that reach the model in words: they have arrived when they were said, at once or with the next turn.
import { expect, it } from 'vitest';
import { createWords } from '../../../src/agents/codex/model-messages.ts';
import { createPeer } from '../../../src/agents/wire/json-rpc.ts';

/** A Codex that takes what it is told while a turn goes on, or does not. */
function words(isGoingOn: boolean) {
  const reached: string[] = [];
  const peer = createPeer({
    send: (line) => {
      const { id } = JSON.parse(line) as { id: number };
      const answer = isGoingOn ? { result: {} } : { error: { code: -32600, message: 'no active turn to steer' } };
      peer.receive(JSON.stringify({ id, ...answer }));
    },
    onRequest() {},
    onNotification() {},
  });
  return { reached, ...createWords(peer, async (askId) => void reached.push(askId)) };
}
const place = { threadId: 'thread', turnId: 'turn' };

it('while the turn goes on they are said at once', async () => {
  const { tell, unsaid, owes, reached } = words(true);
  await tell('Blue', place, 'ask-1');
  expect([reached, owes(), unsaid()]).toEqual([['ask-1'], false, undefined]);
});

it('after it they wait for the next one, and are owed until it was told', async () => {
  const { tell, unsaid, owes, reached } = words(false);
  await tell('The person said no: not now', place);
  expect(owes()).toBe(false);
  await tell('Blue', place, 'ask-1');
  expect([reached, owes()]).toEqual([[], true]);
  const next = unsaid();
  expect(next?.text).toBe('The person said no: not now\n\nBlue');
  expect(owes()).toBe(true);
  await next?.said();
  expect([reached, owes(), unsaid()]).toEqual([['ask-1'], false, undefined]);
});
