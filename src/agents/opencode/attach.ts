// Follows a person's own OpenCode server as one more of its clients, and raises what its sessions request, in all folders, as
// asks. The first answer wins; an ask that was answered in OpenCode itself is withdrawn. Replies only with what a person
// decided, except that requests of a turn that has ended are rejected: OpenCode would act on a late allow.
import { readFile } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import type { AskView } from '../../core/views.ts';
import type { FollowContext } from '../agent.ts';
import {
  type AttachedAgent,
  type AttachedRun,
  endLost,
  endRun,
  openAttachedRun,
  settling,
  unsettledAsksOf,
} from '../kit/attached-session.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { HttpRefusal } from '../wire/http-peer.ts';
import { on, route } from '../wire/json-rpc.ts';
import { connectionProblem, createApi, NOT_WAITING } from './api.ts';
import { readServer } from './connect.ts';
import {
  FolderClosed,
  failureText,
  type Request,
  type Session,
  SessionDeleted,
  SessionError,
  SessionIdle,
} from './protocol.ts';
import { createRequests, type Requests, requestEvents, SETTLED, UNCONFIRMED } from './requests.ts';
import { createSessionTree } from './session-tree.ts';

/** The conversations of a person's own OpenCode that are followed from one machine. */
const attachedAt = (machine: string): AttachedAgent => ({
  agent: 'opencode',
  sessionPrefix: 'opencode-own-',
  label: machine,
});
const DELETED = 'its session was deleted in OpenCode';
const GONE = 'opencode is gone';

interface Turn {
  run: AttachedRun;
  requests: Requests;
}

/** Ends what OpenCode had asked from this machine. */
export async function endAsksOf(client: Client, machine: string): Promise<void> {
  await endLost(client, await unsettledAsksOf(client, attachedAt(machine)), GONE, { error: GONE });
}

/** The address that a settings file names. */
export const addressOf = async (settingsFile: string): Promise<string> =>
  readServer(await readFile(settingsFile, 'utf8')).url;

/** Resolves when the server is gone or `signal` is aborted. Open asks then stay open for the next connection. */
export async function followServer(context: FollowContext): Promise<void> {
  const { client, waits, signal, machine, settingsFile, onAttached, onUnreachable, onNotAsked } = context;
  const { url, user, password } = readServer(await readFile(settingsFile, 'utf8'));
  const api = createApi({ url, user, password, signal });
  const tree = createSessionTree(api);
  const turns = new Map<string, Promise<Turn>>();
  /** By conversation, the end of a run: the next turn does not ask in it. */
  const ending = new Map<string, Promise<void>>();
  /** Every run that was opened over this connection: one that was ended here may still have requests. */
  const opened = new Set<Requests>();
  const raised = new Set<string>();
  const seen = new Set<string>();
  /** No ask any more, and none to come. */
  const settledIds = new Set<string>();
  /** Requests of which no ask is raised yet: their run is not open. */
  const early = new Map<string, Request>();
  const receiving = createInFlight();

  /** A repeated request is ignored: its run may have been ended here meanwhile, and it is not asked twice. */
  function receive(request: Request): void {
    const { id } = request.asked;
    if (seen.has(id)) return;
    seen.add(id);
    early.set(id, request);
    receiving.add(
      raise(request)
        .catch(onNotAsked)
        .finally(() => early.delete(id)),
    );
  }

  async function raise(request: Request): Promise<void> {
    const { id, sessionID } = request.asked;
    const { root } = await tree.placeOf(request.directory, sessionID);
    // A turn that has ended meanwhile would not notice how this request ends.
    for (let isReceived = false; !isReceived && !settledIds.has(id); ) {
      const { requests } = await currentTurn(root);
      isReceived = opened.has(requests) && !settledIds.has(id);
      if (isReceived) requests.receive(request);
    }
  }

  function settled(...[requestId, settlement]: Parameters<Requests['settled']>): void {
    settledIds.add(requestId);
    for (const requests of opened) requests.settled(requestId, settlement);
  }

  /** Opens another run where that of the conversation was ended here while its turn continues. */
  function currentTurn(root: Session): Promise<Turn> {
    const known = turns.get(root.id);
    const next = async (): Promise<Turn> => {
      const before = await known?.catch(() => undefined);
      if (before && opened.has(before.requests) && !(await hasEnded(before))) return before;
      await ending.get(root.id);
      return openTurn(root);
    };
    const turn = next();
    turns.set(root.id, turn);
    return turn;
  }

  const hasEnded = async ({ run: { run } }: Turn): Promise<boolean> =>
    (await client.runs.get(run.run_id)).finished_at_ms !== undefined;

  async function openTurn({ id, directory, title }: Session): Promise<Turn> {
    const conversation = { ...attachedAt(machine), id, folder: directory, title: title ?? undefined };
    const run = await openAttachedRun(client, waits, conversation, {}, signal);
    const requests = createRequests({
      context: run,
      api,
      unusedApprovals: createUnusedApprovals(),
      lineageOf: async ({ directory, asked }) => (await tree.placeOf(directory, asked.sessionID)).lineage,
      isShared: true,
      signal,
      onRaised: (askId) => raised.add(askId),
    });
    opened.add(requests);
    return { run, requests };
  }

  /**
   * The turn of a conversation or of a sub-agent has ended. `error`: why, where it is not completed. `reason`: why its requests
   * ended, where that is not the end of the turn.
   */
  async function sessionEnded(directory: string, sessionId: string, error?: string, reason?: string): Promise<void> {
    // Only what was received until now: the next turn may ask while the requests of this one are rejected.
    const unraised = [...early.values()].filter(({ asked }) => asked.sessionID === sessionId);
    for (const { asked } of unraised) settledIds.add(asked.id);
    const known = turns.get(sessionId);
    turns.delete(sessionId);
    const rejected = unraised.map((request) => api.reject(request, reason ?? NOT_WAITING).catch(() => {}));
    const ended = [...opened].map((requests) => requests.sessionEnded(sessionId, reason));
    await Promise.all([...rejected, ...ended]);
    const turn = await known?.catch(() => undefined);
    if (!turn) return;
    const { run, requests } = turn;
    for (const { asked } of requests.open())
      if (!(await api.isBusy(directory, asked.sessionID))) await requests.sessionEnded(asked.sessionID);
    await requests.handled();
    await requests.recorded();
    opened.delete(requests);
    const { run_id } = run.run;
    // The next turn may have begun to ask in this run, and ends it then.
    const following = turns.get(sessionId);
    const next = following && (await following.catch(() => undefined));
    if (next?.run.run.run_id === run_id) return;
    const end = endRun(client, run_id, error === undefined ? undefined : { error });
    const over = end.catch(() => {});
    ending.set(sessionId, over);
    await end;
  }

  /** In a folder whose settings OpenCode cannot read nothing waits. */
  function notLoaded(error: unknown): Request[] {
    if (!(error instanceof HttpRefusal)) throw error;
    onNotAsked(error);
    return [];
  }

  /** Requests that were made while no client of ours was connected, in every folder in which a tool waits. */
  async function catchUp(before: readonly AskView[]): Promise<void> {
    const folders = await api.waitingFolders();
    for (const folder of folders) for (const request of await api.requests(folder).catch(notLoaded)) receive(request);
    await receiving.settled();
    await Promise.all([...opened].map((requests) => requests.raised()));
    const isSettled = (ask: AskView) => !raised.has(ask.ask_id);
    for (const { ask_id, delivery } of signal.aborted ? [] : before.filter(isSettled))
      await withdrawAsk(settling(client), ask_id, delivery.attempts === 0 ? SETTLED : UNCONFIRMED);
  }

  const handle = route(
    ...requestEvents({ receive, settled }),
    on(
      'session.idle',
      SessionIdle,
      ({ directory, sessionID }) => void sessionEnded(directory, sessionID).catch(onNotAsked),
    ),
    on('session.error', SessionError, ({ directory, sessionID, error }) => {
      if (sessionID) void sessionEnded(directory, sessionID, failureText(error)).catch(onNotAsked);
    }),
    on(
      'session.deleted',
      SessionDeleted,
      ({ directory, info }) => void sessionEnded(directory, info.id, DELETED, DELETED).catch(onNotAsked),
    ),
    on('server.instance.disposed', FolderClosed, ({ directory }) => {
      for (const requests of opened)
        for (const { asked, ...request } of requests.open()) if (request.directory === directory) settled(asked.id);
    }),
  );
  try {
    const before = await unsettledAsksOf(client, attachedAt(machine));
    await api.events((type, properties) => {
      if (type !== 'server.connected') return handle(type, properties);
      onAttached();
      void catchUp(before).catch(onNotAsked);
    });
  } catch (error) {
    if (!signal.aborted) onUnreachable(connectionProblem(url, error));
  } finally {
    for (const requests of opened) requests.close();
  }
}
