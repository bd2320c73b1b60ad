// Codex, driven by its app-server: one process for each run, one of its threads for each session. Owns the order of
// steps: start, begin or resume the thread, one turn for the input, and carrying what Codex asks to a person and back.
// If the process dies with an ask open the run is held; with the answer it is taken up again in the same thread.
import type { z } from 'zod';
import { hasEnded } from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext, Ending, LineProcess, ProcessExit } from '../agent.ts';
import { goingOn } from '../kit/inherited-settings.ts';
import { canBeTakenUp } from '../kit/restart-limit.ts';
import { carriedText, createStanding } from '../kit/resume-message.ts';
import { createPeer, type Peer } from '../wire/json-rpc.ts';
import { withSkills } from '../workspace/skills.ts';
import { folderProblem, realFolder } from '../workspace/work-folder.ts';
import { createUnderWay } from './active-items.ts';
import { settingsInForce } from './effective-settings.ts';
import { configuredFor } from './folder-config.ts';
import { type CodexSpec, readCodexInput } from './input.ts';
import { createLineage } from './lineage.ts';
import { begun, done } from './outputs.ts';
import { program } from './program.ts';
import { CLIENT, ItemNotice, Resolved, ThreadClosed, ThreadReply, TurnNotice, TurnReply } from './protocol.ts';
import { askTool } from './questions.ts';
import { createRecorder, type Recorder, THREAD } from './recorder.ts';
import { createDesk, type Desk } from './requests.ts';
import { createTranscripts, type Transcripts } from './transcripts.ts';
import { createTurns, type Turns } from './turns.ts';
import { keepAllowed } from './unused-approvals.ts';

/** Where Codex looks for skills in its workspace. */
const SKILLS = '.agents/skills';
/** Who decides what Codex asks for; the person's own configuration may have given that to a model. */
const A_PERSON = 'user';
const LAST_WORDS_MS = 3000;
const NOT_FOUND = 127;

export async function runCodex(context: AgentContext): Promise<Ending> {
  const { input, carried } = await goingOn(context, (before) => !('problem' in readCodexInput(before)));
  const spec = readCodexInput(input, carried);
  if ('problem' in spec) return { ended: 'failed', error: spec.problem, reason: 'worker-failed' };
  const problem = await folderProblem(context.session.work_folder);
  if (problem) return { ended: 'failed', error: problem, reason: 'worker-failed' };
  return withSkills(context, spec.skills, SKILLS, () => converse(context, spec));
}

const markOf = ({ run }: AgentContext): string => `HOLDPOINT_RUN_ID=${run.run_id}`;

async function converse(context: AgentContext, spec: CodexSpec): Promise<Ending> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  let talk: LineProcess | undefined;
  const peer = createPeer({
    send: (line) => talk?.send(line),
    onRequest: (request) => void desk.take(request),
    onNotification: notice,
  });
  const thread = { id: '' };
  const lineage = createLineage(peer);
  const lineageOf = (threadId: string) => lineage.of(threadId, thread.id);
  const turns = createTurns();
  const underWay = createUnderWay(peer);
  const transcripts = createTranscripts();
  const recorder = createRecorder(context, lineageOf);
  const standing = createStanding();
  const desk = createDesk({ context, peer, standing, underWay, transcripts, lineageOf, over: context.signal });

  function notice(method: string, params: unknown): void {
    if (method === 'item/started' || method === 'item/completed') {
      const read = ItemNotice.safeParse(params);
      if (read.success) item(read.data, method === 'item/completed');
    } else if (method === 'serverRequest/resolved') {
      const read = Resolved.safeParse(params);
      if (read.success) desk.resolved(read.data.requestId);
    } else if (method === 'turn/started') {
      const read = TurnNotice.safeParse(params);
      if (read.success) turns.started(read.data.threadId, read.data.turn.id);
    } else if (method === 'turn/completed') {
      const read = TurnNotice.safeParse(params);
      if (!read.success) return;
      underWay.over(read.data.threadId);
      void desk.turnOver(read.data.turn.id);
      turns.completed(read.data.turn);
    } else if (method === 'thread/closed') {
      const read = ThreadClosed.safeParse(params);
      if (read.success) turns.closed(read.data.threadId);
    }
  }

  function item(about: z.infer<typeof ItemNotice>, isOver: boolean): void {
    underWay.see(about, isOver);
    if (isOver) desk.ended(about);
    recorder.say((isOver ? done : begun)(about.item, about.turnId), about.threadId);
  }

  talk = await context.processes.start({
    argv: ['codex', 'app-server'],
    folder: context.session.work_folder as string,
    env: { ...context.env, HOLDPOINT_RUN_ID: context.run.run_id },
    mark: markOf(context),
    signal,
    onStart: async () => {},
    onLine: peer.receive,
  });
  const { ended } = talk;
  void talk.exited.then(() => desk.close());
  const died = ended.then((exit) => {
    const error = new Gone(exit);
    peer.close(error);
    turns.fail(error);
    throw error;
  });
  died.catch(() => {});
  try {
    const ending = await Promise.race([
      work(context, spec, { peer, desk, turns, recorder, transcripts, thread }),
      died,
    ]);
    await Promise.all([recorder.flush(), desk.told()]);
    return ending;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Gone)) throw error;
    await Promise.all([recorder.flush(), desk.told()]);
    if (desk.owes() && (await canBeTakenUp(context, 'codex', error.message))) return { ended: 'held' };
    return { ended: 'failed', error: error.message, reason: 'provider-failed' };
  } finally {
    talk.closeInput();
    const limit = setTimeout(() => stop.abort(), LAST_WORDS_MS);
    await ended.catch(() => {});
    clearTimeout(limit);
  }
}

/** The process has ended although it was still needed. */
class Gone extends Error {
  constructor({ exitCode, signal, stderr }: ProcessExit) {
    const last = stderr.trim().split('\n').at(-1)?.slice(0, 500);
    super(
      exitCode === NOT_FOUND
        ? `Codex is not installed on the machine of this worker, or not in its PATH: ${program.install}`
        : `Codex ended in the middle of its work (${signal ?? `exit code ${exitCode}`})${last ? `: ${last}` : '.'}`,
    );
    this.name = 'Gone';
  }
}

interface Parts {
  peer: Peer;
  desk: Desk;
  turns: Turns;
  recorder: Recorder;
  transcripts: Transcripts;
  /** The thread of the conversation, once it is open. */
  thread: { id: string };
}

async function work(context: AgentContext, spec: CodexSpec, parts: Parts): Promise<Ending> {
  const { peer, desk, turns, recorder, transcripts, thread } = parts;
  await peer.request('initialize', { clientInfo: CLIENT, capabilities: { experimentalApi: true } });
  peer.notify('initialized');
  const { id: threadId, collaborationMode, wasToldOf } = await openThread(context, spec, peer, transcripts);
  thread.id = threadId;
  await recorder.follow(threadId);
  let input = spec.text;
  let messageId = context.run.run_id;
  let said = async () => {};
  if (wasToldOf) {
    input = await takeUp(context, (due) => keepAllowed(due, threadId, desk.standing, transcripts));
    said = () => acknowledgeAll(context);
    messageId = `${context.run.run_id}:${crypto.randomUUID()}`;
  }
  for (;;) {
    const started = await peer.request('turn/start', {
      threadId,
      clientUserMessageId: messageId,
      input: [{ type: 'text', text: input }],
      ...(collaborationMode && { collaborationMode }),
    });
    const { turn } = TurnReply.parse(started);
    await said();
    const end = await turns.endOf(turn.id);
    if (end.status === 'failed')
      return { ended: 'failed', error: end.error?.message ?? 'The turn failed.', reason: 'provider-failed' };
    if (end.status !== 'completed')
      return { ended: 'failed', error: `Codex ended the turn as ${end.status}.`, reason: 'provider-failed' };
    await turns.allOver();
    const more = await desk.unsaid();
    if (more === undefined) return { ended: 'completed', text: recorder.lastMessage() };
    input = more.text;
    said = more.said;
    messageId = crypto.randomUUID();
  }
}

/** The thread of this session, begun or loaded again; and whether this run's input was already told in it. */
async function openThread(context: AgentContext, spec: CodexSpec, peer: Peer, transcripts: Transcripts) {
  const folder = await realFolder(context.session.work_folder as string);
  const known = await context.recall(THREAD);
  const configured = () => configuredFor(spec, folder, peer);
  if (typeof known?.thread_id !== 'string') {
    const settings = spec.atMost
      ? (await settingsInForce(spec, await configured(), peer)).settings
      : { ...spec.settings, ...(spec.trustsFolder !== undefined && { config: (await configured()).config }) };
    const ours = { approvalsReviewer: A_PERSON, dynamicTools: [askTool] };
    const begun = await peer.request('thread/start', { ...settings, ...ours });
    transcripts.know(begun);
    const { thread, model } = ThreadReply.parse(begun);
    const collaborationMode = spec.mode === 'plan' ? modeOf(spec, model, null) : undefined;
    return { id: thread.id, collaborationMode, wasToldOf: false };
  }
  const { settings, reasoningEffort } = await settingsInForce(spec, await configured(), peer);
  const place = { cwd: folder, approvalsReviewer: A_PERSON };
  const resumed = await peer.request('thread/resume', { threadId: known.thread_id, ...place, ...settings });
  transcripts.know(resumed);
  const { thread, model } = ThreadReply.parse(resumed);
  const items = thread.turns.flatMap((turn) => turn.items);
  const wasToldOf =
    context.resumed && items.some(({ type, clientId }) => type === 'userMessage' && clientId === context.run.run_id);
  return { id: thread.id, collaborationMode: modeOf(spec, model, reasoningEffort), wasToldOf };
}

/** A thread stays in the mode of its last turn until it is told another. */
const modeOf = ({ mode }: CodexSpec, model: string | null | undefined, reasoningEffort: string | null) => ({
  mode,
  settings: { model, reasoning_effort: mode === 'plan' ? null : reasoningEffort, developer_instructions: null },
});

/** What to tell Codex, which has no memory of the process that died: what was decided since, and what it may have missed. */
async function takeUp(context: AgentContext, keep: (due: AskView[]) => Promise<void>): Promise<string> {
  // What was on its way to the process that died may have arrived there: that is no news, and allows nothing once more.
  const due = context.due.filter((ask) => hasEnded(ask) && ask.delivery.attempts === 0);
  const dueIds = new Set(due.map((ask) => ask.ask_id));
  const ofRun = (await context.history()).filter(({ run_id }) => run_id === context.run.run_id);
  const heard = ofRun.filter((ask) => hasEnded(ask) && !dueIds.has(ask.ask_id));
  await keep(due);
  return carriedText(due, heard);
}

async function acknowledgeAll(context: AgentContext): Promise<void> {
  for (const { ask_id } of context.due as readonly AskView[]) await context.acknowledge(ask_id);
}
