// The person's own Codex, already running: its daemon lets any number of clients answer what its threads ask. This is
// one more client: it hears which threads wait, has their requests told to it, and asks them here too. The first answer
// wins; what was answered at Codex's own prompt is taken back here. It answers nothing but what a person decides, and
// leaves everything alone that is another client's business, or that Codex does not wait for.
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import type { AskView } from '../../core/views.ts';
import type { FollowContext } from '../agent.ts';
import {
  type AttachedRun,
  endLost,
  endRun,
  letGo,
  openAttachedRun,
  sessionIdOf,
  unsettledAsksOf,
} from '../kit/attached-session.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { createPeer, type Incoming, type RequestId } from '../wire/json-rpc.ts';
import { createActiveItems } from './active-items.ts';
import { SETTLED_IN_CODEX } from './delivery.ts';
import { attachedAt, HOOK_CALL } from './hook.ts';
import { createLineageOf } from './lineage.ts';
import { CLIENT, ItemNotice, Resolved, TurnNotice } from './protocol.ts';
import { createRequests, type Requests } from './requests.ts';
import { createRollouts } from './rollouts.ts';

/** Requests that a person answers; all others belong to whoever started the thread. */
const ASKS =
  /^item\/(?:commandExecution|fileChange|permissions)\/requestApproval$|^item\/tool\/requestUserInput$|^mcpServer\/elicitation\/request$/;

const Status = z.looseObject({ type: z.string(), activeFlags: z.array(z.string()).optional() });
const Thread = z.looseObject({
  id: z.string(),
  cwd: z.string().nullish(),
  name: z.string().nullish(),
  preview: z.string().nullish(),
  status: Status,
});
const StatusNotice = z.looseObject({ threadId: z.string(), status: Status });
const ThreadReply = z.looseObject({ thread: Thread });
/** A request outside of any turn has nothing by which it would be known again: it stays at Codex's own prompt. */
const About = z.looseObject({ threadId: z.string(), turnId: z.string() });
const Loaded = z.looseObject({ data: z.array(z.string()) });

interface Turn {
  run: AttachedRun;
  /** The last takes what the turn asks; those before belong to runs that were ended here while it went on. */
  desks: readonly [...Requests[], Requests];
}

interface Followed {
  thread: Promise<z.infer<typeof Thread>>;
  turns: Map<string, Promise<Turn>>;
}

/** Ends what Codex had asked from this machine. */
export async function endAsksOf(client: Client, machine: string): Promise<void> {
  const error = 'codex is gone';
  await endLost(client, await unsettledAt(client, machine), error, { error });
}

/** Asks of a hook are settled by the process of that hook. */
const unsettledAt = async (client: Client, machine: string): Promise<AskView[]> =>
  (await unsettledAsksOf(client, attachedAt(machine))).filter(
    ({ tool_call_id }) => !tool_call_id.startsWith(HOOK_CALL),
  );

/** Resolves when the daemon is gone or `signal` says so; what is open then stays open for whoever connects next. */
export async function followDaemon({ client, waits, signal, machine, open, onNotAsked }: FollowContext): Promise<void> {
  const followed = new Map<string, Followed>();
  /** Who has which request, until Codex has settled it; nobody yet, while its run is opened. */
  const owners = new Map<RequestId, Requests | undefined>();
  const openDesks = new Set<Requests>();
  let isGone = false;
  const raised = new Set<string>();
  const taking = new Set<Promise<void>>();
  /** Nothing is known of what they ask, so it is not known to be over. */
  const unheard = new Set<string>();
  const peer = createPeer({
    send: (text) => talk.send(text),
    onRequest: (request) => {
      const work = take(request).catch((error: unknown) => onNotAsked(error));
      taking.add(work);
      void work.finally(() => taking.delete(work));
    },
    onNotification: notice,
  });
  const talk = await open(peer.receive);
  const activeItems = createActiveItems(peer);
  const rollouts = createRollouts();
  const lineageOf = createLineageOf(peer);

  /** Becomes a listener of the thread; its open requests are told again to every listener that comes. */
  function follow(threadId: string): Followed {
    const known = followed.get(threadId);
    if (known) return known;
    const entry: Followed = { turns: new Map(), thread: listen(threadId) };
    followed.set(threadId, entry);
    entry.thread.catch(() => {
      followed.delete(threadId);
      unheard.add(sessionIdOf({ ...attachedAt(machine), id: threadId }));
    });
    return entry;
  }

  async function listen(threadId: string): Promise<z.infer<typeof Thread>> {
    const reply = await activeItems.load(threadId);
    rollouts.learn(reply);
    return ThreadReply.parse(reply).thread;
  }

  async function take(request: Incoming): Promise<void> {
    const read = ASKS.test(request.method) ? About.safeParse(request.params) : undefined;
    // What is told again, at every look, may have been stopped here meanwhile: that is not asked here once more.
    if (!read?.success || owners.has(request.id)) return;
    owners.set(request.id, undefined);
    try {
      const desk = await deskOf(read.data);
      if (!owners.has(request.id)) return;
      owners.set(request.id, desk);
      await desk.receive(request);
    } catch (error) {
      owners.delete(request.id);
      unheard.add(sessionIdOf({ ...attachedAt(machine), id: read.data.threadId }));
      throw error;
    }
  }

  async function deskOf({ threadId, turnId }: z.infer<typeof About>): Promise<Requests> {
    const entry = follow(threadId);
    const { desks } = await turnOf(entry, await entry.thread, turnId);
    return desks.at(-1) as Requests;
  }

  /** A run that was ended here while the turn goes on is followed by another, for what the turn asks next. */
  function turnOf(entry: Followed, thread: z.infer<typeof Thread>, turnId: string): Promise<Turn> {
    const known = entry.turns.get(turnId);
    const next = async (): Promise<Turn> => {
      const before = await known?.catch(() => undefined);
      return before && !(await isOver(before)) ? before : openTurn(thread, turnId, before?.desks);
    };
    const turn = next();
    entry.turns.set(turnId, turn);
    // Where that fails, what was there is still there.
    turn.catch(() => known && entry.turns.get(turnId) === turn && entry.turns.set(turnId, known));
    return turn;
  }

  const isOver = async ({ run: { run } }: Turn): Promise<boolean> =>
    (await client.runs.get(run.run_id)).finished_at_ms !== undefined;

  async function openTurn(
    { id, cwd, name, preview }: z.infer<typeof Thread>,
    turnId: string,
    before: readonly Requests[] = [],
  ): Promise<Turn> {
    const conversation = { ...attachedAt(machine), id, folder: cwd ?? undefined, title: name || preview || undefined };
    const run = await openAttachedRun(client, waits, conversation, { id: turnId }, signal);
    if (isGone) throw new Error('the daemon went away before it could be asked here');
    const desk = createRequests({
      context: run,
      peer,
      unusedApprovals: createUnusedApprovals(),
      activeItems,
      rollouts,
      lineageOf,
      isShared: true,
      signal,
      onRaised: (askId) => raised.add(askId),
    });
    openDesks.add(desk);
    return { run, desks: [...before, desk] };
  }

  function notice(method: string, params: unknown): void {
    if (method === 'thread/status/changed') {
      const read = StatusNotice.safeParse(params);
      if (read.success && isWaiting(read.data.status)) follow(read.data.threadId);
      return;
    }
    if (method === 'item/started' || method === 'item/completed') {
      const read = ItemNotice.safeParse(params);
      if (!read.success) return;
      if (method === 'item/started') activeItems.started(read.data);
      else ended(read.data);
      return;
    }
    if (method === 'serverRequest/resolved') {
      const read = Resolved.safeParse(params);
      if (!read.success) return;
      const { requestId } = read.data;
      owners.get(requestId)?.resolved(requestId);
      owners.delete(requestId);
      return;
    }
    const read = method === 'turn/completed' ? TurnNotice.safeParse(params) : undefined;
    if (read?.success) void over(read.data).catch(() => {});
  }

  function ended(item: ItemNotice): void {
    activeItems.completed(item);
    const turn = followed.get(item.threadId)?.turns.get(item.turnId);
    turn
      ?.then(({ desks }) => {
        for (const desk of desks) desk.itemCompleted(item);
      })
      .catch(() => {});
  }

  async function over({ threadId, turn }: z.infer<typeof TurnNotice>): Promise<void> {
    const entry = followed.get(threadId);
    const known = entry?.turns.get(turn.id);
    activeItems.turnCompleted(threadId);
    entry?.turns.delete(turn.id);
    const problem =
      turn.status === 'completed' ? undefined : (turn.error?.message ?? `the turn was ${turn.status} in Codex`);
    const { run, desks = [] } = (await known) ?? {};
    for (const desk of desks) {
      await desk.turnCompleted(turn.id);
      openDesks.delete(desk);
    }
    if (run) await endRun(client, run.run.run_id, problem === undefined ? undefined : { error: problem });
  }

  async function greet(): Promise<void> {
    await peer.request('initialize', { clientInfo: CLIENT, capabilities: { experimentalApi: true } });
    peer.notify('initialized');
    const { data } = Loaded.parse(await peer.request('thread/loaded/list', {}));
    const threads = await Promise.all(
      data.map(async (threadId) => {
        const reply = await peer.request('thread/read', { threadId }).catch(() => undefined);
        return ThreadReply.safeParse(reply).data?.thread;
      }),
    );
    const waiting = threads.filter((thread) => thread && isWaiting(thread.status));
    await Promise.all(waiting.map((thread) => thread && follow(thread.id).thread.catch(() => {})));
  }

  /** However long the server takes: what is on its way to it is not over. */
  async function toldAgain(): Promise<void> {
    while (taking.size > 0) await Promise.all(taking);
    await Promise.all([...openDesks].map((desk) => desk.raised()));
  }

  void talk.ended.then(() => {
    isGone = true;
  });
  void talk.ended.then(() => peer.close(new Error('the daemon is gone')));
  try {
    const before = await unsettledAt(client, machine).catch(() => []);
    await greet();
    await settleSoon(signal);
    await toldAgain();
    // What was open and was not told again has been settled in Codex while nobody watched.
    const isOver = (ask: AskView) => !raised.has(ask.ask_id) && !unheard.has(ask.session_id);
    for (const { ask_id, delivery } of signal.aborted || isGone ? [] : before.filter(isOver))
      await letGo(client, ask_id, delivery.attempts === 0 ? SETTLED_IN_CODEX : UNSEEN);
    await talk.ended;
  } finally {
    talk.close();
    isGone = true;
    for (const desk of openDesks) desk.close();
  }
}

/** It was sent before the connection was lost, and Codex goes on; whether with this answer nobody saw. */
const UNSEEN = 'settled in Codex, perhaps with this answer';

const isWaiting = ({ type, activeFlags = [] }: z.infer<typeof Status>): boolean =>
  type === 'active' && activeFlags.some((flag) => flag.startsWith('waitingOn'));

/** Requests that are told again come right after a thread was joined; what is raised by then is not an orphan. */
const settleSoon = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, SETTLE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
const SETTLE_MS = 2000;
