// Delivery of answers to an attached Codex, where another client may have answered first: Codex does not say whose answer
// it took, only what it does then. Transcripts of the real daemon with other ends; and answers given while not attached.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApprovalAsk, commandApproval } from '../../../src/agents/codex/approvals.ts';
import { createDeliveries } from '../../../src/agents/codex/delivery.ts';
import { fileApproval } from '../../../src/agents/codex/file-approval.ts';
import { attachedAt } from '../../../src/agents/codex/hook.ts';
import { openAttachedRun } from '../../../src/agents/kit/attached-session.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { AskView } from '../../../src/core/views.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';
import type { Line } from '../transcript-player.ts';
import { playAttached } from './attach-test-bed.ts';

const server = serverForAll();
let bed: TestBed;
beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
});

type Message = { id?: number; method?: string; params?: Record<string, unknown> };
type Behavior = 'allow' | 'deny';
const pendingAsk = () => bed.until(async () => (await bed.api.asks.list({ status: 'pending' })).items[0]);
const deliveryOf = async ({ ask_id }: AskView) => (await bed.api.asks.get(ask_id)).delivery;
/** Waits for an end of the way. */
const arrived = (ask: AskView) =>
  bed.until(async () => {
    const delivery = await deliveryOf(ask);
    return delivery.state === 'delivered' || delivery.state === 'undeliverable' ? delivery : undefined;
  });

const agent = (method: string, params: object): Line => ({ from: 'agent', message: { method, params } });
const isRequest = ({ from, message }: Line) =>
  from === 'agent' && message.id !== undefined && message.method !== undefined;

/** What Codex may do next about a request of its. */
function nextOf({ message }: Line, lookId = 0) {
  const { id, params = {} } = message as Message;
  const { threadId, turnId, itemId } = params;
  return {
    threadId: String(threadId),
    respond: (result: object): Line => ({ from: 'holdpoint', message: { jsonrpc: '2.0', id, result } }),
    resolved: agent('serverRequest/resolved', { threadId, requestId: id }),
    item: (item: object) => agent('item/completed', { threadId, turnId, item: { id: itemId, ...item } }),
    turn: (status: string) => agent('turn/completed', { threadId, turn: { id: turnId, status } }),
    /** Holdpoint looks which items the turn has; `count` times. */
    looked: (items: object[], count = 1): Line[] => {
      const asked = { threadId, excludeTurns: true, initialTurnsPage: { limit: 1, itemsView: 'full' } };
      const turn = { id: turnId, status: 'inProgress', items };
      return Array.from({ length: count }, (_, i) => lookId + i).flatMap((id): Line[] => [
        { from: 'holdpoint', message: { jsonrpc: '2.0', id, method: 'thread/resume', params: asked } },
        { from: 'agent', message: { id, result: { initialTurnsPage: { data: [turn] } } } },
      ]);
    },
    again: { from: 'agent', message: { ...message, id: 99 } } as Line,
  };
}
type Next = ReturnType<typeof nextOf>;

/** The transcript up to its first request, in a conversation of its own, and then this. */
const upTo = (ends: (next: Next) => Line[]) => (recorded: Line[]) => {
  const lines = asAnother(recorded);
  const place = lines.findIndex(isRequest);
  return [...lines.slice(0, place + 1), ...ends(nextOf(lines[place] as Line))];
};

/** The same, where Holdpoint is told who asks, as it was then, and asks. */
const then = (ends: (next: Next) => Line[]) => (recorded: Line[]) => {
  const lines = asAnother(recorded);
  const place = lines.findIndex(isRequest);
  const look = lines.findIndex(({ message }, i) => i > place && message.method === 'thread/read');
  const next = nextOf(lines[place] as Line, Number(lines[look]?.message.id) + 1);
  return [...lines.slice(0, place + 1), ...lines.slice(look, look + 2), ...ends(next)];
};

function asAnother(lines: Line[]): Line[] {
  const { threadId, turnId } = (lines[lines.findIndex(isRequest)] as Line).message.params as Record<string, unknown>;
  const text = JSON.stringify(lines)
    .replaceAll(String(threadId), randomUUID())
    .replaceAll(String(turnId), randomUUID());
  return JSON.parse(text) as Line[];
}

const ALLOWED = { allowed: true, input: {}, suggestion_ids: [] };
const command = (status: string) => ({ type: 'commandExecution', status });
const DELIVERED = { state: 'delivered', attempts: 1 };
const ELSEWHERE = { state: 'undeliverable', attempts: 1, reason: 'settled in Codex itself' };
type Case = [what: string, behavior: Behavior, ends: (next: Next) => Line[], delivery: object];

const RUNNING = { id: 'call_15_0', ...command('inProgress') };
const UNSEEN = { ...ELSEWHERE, reason: 'Codex was not seen to do it' };

const COMMAND: Case[] = [
  ['what was allowed ran', 'allow', (n) => [n.resolved, n.item(command('completed')), n.turn('completed')], DELIVERED],
  ['what was allowed ran and failed', 'allow', (n) => [n.resolved, n.item(command('failed'))], DELIVERED],
  ['what was allowed runs for long', 'allow', (n) => [n.resolved, ...n.looked([RUNNING])], DELIVERED],
  ['what was allowed was declined', 'allow', (n) => [n.resolved, n.item(command('declined'))], ELSEWHERE],
  ['what was allowed was declined before', 'allow', (n) => [n.item(command('declined')), n.resolved], ELSEWHERE],
  ['what was allowed did not run', 'allow', (n) => [n.resolved, ...n.looked([]), n.turn('completed')], UNSEEN],
  ['what was allowed does not run, and the turn goes on', 'allow', (n) => [n.resolved, ...n.looked([], 3)], UNSEEN],
  ['the turn was stopped first', 'allow', (n) => [n.turn('interrupted'), n.resolved], ELSEWHERE],
  ['what was denied was declined', 'deny', (n) => [n.resolved, n.item(command('declined'))], DELIVERED],
  ['what was denied does not run', 'deny', (n) => [n.resolved, ...n.looked([], 3)], DELIVERED],
  ['what was denied ran', 'deny', (n) => [n.resolved, n.item(command('completed'))], ELSEWHERE],
  ['what was denied runs for long', 'deny', (n) => [n.resolved, ...n.looked([RUNNING])], ELSEWHERE],
  ['the turn of what was denied is over', 'deny', (n) => [n.resolved, n.turn('completed')], DELIVERED],
];
const refused = { type: 'mcpToolCall', status: 'failed', error: { message: 'user rejected MCP tool call' } };
const broken = { ...refused, error: { message: 'connection refused' } };
const TOOL: Case[] = [
  ['an allowed tool was refused', 'allow', (n) => [n.resolved, n.item({ ...refused, id: 'call_plain' })], ELSEWHERE],
  ['an allowed tool is slow', 'allow', (n) => [n.resolved], DELIVERED],
  ['an allowed tool went wrong', 'allow', (n) => [n.resolved, n.item({ ...broken, id: 'call_plain' })], DELIVERED],
];

const ANSWERS = {
  'own-session': { allow: { decision: 'accept' }, deny: { decision: 'decline' } },
  'own-tool': {
    allow: { action: 'accept', content: {}, _meta: null },
    deny: { action: 'decline', content: null, _meta: null },
  },
};

describe.each([
  ['own-session', COMMAND],
  ['own-tool', TOOL],
] as const)('an answer that was sent: %s', (name, cases) => {
  it.each(cases)('%s', async (_, behavior, ends, delivery) => {
    let ask: AskView | undefined;
    const player = await playAttached(
      bed,
      name,
      async () => {
        ask = await pendingAsk();
        await bed.decide(ask, { behavior });
        await arrived(ask);
      },
      then((next) => [next.respond(ANSWERS[name][behavior]), ...ends(next)]),
    );
    expect(player.problem).toBeUndefined();
    expect(await deliveryOf(ask as AskView)).toMatchObject(delivery);
  });

  it('is due until Codex has settled the request', async () => {
    const isSent = async (ask: AskView) => ((await deliveryOf(ask)).attempts === 1 ? true : undefined);
    let ask: AskView | undefined;
    await playAttached(
      bed,
      name,
      async () => {
        ask = await pendingAsk();
        await bed.decide(ask, { behavior: 'allow' });
        await bed.until(() => isSent(ask as AskView));
      },
      then((next) => [next.respond(ANSWERS[name].allow)]),
    );
    expect(await deliveryOf(ask as AskView)).toMatchObject({ state: 'due', attempts: 1 });
    await bed.api.asks.undeliverable((ask as AskView).ask_id);
  });
});

it('an allow that lets an item ask for more has arrived, whatever becomes of the item', async () => {
  const asks: AskView[] = [];
  const decideNext = async (behavior: Behavior) => {
    const ask = await pendingAsk();
    asks.push(ask);
    await bed.decide(ask, { behavior });
  };
  await playAttached(
    bed,
    'own-session',
    async () => {
      await decideNext('allow');
      await decideNext('deny');
      for (const ask of asks) await arrived(ask);
    },
    then((next) => [
      next.respond({ decision: 'accept' }),
      next.resolved,
      next.again,
      nextOf(next.again).respond({ decision: 'decline' }),
      nextOf(next.again).resolved,
      next.item(command('declined')),
    ]),
  );
  expect(await Promise.all(asks.map(deliveryOf))).toMatchObject([DELIVERED, DELIVERED]);
});

describe('a request that Codex settles by itself', () => {
  /** What was asked here in the end, when the turn of the first request is over. */
  async function asked(name: string, from: typeof then, ends: (next: Next) => Line[]): Promise<AskView[]> {
    const { promise: thread, resolve } = Promise.withResolvers<string>();
    let asks: AskView[] = [];
    const person = async () => {
      const session_id = `codex-own-${await thread}`;
      await bed.until(async () => {
        const { items } = await bed.api.runs.list({ session_id }).catch(() => ({ items: [] }));
        return items[0]?.finished_at_ms;
      });
      asks = (await bed.api.asks.list({ session_id })).items;
    };
    const change = from((next) => {
      resolve(next.threadId);
      return ends(next);
    });
    await playAttached(bed, name, person, change);
    return asks;
  }

  it('before it could be asked here is not asked', async () => {
    const asks = await asked('own-input-declined', upTo, (next) => [next.resolved, next.turn('completed')]);
    expect(asks).toEqual([]);
  });

  it('as its item shows is taken back, before Codex says so', async () => {
    const ended = () =>
      bed.until(async () => {
        const { items } = await bed.api.asks.list({ status: 'ended', order: 'newest' });
        return items.find(({ session_id }) => session_id === session);
      });
    let session = '';
    let ask: AskView | undefined;
    const person = async () => {
      ask = await ended();
    };
    const change = then((next) => {
      session = `codex-own-${next.threadId}`;
      return [next.item(command('declined'))];
    });
    await playAttached(bed, 'own-session', person, change);
    expect(ask).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
  });

  it('by the end of its turn alone is taken back', async () => {
    const asks = await asked('own-interrupted', then, (next) => [next.turn('interrupted')]);
    expect(asks).toMatchObject([
      { status: 'cancelled', answer: { reason: 'withdrawn', justification: 'settled in Codex itself' } },
    ]);
  });
});

it('an answer given while no worker was attached is undeliverable once Codex has stopped asking', async () => {
  const { token, token_id } = await bed.api.tokens.create({ scope: 'worker' });
  const client = createClient({ url: bed.url, token });
  const waits = new Waits(client.http);
  const run = await openAttachedRun(
    client,
    waits,
    { ...attachedAt('at=here'), id: randomUUID(), folder: '/project' },
    { id: 'turn' },
    new AbortController().signal,
  );
  const raise = async (tool_call_id: string) => {
    const { ask_id } = await client.asks.raise(run.run.run_id, {
      kind: 'approval',
      tool_call_id,
      tool_name: 'Bash',
      input: { command: tool_call_id },
    });
    const ask = await bed.api.asks.get(ask_id);
    await bed.decide(ask, { behavior: 'allow' });
    return ask;
  };
  const [unsent, sent] = [await raise('unsent'), await raise('sent')];
  await client.asks.sent(sent.ask_id);
  await bed.api.tokens.revoke(token_id);
  await playAttached(
    bed,
    'own-input',
    () => Promise.all([unsent, sent].map(arrived)),
    (lines) =>
      lines.slice(
        0,
        lines.findIndex(({ message }) => message.method === 'thread/started'),
      ),
  );
  expect(await deliveryOf(unsent)).toMatchObject({ state: 'undeliverable', reason: 'settled in Codex itself' });
  expect(await deliveryOf(sent)).toMatchObject({
    state: 'undeliverable',
    reason: 'settled in Codex, perhaps with this answer',
  });
  waits.close();
});

it('looks for no evidence after the connection is closed, and reports nothing', () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const call = (name: string) => async () => void calls.push(name);
    const hasItem = async () => calls.push('looked') > 0;
    const recordedCall = async () => 'unreadable' as const;
    const context = { acknowledge: call('acknowledged'), markUndeliverable: call('undeliverable') };
    const deliveries = createDeliveries(context, { hasItem, recordedCall });
    const turn = { threadId: 'thread', turnId: 'turn' };
    const change = { path: 'a', kind: { type: 'add' }, diff: '' };
    const params = { ...turn, itemId: 'call', command: 'make' };
    const approvals = [
      commandApproval(params, undefined),
      fileApproval(params, { type: 'fileChange', changes: [change] }, undefined),
    ] as ApprovalAsk[];
    for (const asked of approvals) {
      const answer = { askId: 'ask', turn, asked, result: asked.responseTo(ALLOWED), isAllowed: true };
      deliveries.sent(answer);
      deliveries.resolved(answer);
    }
    deliveries.close();
    vi.runAllTimers();
    deliveries.turnCompleted('turn');
    expect(calls).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
