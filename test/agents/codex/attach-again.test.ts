// An attached Codex to which a worker attaches again, and other workers beside it: what it asks and has been answered
// is let go of only by the place that attached it, and only when Codex does not ask it any more.
// Covers: src/agents/codex/attach.ts
import { expect, it, onTestFinished } from 'vitest';
import type { Agent, FollowedAgent } from '../../../src/agents/agent.ts';
import { codex } from '../../../src/agents/codex/agent.ts';
import { endAsksOf } from '../../../src/agents/codex/attach.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { startAttachments } from '../../../src/worker/attachments.ts';
import { machineLabel } from '../../../src/worker/machine-label.ts';
import { temporaryFolder } from '../../support/process.ts';
import { attach, attachedForAll } from './attach-test-bed.ts';
import { StandInDaemon } from './stand-in-daemon.ts';

const attached = attachedForAll();

/** Attached from this machine until the test is over, or until it detaches. */
function attachForTest(
  daemon: StandInDaemon,
  machine?: string,
  client = createClient({ url: attached.bed.url, token: attached.token }),
) {
  const detach = attach(client, daemon, machine);
  onTestFinished(detach);
  return detach;
}

async function asked(daemon: StandInDaemon): Promise<AskView> {
  const [ask] = await attached.bed.pending(`codex-own-${daemon.threadId}`);
  if (!ask) throw new Error('nothing is pending');
  return ask;
}

const now = ({ ask_id }: AskView) => attached.bed.api.asks.get(ask_id);
/** Another daemon at the same place has looked for what was left: by then that of ours would be gone too. */
async function settled(place: string): Promise<void> {
  const before = new StandInDaemon();
  const detach = attachForTest(before, place);
  before.asks(0);
  const left = await asked(before);
  await detach();
  before.settles(0);
  attachForTest(before, place);
  await attached.bed.until(async () => ((await now(left)).status === 'cancelled' ? true : undefined));
}

it('is not let go of by a worker where no Codex is connected', async () => {
  const daemon = new StandInDaemon();
  attachForTest(daemon);
  daemon.asks(0);
  const ask = await asked(daemon);
  const left: string[] = [];
  const gone = async (client: Client, machine: string) => {
    await endAsksOf(client, machine);
    left.push(machine);
  };
  const data = temporaryFolder();
  const place = machineLabel(data);
  const log = { info() {}, warn() {}, error() {}, debug() {} } as never;
  const agents = [withSocket(codex, { gone })];
  const other = startAttachments({ url: attached.bed.url, token: attached.token, data, agents, log, lookEveryMs: 5 });
  await expect.poll(() => left).toEqual([place]);
  await other.stop();
  expect(await now(ask)).toMatchObject({ status: 'pending' });
});

it('is not let go of by a worker that has a Codex of its own, pending or on its way', async () => {
  const [daemon, second] = [new StandInDaemon(), new StandInDaemon()];
  attachForTest(daemon);
  attachForTest(second);
  daemon.asks(0);
  second.asks(0);
  const [pending, answered] = [await asked(daemon), await asked(second)];
  await attached.bed.decide(answered, { behavior: 'allow' });
  await attached.bed.until(async () => second.answerTo(0));
  await settled('at=elsewhere');
  expect(await now(pending)).toMatchObject({ status: 'pending' });
  expect(await now(answered)).toMatchObject({ status: 'answered', delivery: { state: 'due' } });
});

it('is the same ask after a reconnect, also the second of one call', async () => {
  const daemon = new StandInDaemon();
  const detach = attachForTest(daemon);
  daemon.asks(0, 1);
  const first = await asked(daemon);
  await attached.bed.decide(first, { behavior: 'deny' });
  await attached.bed.until(async () => daemon.answerTo(0));
  daemon.settles(0);
  daemon.does(1);
  await attached.bed.until(async () => ((await now(first)).delivery.state === 'due' ? undefined : true));
  daemon.asks(1, 1, 'without the sandbox');
  const second = await asked(daemon);
  await detach();
  attachForTest(daemon);
  await settled('at=here');
  expect(await now(second)).toMatchObject({ status: 'pending' });
  await attached.bed.decide(second, { behavior: 'allow' });
  expect(await attached.bed.until(async () => daemon.answerTo(1))).toMatchObject({ result: { decision: 'accept' } });
});

it('stays open while a slow server is told of it again, and nothing untrue is said when a worker stops', async () => {
  const daemon = new StandInDaemon();
  const detach = attachForTest(daemon);
  daemon.asks(0);
  const ask = await asked(daemon);
  await detach();
  expect((await attached.bed.api.runs.get(ask.run_id)).outputs).toEqual([]);
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const slow: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/asks') && init?.method === 'POST') await told;
    return fetch(input, init);
  };
  attachForTest(daemon, 'at=here', createClient({ url: attached.bed.url, token: attached.token, fetch: slow }));
  await settled('at=here-too');
  expect(await now(ask)).toMatchObject({ status: 'pending' });
  tell();
  await attached.bed.decide(ask, { behavior: 'allow' });
  expect(await attached.bed.until(async () => daemon.answerTo(0))).toMatchObject({ result: { decision: 'accept' } });
});

const withSocket = (agent: Agent, changed: Partial<FollowedAgent>): Agent => {
  const { attached } = agent;
  if (!attached?.followed) throw new Error(`${agent.name} has no socket`);
  return { ...agent, attached: { ...attached, followed: { ...attached.followed, ...changed } } };
};
