// Binds all use cases to their ports. API layers hold a Gateway and never see a store.
import type { ClaimRun, Heartbeat } from '../core/bodies.ts';
import type { ConsultDelegate } from '../core/delegate.ts';
import type { EventFilter, Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import { releaseAsk, snoozeAsk, takeAsk } from './act.ts';
import { answerForRun, answerForSession } from './answer.ts';
import { approveForRun, approveForSession, approveForSessionRun } from './approve.ts';
import { originsOf, wantsOrigin } from './ask-origin.ts';
import { introduceOwnKey, listAuditKeys, rotateAuditKey } from './audit-key.ts';
import { showRows } from './audited-rows.ts';
import { cancelQuestion, cancelRun, interruptSession } from './cancel.ts';
import { cancelCall, isCallCancelled } from './cancelled-call.ts';
import { checkSecretKey } from './check-secret-key.ts';
import { signLog } from './checkpoint.ts';
import { keepLease, releaseLease } from './claim.ts';
import { clarify } from './clarify.ts';
import { comment } from './comment.ts';
import { createConsultation } from './delegate.ts';
import { acknowledge } from './deliver.ts';
import { dropDraft, saveDraft, showDraft } from './draft.ts';
import { type EventPage, eventPage } from './event-page.ts';
import { expireOverdue } from './expire.ts';
import { Feed, type Follower } from './feed.ts';
import { listGrants, previewGrant, revokeGrant } from './grant.ts';
import { sealOldHeads } from './head-seal.ts';
import { searchHistory } from './history.ts';
import * as inbox from './inbox.ts';
import { insights } from './insights.ts';
import { createLeaseGrace } from './lease-grace.ts';
import { acknowledgeMessage, failMessage } from './mailbox.ts';
import { postMessage } from './message.ts';
import type { Key } from './mutate.ts';
import { postToThread } from './post.ts';
import { type RaiseOptions, raiseAsk } from './raise.ts';
import * as records from './records.ts';
import { recoverWorker } from './recover.ts';
import { listRules, testRules } from './rule-sources.ts';
import { suggestRules } from './rule-suggestions.ts';
import { completeRun, failRun, postOutput, startRun } from './run.ts';
import { runActor } from './run-identity.ts';
import { showInput } from './run-input.ts';
import { seeAsk } from './see.ts';
import { createSession, endSession } from './session.ts';
import { offerSignIn, signIn } from './sign-in.ts';
import { deleteSkill, listSkills, publishSkill, replaceSkill, skillArchive } from './skill.ts';
import { skillActor } from './skill-identity.ts';
import { Sweep } from './sweep.ts';
import { listItems, threadOf } from './thread-items.ts';
import {
  checkStillGood,
  createToken,
  ensureSystemSession,
  isGood,
  presetToken,
  recordTokens,
  revokeToken,
  tokenOf,
} from './token.ts';
import { askView } from './views.ts';
import { type AskWait, waitForAsk, waitForPause, waitForWork } from './wait.ts';
import { withdraw } from './withdraw.ts';
import { isAskingSide } from './worker-rights.ts';

export interface GatewayOptions extends RaiseOptions {
  /** Decide approvals before they become pending; read again for each. */
  rules?: Ports['rules'];
  /** Without them, what rules delegate is asked. */
  delegates?: ConsultDelegate | undefined;
  /** No limit by default. */
  sessionBytesPerDay?: number | undefined;
  /** Grace for lapsed leases after this server was away (lease-grace.ts); one lease by default, 0 for none. */
  leaseGraceMs?: number | undefined;
  onError(error: unknown): void;
}

type Args<F> = F extends (ports: Ports, ...args: infer A) => unknown ? A : never;

export type Gateway = ReturnType<typeof createGateway>;

export function createGateway(given: Ports, options: GatewayOptions) {
  const { sessionBytesPerDay, rules } = options;
  const ports: Ports = { ...given, sessionBytesPerDay, ...(rules && { rules }) };
  const { store } = ports;
  const feed = new Feed(store);
  const grace = createLeaseGrace(options.leaseGraceMs);
  const sweep = new Sweep(ports, grace, options.onError);
  const consult = createConsultation(ports, options.delegates);
  const bind =
    <F extends (ports: Ports, ...args: never[]) => unknown>(verb: F) =>
    (...args: Args<F>): ReturnType<F> =>
      verb(ports, ...(args as never[])) as ReturnType<F>;

  return {
    /** Recovers from the previous process, then follows the log and the clock. */
    async start(lostWorkers: readonly string[] = []): Promise<void> {
      await ensureSystemSession(ports);
      await checkSecretKey(ports);
      await sealOldHeads(ports);
      await introduceOwnKey(ports);
      await recordTokens(ports);
      await expireOverdue(ports);
      for (const workerId of lostWorkers) await recoverWorker(ports, workerId);
      await feed.start();
      sweep.start();
    },
    async stop(): Promise<void> {
      await sweep.stop();
      await feed.stop();
    },
    /** Ends every long poll with the current state, so that a server that stops need not cut them off. */
    releaseWaiters: () => feed.release(),
    now: () => ports.clock.now(),
    /** The sweep does so every minute. */
    signLog: () => signLog(ports),
    rotateAuditKey: bind(rotateAuditKey),
    listAuditKeys: () => listAuditKeys(ports),
    /** For idempotency keys and fingerprints: keyed, because a body may hold a secret short enough to guess. */
    hash: ports.sealer.mac,

    createSession: bind(createSession),
    endSession: bind(endSession),
    interruptSession: bind(interruptSession),
    startRun: bind(startRun),
    postMessage: bind(postMessage),
    cancelRun: bind(cancelRun),
    postOutput: bind(postOutput),
    completeRun: bind(completeRun),
    failRun: bind(failRun),
    publishSkill: bind(publishSkill),
    replaceSkill: bind(replaceSkill),
    deleteSkill: bind(deleteSkill),
    listSkills: bind(listSkills),
    skillArchive: bind(skillArchive),
    skillActor: bind(skillActor),
    runActor: bind(runActor),
    async raiseAsk(command: Parameters<typeof raiseAsk>[2]) {
      const reply = await raiseAsk(ports, options, command);
      if (reply.created) consult(reply.view)?.catch(options.onError);
      return reply;
    },
    clarify: bind(clarify),
    answerForRun: bind(answerForRun),
    answerForSession: bind(answerForSession),
    approveForRun: bind(approveForRun),
    approveForSession: bind(approveForSession),
    approveForSessionRun: bind(approveForSessionRun),
    cancelQuestion: bind(cancelQuestion),
    withdraw: bind(withdraw),
    seeAsk: bind(seeAsk),
    comment: bind(comment),
    takeAsk: bind(takeAsk),
    releaseAsk: bind(releaseAsk),
    snoozeAsk: bind(snoozeAsk),
    postToThread: bind(postToThread),
    acknowledge: bind(acknowledge),
    cancelCall: bind(cancelCall),
    isCallCancelled: bind(isCallCancelled),
    acknowledgeMessage: bind(acknowledgeMessage),
    failMessage: bind(failMessage),
    keepLease: (runId: string, body: Heartbeat, key?: Key, actor?: Actor) =>
      keepLease(ports, grace, runId, body, key, actor),
    releaseLease: bind(releaseLease),
    listRules: bind(listRules),
    testRules: bind(testRules),
    suggestRules: bind(suggestRules),
    previewGrant: bind(previewGrant),
    listGrants: bind(listGrants),
    revokeGrant: bind(revokeGrant),
    createToken: bind(createToken),
    revokeToken: bind(revokeToken),
    presetToken: bind(presetToken),
    offerSignIn: bind(offerSignIn),
    signIn: bind(signIn),
    showDraft: bind(showDraft),
    saveDraft: bind(saveDraft),
    dropDraft: bind(dropDraft),
    tokenOf: bind(tokenOf),
    checkStillGood: (actor: Actor) => checkStillGood(ports, actor),
    isTokenGood: async (id: string) => {
      const token = await store.reader.get('token', id);
      return token !== undefined && isGood(token, ports.clock.now());
    },
    isGood: (token: Parameters<typeof isGood>[0]) => isGood(token, ports.clock.now()),

    showSession: bind(inbox.showSession),
    showRun: bind(inbox.showRun),
    showInput: bind(showInput),
    listSessions: bind(inbox.listSessions),
    showRows: bind(showRows),
    listRuns: bind(inbox.listRuns),
    listAsks: bind(inbox.listAsks),
    listPending: bind(inbox.listPending),
    listMessages: bind(inbox.listMessages),
    listItems: bind(listItems),
    threadOf: bind(threadOf),
    listTokens: bind(inbox.listTokens),
    searchHistory: bind(searchHistory),
    insights: bind(insights),
    counts: () => store.read((r) => r.counts()),

    /** The ask, once it has ended or the wait has timed out. Secret answers only for the side that asked. */
    async showAsk(id: string, actor: Actor, wait: number | AskWait = 0, signal?: AbortSignal, leaseEpoch?: number) {
      const { ms: waitMs, commentsRead } = typeof wait === 'number' ? { ms: wait } : wait;
      const load = () => inbox.loadAsk(ports, id);
      const ask = waitMs === 0 ? await load() : await waitForAsk(feed, id, { ms: waitMs, commentsRead }, load, signal);
      if (waitMs > 0) await checkStillGood(ports, actor);
      if (wantsOrigin(actor)) return askView(ask, undefined, await store.read((r) => originsOf(r)(ask)));
      const isAsker = await store.read((tx) =>
        isAskingSide({ tx, now: ports.clock.now() }, ask, { actor, leaseEpoch }),
      );
      return askView(ask, isAsker ? ports.sealer : undefined);
    },
    waitForWork(body: ClaimRun, signal?: AbortSignal, actor?: Actor) {
      const claimant = { actor, mayWork: async () => actor && checkStillGood(ports, actor) };
      return waitForWork(ports, feed, grace, body, claimant, signal);
    },
    waitForPause: (runId: string, ms: number) => waitForPause(feed, () => store.reader.get('run', runId), runId, ms),

    events: (filter: EventFilter, after: number, limit: number): Promise<EventPage> =>
      store.read((r) => eventPage(r, filter, after, limit)),
    lastSeq: () => store.read((r) => r.lastSeq()),
    follow: (follower: Follower, after: number) => feed.follow(follower, after),

    /** Whether the session has asked it: itself, or its parent by a clarification. */
    isAskOf: (askId: string, sessionId: string) => store.read((r) => inbox.isAskOf(r, askId, sessionId)),
    /** The session that a record belongs to, for callers that may see only one. */
    sessionOf: {
      session: (id: string) => store.read(async (r) => (await records.sessionRecord(r, id)).id),
      run: (id: string) => store.read(async (r) => (await records.runRecord(r, id)).sessionId),
      ask: (id: string) => store.read(async (r) => (await records.askRecord(r, id)).sessionId),
      thread: (id: string) => store.read((r) => records.sessionOfThread(r, id)),
    },
  };
}
