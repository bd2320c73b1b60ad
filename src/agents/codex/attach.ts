// Follows the daemon of a person's own Codex as one more of its clients, and raises what its threads request as asks. The
// first answer wins; an ask that was answered at Codex's own prompt is withdrawn. Responds only with what a person decided:
// requests for another client, or that Codex does not wait for, get no response.
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { sleep } from '../../client/http.ts';
import type { AskView } from '../../core/views.ts';
import type { FollowContext } from '../agent.ts';
import {
  type AttachedRun,
  endLost,
  endRun,
  openAttachedRun,
  sessionIdOf,
  settling,
  unsettledAsksOf,
} from '../kit/attached-session.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { createPeer, type Incoming, on, type RequestId, route } from '../wire/json-rpc.ts';
import { createActiveItems } from './active-items.ts';
import { SETTLED_IN_CODEX } from './delivery.ts';
import { attachedAt, HOOK_CALL } from './hook.ts';
import { createLineageOf } from './lineage.ts';
import { ItemNotice, initialize, loadedThreads, Resolved, TurnNotice } from './protocol.ts';
import { createRequests, type Requests } from './requests.ts';
import { createRollouts } from './rollouts.ts';
import { createSideQuestions } from './side-questions.ts';

/** Requests that a person answers; all others are for the client that started the thread. */
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
type Thread = z.infer<typeof Thread>;
const StatusNotice = z.looseObject({ threadId: z.string(), status: Status });
const ThreadReply = z.looseObject({ thread: Thread });
/** A request outside of any turn has no stable id, so it stays at Codex's own prompt. */
const InTurn = z.looseObject({ threadId: z.string(), turnId: z.string() });

interface Turn {
  run: AttachedRun;
  /** One per run of the turn, the current one first: earlier runs were ended here while the turn continued. */
  handlers: readonly [Requests, ...Requests[]];
}

interface FollowedThread {
  thread: Promise<Thread>;
  turns: Map<string, Promise<Turn>>;
}

/** Time for Codex to repeat its open requests after a thread was resumed. */
const REPEAT_MS = 2000;
const UNCONFIRMED = 'settled in Codex, perhaps with this answer';

/** Ends what Codex had asked from this machine. */
export async function endAsksOf(client: Client, machine: string): Promise<void> {
  const error = 'codex is gone';
  await endLost(client, await unsettledAt(client, machine), error, { error });
}

/** Without the asks of hook processes, which settle their own. */
const unsettledAt = async (client: Client, machine: string): Promise<AskView[]> =>
  (await unsettledAsksOf(client, attachedAt(machine))).filter((ask) => !ask.tool_call_id.startsWith(HOOK_CALL));

/** Resolves when the daemon is gone or `signal` is aborted. Open asks then stay open for the next connection. */
export async function followDaemon({ client, waits, signal, machine, open, onNotAsked }: FollowContext): Promise<void> {
  const threads = new Map<string, FollowedThread>();
  /** By request, until Codex has resolved it; undefined while its run is being opened. */
  const handlers = new Map<RequestId, Requests | undefined>();
  const openHandlers = new Set<Requests>();
  const raised = new Set<string>();
  const receiving = createInFlight();
  /** Sessions with a request that could not be read or raised: their open asks may still be wanted. */
  const unread = new Set<string>();
  let isGone = false;

  const peer = createPeer({
    send: (text) => connection.send(text),
    onRequest: (request) => {
      if (!sideQuestions.refuses(request)) receiving.add(receive(request).catch(onNotAsked));
    },
    onNotification: (method, params) => received(method, params),
  });
  const sideQuestions = createSideQuestions(peer);
  const received = sideQuestions.without(
    route(
      on('thread/status/changed', StatusNotice, ({ threadId, status }) => {
        if (isWaiting(status)) follow(threadId);
      }),
      on('item/started', ItemNotice, (notice) => activeItems.started(notice)),
      on('item/completed', ItemNotice, (notice) => void itemCompleted(notice).catch(() => {})),
      on('serverRequest/resolved', Resolved, ({ requestId }) => {
        handlers.get(requestId)?.resolved(requestId);
        handlers.delete(requestId);
      }),
      on('turn/completed', TurnNotice, (notice) => void turnCompleted(notice).catch(() => {})),
    ),
  );
  const connection = await open(peer.receive);
  const activeItems = createActiveItems(peer);
  const rollouts = createRollouts();
  const lineageOf = createLineageOf(peer);

  const markUnread = (id: string) => unread.add(sessionIdOf({ ...attachedAt(machine), id }));

  /** Resumes the thread, so that Codex sends its requests to this client and repeats the open ones. */
  function follow(threadId: string): FollowedThread {
    const known = threads.get(threadId);
    if (known) return known;
    const entry: FollowedThread = { turns: new Map(), thread: resume(threadId) };
    threads.set(threadId, entry);
    entry.thread.catch(() => {
      threads.delete(threadId);
      markUnread(threadId);
    });
    return entry;
  }

  async function resume(threadId: string): Promise<Thread> {
    const reply = await activeItems.load(threadId);
    rollouts.learn(reply);
    return ThreadReply.parse(reply).thread;
  }

  /** A repeated request is ignored: its run may have been ended here meanwhile, and it is not asked twice. */
  async function receive(request: Incoming): Promise<void> {
    const { id } = request;
    const read = ASKS.test(request.method) ? InTurn.safeParse(request.params) : undefined;
    if (!read?.success || handlers.has(id)) return;
    handlers.set(id, undefined);
    const { threadId, turnId } = read.data;
    try {
      const entry = follow(threadId);
      const turn = await currentTurn(entry, await entry.thread, turnId);
      if (!handlers.has(id)) return;
      handlers.set(id, turn.handlers[0]);
      await turn.handlers[0].receive(request);
    } catch (error) {
      handlers.delete(id);
      markUnread(threadId);
      throw error;
    }
  }

  /** Opens another run where that of the turn was ended here while the turn continues. */
  function currentTurn({ turns }: FollowedThread, thread: Thread, turnId: string): Promise<Turn> {
    const known = turns.get(turnId);
    const next = async (): Promise<Turn> => {
      const before = await known?.catch(() => undefined);
      return before && !(await hasEnded(before)) ? before : openTurn(thread, turnId, before?.handlers);
    };
    const turn = next();
    turns.set(turnId, turn);
    turn.catch(() => known && turns.get(turnId) === turn && turns.set(turnId, known));
    return turn;
  }

  const hasEnded = async ({ run: { run } }: Turn): Promise<boolean> =>
    (await client.runs.get(run.run_id)).finished_at_ms !== undefined;

  async function openTurn(thread: Thread, turnId: string, earlier: readonly Requests[] = []): Promise<Turn> {
    const { id, cwd, name, preview } = thread;
    const conversation = { ...attachedAt(machine), id, folder: cwd ?? undefined, title: name || preview || undefined };
    const run = await openAttachedRun(client, waits, conversation, { id: turnId }, signal);
    if (isGone) throw new Error('the daemon exited before its request could be raised');
    const handler = createRequests({
      context: run,
      peer,
      unusedApprovals: createUnusedApprovals(),
      activeItems,
      rollouts,
      sideQuestions,
      lineageOf,
      isShared: true,
      signal,
      onRaised: (askId) => raised.add(askId),
    });
    openHandlers.add(handler);
    return { run, handlers: [handler, ...earlier] };
  }

  async function itemCompleted(notice: ItemNotice): Promise<void> {
    activeItems.completed(notice);
    const turn = await threads.get(notice.threadId)?.turns.get(notice.turnId);
    for (const handler of turn?.handlers ?? []) handler.itemCompleted(notice);
  }

  async function turnCompleted({ threadId, turn }: z.infer<typeof TurnNotice>): Promise<void> {
    const { turns } = threads.get(threadId) ?? {};
    const known = turns?.get(turn.id);
    activeItems.turnCompleted(threadId);
    turns?.delete(turn.id);
    const { run, handlers: ofTurn = [] } = (await known) ?? {};
    for (const handler of ofTurn) {
      await handler.turnCompleted(turn.id);
      openHandlers.delete(handler);
    }
    const error = turn.error?.message ?? `the turn was ${turn.status} in Codex`;
    if (run) await endRun(client, run.run.run_id, turn.status === 'completed' ? undefined : { error });
  }

  /** Follows every loaded thread that waits for a person. */
  async function followWaiting(): Promise<void> {
    const reads = (await loadedThreads(peer)).map(async (threadId) => {
      const reply = await peer.request('thread/read', { threadId }).catch(() => undefined);
      return ThreadReply.safeParse(reply).data?.thread;
    });
    const waiting = (await Promise.all(reads)).flatMap((thread) => (thread && isWaiting(thread.status) ? thread : []));
    await Promise.all(waiting.map(({ id }) => follow(id).thread.catch(() => {})));
  }

  void connection.ended.then(() => {
    isGone = true;
    peer.close(new Error('the daemon is gone'));
  });
  try {
    const before = await unsettledAt(client, machine).catch(() => []);
    await initialize(peer);
    await followWaiting();
    await sleep(REPEAT_MS, signal).catch(() => {});
    await receiving.settled();
    await Promise.all([...openHandlers].map((handler) => handler.raised()));
    // An open ask whose request Codex did not repeat was settled there while no client was connected.
    const isSettled = (ask: AskView) => !raised.has(ask.ask_id) && !unread.has(ask.session_id);
    for (const { ask_id, delivery } of signal.aborted || isGone ? [] : before.filter(isSettled))
      await withdrawAsk(settling(client), ask_id, delivery.attempts === 0 ? SETTLED_IN_CODEX : UNCONFIRMED);
    await connection.ended;
  } finally {
    connection.close();
    isGone = true;
    for (const handler of openHandlers) handler.close();
  }
}

const isWaiting = ({ type, activeFlags = [] }: z.infer<typeof Status>): boolean =>
  type === 'active' && activeFlags.some((flag) => flag.startsWith('waitingOn'));
