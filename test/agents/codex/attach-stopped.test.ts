// A run of an attached Codex that is stopped here while its turn goes on there, or whose answer came second: what it had
// been sent is followed to its end, what it still asks stays at its own prompt, and only what it asks next is asked here.
// Covers: src/agents/codex/attach.ts
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { attach, attachedForAll } from './attach-test-bed.ts';
import { StandInDaemon } from './stand-in-daemon.ts';

const attached = attachedForAll();
let daemon: StandInDaemon;
let detach: () => Promise<void>;
beforeEach(async () => {
  daemon = new StandInDaemon();
  detach = attach(createClient({ url: attached.bed.url, token: attached.token }), daemon);
});
afterEach(() => detach());

const asked = async (): Promise<AskView[]> =>
  (await attached.bed.api.asks.list({ session_id: `codex-own-${daemon.threadId}` })).items;
/** The ask of this request, when it waits. */
const askOf = (id: number) =>
  attached.bed.until(async () =>
    (await asked().catch(() => [])).find(
      (ask) => ask.status === 'pending' && ask.tool_call_id.startsWith(`call_${id}@`),
    ),
  );
const deliveryOf = async ({ ask_id }: AskView) => (await attached.bed.api.asks.get(ask_id)).delivery;
const arrived = (ask: AskView) =>
  attached.bed.until(async () => ((await deliveryOf(ask)).state === 'due' ? undefined : deliveryOf(ask)));
const stopHere = ({ run_id }: AskView) => attached.bed.api.runs.cancel(run_id, { reason: 'not here' });

/** Allowed here and sent, with the run stopped then; the turn goes on and asks something else. */
async function sentAndStopped(): Promise<AskView> {
  daemon.asks(1);
  const first = await askOf(1);
  await attached.bed.decide(first, { behavior: 'allow' });
  expect(await attached.bed.until(async () => daemon.answerTo(1))).toMatchObject({ result: { decision: 'accept' } });
  await stopHere(first);
  daemon.asks(2);
  const second = await askOf(2);
  expect(second.run_id).not.toBe(first.run_id);
  return first;
}

it('what it had been sent is delivered when Codex does it', async () => {
  const first = await sentAndStopped();
  daemon.settles(1);
  daemon.does(1);
  expect(await arrived(first)).toMatchObject({ state: 'delivered' });
});

it('what it had been sent is given up when the turn is over without it', async () => {
  const first = await sentAndStopped();
  daemon.ends();
  expect(await arrived(first)).toMatchObject({ state: 'undeliverable', reason: 'settled in Codex itself' });
});

it('what it still asks is not asked here again, however often Codex tells it; what it asks next is', async () => {
  daemon.asks(1);
  await stopHere(await askOf(1));
  daemon.tellAgain();
  daemon.asks(2);
  await askOf(2);
  daemon.tellAgain();
  daemon.asks(3);
  await askOf(3);
  const calls = (await asked()).map(({ tool_call_id, status }) => [tool_call_id.split('@')[0], status]);
  expect(calls.sort()).toEqual([
    ['call_1', 'cancelled'],
    ['call_2', 'pending'],
    ['call_3', 'pending'],
  ]);
});

it.each([
  ['is not allowed where what was asked first was done at its own prompt', true],
  ['has it where that was not done', false],
])('what asks for the action that was allowed instead %s', async (_, isDone) => {
  daemon.asks(1);
  const first = await askOf(1);
  // Without a `cwd`, in the folder that was asked for.
  await attached.bed.decide(first, { behavior: 'allow', updated_input: { command: 'touch 2.txt' } });
  expect(await attached.bed.until(async () => daemon.answerTo(1))).toMatchObject({ result: { decision: 'decline' } });
  daemon.settles(1);
  if (isDone) daemon.does(1);
  daemon.asks(2);
  if (isDone) await askOf(2);
  else
    expect(await attached.bed.until(async () => daemon.answerTo(2))).toMatchObject({ result: { decision: 'accept' } });
  expect(await asked()).toHaveLength(isDone ? 2 : 1);
});
