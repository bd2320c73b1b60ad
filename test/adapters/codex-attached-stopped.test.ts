// A run of an attached Codex that is stopped here while its turn goes on there, or whose answer came second: what it had
// been sent is followed to its end, what it still asks stays at its own prompt, and only what it asks next is asked here.
// The daemon is one of ours, which tells its open requests again to whoever looks, as the real one does.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { attachableCodex } from '../../src/agents/codex-attached.ts';
import { createClient } from '../../src/client/client.ts';
import { Waits } from '../../src/client/waits.ts';
import type { AskView } from '../../src/core/views.ts';
import { serverForAll } from '../support/for-all.ts';
import { Stage } from '../worker/stage.ts';

const server = serverForAll();
let stage: Stage;
let daemon: Daemon;
let letGo: () => Promise<void>;
beforeAll(async () => {
  stage = new Stage(await server.url(), server.token);
});
beforeEach(async () => {
  daemon = new Daemon();
  const { token } = await stage.api.tokens.create({ scope: 'worker' });
  const client = createClient({ url: stage.url, token });
  const waits = new Waits(client.http);
  const over = new AbortController();
  const attached = attachableCodex.attach({ client, waits, signal: over.signal, open: daemon.open });
  letGo = async () => {
    over.abort();
    daemon.hangUp();
    await attached.catch(() => {});
    waits.close();
  };
});
afterEach(() => letGo());

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
}

class Daemon {
  readonly threadId = randomUUID();
  readonly turnId = randomUUID();
  readonly said: Message[] = [];
  readonly #open = new Map<number, Message>();
  readonly #over = Promise.withResolvers<void>();
  #onText: (text: string) => void = () => {};

  open = async (onText: (text: string) => void) => {
    this.#onText = onText;
    return { send: (text: string) => this.#hear(JSON.parse(text)), hangUp: this.hangUp, ended: this.#over.promise };
  };
  hangUp = () => this.#over.resolve();

  #tell(message: Message): void {
    this.#onText(JSON.stringify(message));
  }

  #hear(message: Message): void {
    this.said.push(message);
    const { id, method } = message;
    if (id === undefined || method === undefined) return;
    const thread = { id: this.threadId, cwd: '/project', status: { type: 'active' } };
    const turn = { id: this.turnId, status: 'inProgress', items: [] };
    this.#tell({ id, result: { data: [], thread, initialTurnsPage: { data: [turn] } } } as Message);
    if (method === 'thread/resume') this.tellAgain();
  }

  tellAgain(): void {
    for (const request of this.#open.values()) this.#tell(request);
  }

  asks(id: number): void {
    const { threadId, turnId } = this;
    const command = `touch ${id}.txt`;
    const outside = { reason: 'May I?', proposedExecpolicyAmendment: ['touch'] };
    const params = { threadId, turnId, itemId: `call_${id}`, command, cwd: '/project', ...outside };
    const request = { id, method: 'item/commandExecution/requestApproval', params };
    this.#open.set(id, request);
    this.#tell(request);
  }

  settles(requestId: number): void {
    this.#open.delete(requestId);
    this.#tell({ method: 'serverRequest/resolved', params: { threadId: this.threadId, requestId } });
  }

  does(id: number): void {
    const { threadId, turnId } = this;
    const item = { id: `call_${id}`, type: 'commandExecution', status: 'completed' };
    this.#tell({ method: 'item/completed', params: { threadId, turnId, item } });
  }

  ends(): void {
    const turn = { id: this.turnId, status: 'completed' };
    this.#tell({ method: 'turn/completed', params: { threadId: this.threadId, turn } });
  }

  answerTo = (id: number) => stage.until(async () => this.said.find((it) => it.id === id && it.result !== undefined));
}

const asked = async (): Promise<AskView[]> =>
  (await stage.api.asks.list({ session_id: `codex-own-${daemon.threadId}` })).items;
/** The ask of this request, when it waits. */
const askOf = (id: number) =>
  stage.until(async () =>
    (await asked().catch(() => [])).find(
      (ask) => ask.status === 'pending' && ask.tool_call_id.startsWith(`call_${id}@`),
    ),
  );
const deliveryOf = async ({ ask_id }: AskView) => (await stage.api.asks.get(ask_id)).delivery;
const arrived = (ask: AskView) =>
  stage.until(async () => ((await deliveryOf(ask)).state === 'due' ? undefined : deliveryOf(ask)));
const stopHere = ({ run_id }: AskView) => stage.api.runs.cancel(run_id, { reason: 'not here' });

/** Allowed here and sent, with the run stopped then; the turn goes on and asks something else. */
async function sentAndStopped(): Promise<AskView> {
  daemon.asks(1);
  const first = await askOf(1);
  await stage.decide(first, { behavior: 'allow' });
  expect(await daemon.answerTo(1)).toMatchObject({ result: { decision: 'accept' } });
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
  await stage.decide(first, { behavior: 'allow', updated_input: { command: 'touch 2.txt', cwd: '/project' } });
  expect(await daemon.answerTo(1)).toMatchObject({ result: { decision: 'decline' } });
  daemon.settles(1);
  if (isDone) daemon.does(1);
  daemon.asks(2);
  if (isDone) await askOf(2);
  else expect(await daemon.answerTo(2)).toMatchObject({ result: { decision: 'accept' } });
  expect(await asked()).toHaveLength(isDone ? 2 : 1);
});
