// Messages to the model: an answer is acknowledged once its message was sent, at once or with the next turn.
import { expect, it } from 'vitest';
import { createModelMessages } from '../../../src/agents/codex/model-messages.ts';
import { createPeer } from '../../../src/agents/wire/json-rpc.ts';

/** A Codex that takes messages while a turn runs. */
function testBed(isRunning: boolean) {
  const acknowledged: string[] = [];
  const peer = createPeer({
    send: (line) => {
      const { id } = JSON.parse(line) as { id: number };
      const answer = isRunning ? { result: {} } : { error: { code: -32600, message: 'no active turn to steer' } };
      peer.receive(JSON.stringify({ id, ...answer }));
    },
    onRequest() {},
    onNotification() {},
  });
  return { acknowledged, ...createModelMessages(peer, async (askId) => void acknowledged.push(askId)) };
}
const turn = { threadId: 'thread', turnId: 'turn' };

it('sends a message at once while the turn runs', async () => {
  const { send, unsent, hasUnsentAnswer, acknowledged } = testBed(true);
  await send('Blue', turn, 'ask-1');
  expect([acknowledged, hasUnsentAnswer(), unsent()]).toEqual([['ask-1'], false, undefined]);
});

it('holds messages for the next turn after the turn ended, and acknowledges their answers when it starts', async () => {
  const { send, unsent, hasUnsentAnswer, acknowledged } = testBed(false);
  await send('The person said no: not now', turn);
  expect(hasUnsentAnswer()).toBe(false);
  await send('Blue', turn, 'ask-1');
  expect([acknowledged, hasUnsentAnswer()]).toEqual([[], true]);
  const next = unsent();
  expect(next?.text).toBe('The person said no: not now\n\nBlue');
  expect(hasUnsentAnswer()).toBe(true);
  await next?.onSent();
  expect([acknowledged, hasUnsentAnswer(), unsent()]).toEqual([['ask-1'], false, undefined]);
});
