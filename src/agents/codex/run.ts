// Runs Codex as a managed run: one `codex app-server` process per run, one thread per session, one turn for the input and
// one more for each message that the turn before did not take. Owns the process and the order of these steps. If the
// process ends with an ask open, the run is held and resumed in the same thread once it is answered.
import type { AgentContext, Ending, LineProcess } from '../agent.ts';
import { resolveInput } from '../kit/inherited-settings.ts';
import { createModelOutage } from '../kit/model-outage.ts';
import { mayRestart } from '../kit/restart-limit.ts';
import { createStartLimit, type StartStep } from '../kit/start-limit.ts';
import { UnexpectedExit } from '../kit/unexpected-exit.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { createPeer, on, route } from '../wire/json-rpc.ts';
import { withSkills } from '../workspace/skills.ts';
import { folderProblem } from '../workspace/work-folder.ts';
import { createActiveItems } from './active-items.ts';
import { type CodexSpec, readCodexInput } from './input.ts';
import { createLineageOf } from './lineage.ts';
import { createOutputs } from './outputs.ts';
import { program } from './program.ts';
import { ErrorNotice, ItemNotice, initialize, Resolved, ThreadClosed, TurnNotice, TurnReply } from './protocol.ts';
import { createRequests } from './requests.ts';
import { resumeTurn } from './resume.ts';
import { createRollouts } from './rollouts.ts';
import { withLimits } from './rules.ts';
import { createSideQuestions } from './side-questions.ts';
import { openThread } from './thread.ts';
import { createTurns } from './turns.ts';

/** Where Codex looks for skills in its work folder. */
const SKILLS = '.agents/skills';
const EXIT_WITHIN_MS = 3000;

export async function runCodex(context: AgentContext): Promise<Ending> {
  const { input, inherited } = await resolveInput(context, (before) => !('problem' in readCodexInput(before)));
  const spec = readCodexInput(input, inherited);
  if ('problem' in spec) return { ended: 'failed', error: spec.problem, reason: 'worker-failed' };
  const problem = await folderProblem(context.session.work_folder);
  if (problem) return { ended: 'failed', error: problem, reason: 'worker-failed' };
  const limited = withLimits(spec, await context.toolRules());
  return withSkills(context, spec.skills, SKILLS, () => runProcess(context, limited));
}

async function runProcess(context: AgentContext, spec: CodexSpec): Promise<Ending> {
  const { signal, run } = context;
  const stop = new AbortController();
  let codex: LineProcess | undefined;
  const connection = connect(
    context,
    (line) => codex?.send(line),
    () => startLimit.lift(),
  );
  const { peer, requests, turns, outputs } = connection;
  const argv = ['codex', 'app-server'];
  const startLimit = createStartLimit(context, { title: 'Codex', install: program.install, argv }, () => stop.abort());
  codex = await context.processes.start({
    argv,
    folder: context.session.work_folder as string,
    env: { ...context.env, HOLDPOINT_RUN_ID: run.run_id },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    signal: AbortSignal.any([signal, stop.signal]),
    onLine: (line) => {
      startLimit.heard(line);
      peer.receive(line);
    },
  });
  const { ended } = codex;
  void codex.exited.then(() => requests.close());
  const failure = ended.then((exit): never => {
    const error = startLimit.errorOf(exit);
    peer.close(error);
    turns.fail(error);
    throw error;
  });
  failure.catch(() => {});
  const recorded = () => Promise.all([outputs.flush(), requests.deliveriesRecorded()]);
  try {
    const ending = await Promise.race([runTurns(context, spec, connection, startLimit.step), failure]);
    await recorded();
    return ending;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnexpectedExit)) throw error;
    await recorded();
    if (requests.hasUnanswered() && (await mayRestart(context, 'codex', error.message))) return { ended: 'held' };
    return failed(error.message);
  } finally {
    codex.closeInput();
    const limit = setTimeout(() => stop.abort(), EXIT_WITHIN_MS);
    await ended.catch(() => {});
    clearTimeout(limit);
  }
}

type Connection = ReturnType<typeof connect>;

/** The JSON-RPC connection to the process, and what is known of its threads, turns, items and requests. */
function connect(context: AgentContext, send: (line: string) => void, onAsked: () => void) {
  const peer = createPeer({
    send,
    onRequest: (request) => {
      onAsked();
      if (!sideQuestions.refuses(request)) void requests.receive(request);
    },
    onNotification: (method, params) => received(method, params),
  });
  const sideQuestions = createSideQuestions(peer);
  const received = sideQuestions.without(
    route(
      on('error', ErrorNotice, ({ willRetry, error: { message, additionalDetails } }) => {
        if (willRetry) modelOutage.retried(additionalDetails || message);
      }),
      on('item/started', ItemNotice, (notice) => {
        if (notice.item.type !== 'userMessage') modelOutage.responded();
        activeItems.started(notice);
        outputs.started(notice);
      }),
      on('item/completed', ItemNotice, (notice) => {
        activeItems.completed(notice);
        requests.itemCompleted(notice);
        outputs.completed(notice);
      }),
      on('serverRequest/resolved', Resolved, ({ requestId }) => requests.resolved(requestId)),
      on('turn/started', TurnNotice, ({ threadId, turn }) => turns.started(threadId, turn.id)),
      on('turn/completed', TurnNotice, ({ threadId, turn }) => {
        activeItems.turnCompleted(threadId);
        void requests.turnCompleted(turn.id);
        turns.completed(turn);
      }),
      on('thread/closed', ThreadClosed, ({ threadId }) => turns.threadClosed(threadId)),
    ),
  );
  /** The thread of the conversation, once it is open. */
  const thread = { id: '' };
  const lineageIn = createLineageOf(peer);
  const lineageOf = (threadId: string) => lineageIn(threadId, thread.id);
  const turns = createTurns();
  const activeItems = createActiveItems(peer);
  const rollouts = createRollouts();
  const outputs = createOutputs(context, lineageOf);
  const modelOutage = createModelOutage(outputs.status);
  const unusedApprovals = createUnusedApprovals();
  const { signal } = context;
  const known = { unusedApprovals, activeItems, rollouts, sideQuestions, lineageOf };
  const requests = createRequests({ context, peer, ...known, signal });
  return { peer, thread, turns, rollouts, outputs, unusedApprovals, requests };
}

const failed = (error: string): Ending => ({ ended: 'failed', error, reason: 'provider-failed' });

async function runTurns(
  context: AgentContext,
  spec: CodexSpec,
  connection: Connection,
  step: StartStep,
): Promise<Ending> {
  const { peer, thread, turns, rollouts, outputs, unusedApprovals, requests } = connection;
  const { run_id: runId } = context.run;
  const starting = { ...peer, request: (method: string, params: unknown) => step(peer.request(method, params)) };
  await initialize(starting);
  const { id: threadId, collaborationMode, hasInput } = await openThread(context, spec, starting, rollouts);
  thread.id = threadId;
  await outputs.follow(threadId);
  let next = hasInput
    ? { id: `${runId}:${crypto.randomUUID()}`, ...(await resumeTurn(context, threadId, unusedApprovals, rollouts)) }
    : { id: runId, text: spec.text, onSent: async () => {} };
  for (;;) {
    const started = await peer.request('turn/start', {
      threadId,
      clientUserMessageId: next.id,
      input: [{ type: 'text', text: next.text }],
      ...(collaborationMode && { collaborationMode }),
    });
    const { turn } = TurnReply.parse(started);
    await next.onSent();
    const end = await turns.endOf(turn.id);
    if (end.status === 'failed') return failed(end.error?.message ?? 'The turn failed.');
    if (end.status !== 'completed') return failed(`Codex ended the turn as ${end.status}.`);
    await turns.allEnded();
    const unsent = await requests.unsentMessages();
    if (!unsent) return { ended: 'completed', text: outputs.lastMessage() };
    next = { id: crypto.randomUUID(), ...unsent };
  }
}
