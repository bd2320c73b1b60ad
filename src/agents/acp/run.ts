// Runs any program that speaks ACP as a managed run: one process per run, one ACP session per Holdpoint session, one prompt
// for the input and one more for what the replies to its requests could not say. Owns the order of these steps. If the
// process ends with an ask open, the run is held and resumed in the same session once it is answered.
import { type ClientApp, type ClientContext, client, RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { AskView } from '../../core/views.ts';
import { type AgentContext, type Ending, isLeaving } from '../agent.ts';
import { resolveInput } from '../kit/inherited-settings.ts';
import { escapeMentions } from '../kit/mention-escape.ts';
import { mayRestart } from '../kit/restart-limit.ts';
import { resumption } from '../kit/resume-message.ts';
import type { StartStep } from '../kit/start-limit.ts';
import { UnexpectedExit } from '../kit/unexpected-exit.ts';
import { createUnusedApprovals, type UnusedApprovals } from '../kit/unused-approvals.ts';
import { folderProblem, realFolder } from '../workspace/work-folder.ts';
import { CANCELLED, isAllowance } from './asks.ts';
import { type ClientTools, createClientTools, offeredBy } from './client-tools.ts';
import { type AcpSpec, readAcpInput } from './input.ts';
import { launch } from './launch.ts';
import { createOutputs } from './outputs.ts';
import { type Quirks, quirksOf } from './quirks.ts';
import { createRequests } from './requests.ts';
import { AgentProblem, initialize, openSession, refusalText, sessionData } from './session.ts';
import { createSideQuestions } from './side-questions.ts';

export async function runAcp(context: AgentContext): Promise<Ending> {
  const { input, inherited } = await resolveInput(context, (before) => !('problem' in readAcpInput(before)));
  const spec = readAcpInput(input, inherited);
  if ('problem' in spec) return { ended: 'failed', error: spec.problem, reason: 'worker-failed' };
  const { work_folder } = context.session;
  const problem = await folderProblem(work_folder);
  if (problem) return { ended: 'failed', error: problem, reason: 'worker-failed' };
  return runProcess(context, spec, await realFolder(work_folder as string));
}

async function runProcess(context: AgentContext, spec: AcpSpec, folder: string): Promise<Ending> {
  const { signal } = context;
  const unusedApprovals = createUnusedApprovals();
  const { run_id } = context.run;
  const known = context.resumed ? (await context.history()).filter((ask) => ask.run_id === run_id) : [];
  const offered = offeredBy(await context.toolRules());
  const tools = createClientTools(context, folder);
  const conversation = createConversation(context, spec, { known, unusedApprovals, offered, tools });
  const { app, outputs, requests } = conversation;
  const onExit = () => {
    requests.close();
    void tools.close();
  };
  const program = await launch(context, spec, folder, { app, onExit });
  void conversation.isWorking.then(program.startLimit.lift);
  const turns = conversation.run(program.agent, folder, program.startLimit.step);
  turns.catch(() => {});
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  const recorded = () => Promise.all([outputs.flush(), requests.recorded()]);
  try {
    signal.throwIfAborted();
    const ending = await Promise.race([turns, program.failure, aborted]);
    await recorded();
    return ending;
  } catch (error) {
    if (signal.aborted && !isLeaving(signal)) conversation.cancel();
    signal.throwIfAborted();
    const cause = await program.exitOf(error);
    if (cause instanceof AgentProblem) return { ended: 'failed', error: cause.message, reason: 'worker-failed' };
    if (cause instanceof RequestError) return failed(`${spec.title}: ${refusalText(cause)}`);
    if (!(cause instanceof UnexpectedExit)) throw cause;
    await recorded();
    if (requests.hasUnanswered() && (await mayRestart(context, 'acp', cause.message))) return { ended: 'held' };
    return failed(cause.message);
  } finally {
    await program.stop(turns);
    await tools.close();
  }
}

const failed = (error: string): Ending => ({ ended: 'failed', error, reason: 'provider-failed' });

interface ConversationParts {
  /** The asks of the run from before its process was restarted. */
  known: readonly AskView[];
  unusedApprovals: UnusedApprovals;
  offered: ReturnType<typeof offeredBy>;
  tools: ClientTools;
}

/** The conversation with the process: what it asks and reports, and its turns. */
function createConversation(context: AgentContext, spec: AcpSpec, parts: ConversationParts) {
  const { known, unusedApprovals, offered, tools } = parts;
  const outputs = createOutputs(context);
  let quirks: Quirks = {};
  const { title } = spec;
  const { signal } = context;
  const sideQuestions = createSideQuestions();
  const { explain, isFork } = sideQuestions;
  let session: { agent: ClientContext; id: string } | undefined;
  const asking = { context, unusedApprovals, known, title, quirks: () => quirks, explain, signal };
  const requests = createRequests({ ...asking, sessionId: () => session?.id });
  const { promise: isWorking, resolve: works } = Promise.withResolvers<void>();

  const app = client({ name: 'holdpoint' })
    .onRequest('session/request_permission', async (received) => {
      if (isFork(received.params.sessionId)) return CANCELLED;
      works();
      const reply = await requests.permission(received);
      if (isAllowance(received.params.options, reply)) tools.granted(received.params);
      return reply;
    })
    .onRequest('elicitation/create', async (received) => {
      const { params } = received;
      if ('sessionId' in params && isFork(String(params.sessionId))) return { action: 'cancel' };
      works();
      return requests.elicitation(received);
    })
    .onNotification('session/update', ({ params: { sessionId, update } }) => {
      // A session that is loaded is reported once more from its beginning.
      if (sessionId !== session?.id) return sideQuestions.update(sessionId, update);
      works();
      if (update.sessionUpdate === 'tool_call_update') {
        const isOver = update.status === 'completed' || update.status === 'failed';
        requests.reported(update.toolCallId, isOver);
        if (isOver) tools.callEnded(update.toolCallId);
      }
      outputs.update(update);
    });
  serve(app, offered, tools, { isFork, quirks: () => quirks });

  async function run(agent: ClientContext, folder: string, step: StartStep): Promise<Ending> {
    const initialized = await initialize(agent, spec, offered, step);
    quirks = quirksOf(initialized.agentInfo?.name);
    const opened = await openSession(context, agent, spec, initialized, folder, step);
    const sessionId = opened.id;
    session = { agent, id: sessionId };
    sideQuestions.follow(agent, initialized, opened, folder);
    const resumed = context.resumed ? await resumption(context) : undefined;
    for (const ask of resumed?.due ?? [])
      if (ask.kind === 'approval' && !ask.answer?.updated_input) unusedApprovals.addAnswered(ask, ask.request.diff);
    await outputs.follow(sessionData(spec, sessionId));
    void isWorking.then(() => resumed?.onSent()).catch(() => {});
    // Whether the prompt of the process before had arrived is not known, so the task is repeated.
    let text = resumed ? `${spec.text}\n\n${resumed.text}` : spec.text;
    for (;;) {
      const { stopReason } = await agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text }],
      });
      works();
      outputs.endTurn();
      requests.turnEnded();
      const notes = requests.takeNotes();
      if (notes.length === 0) return endingOf(stopReason, spec, outputs.lastMessage());
      text = escapeMentions([DECIDED, ...notes, GO_ON].join('\n\n'));
    }
  }

  return {
    app,
    outputs,
    requests,
    run,
    /** Resolves when the agent has asked or reported something. */
    isWorking,
    /** Has the agent stop at once. What it has asked is answered with `cancelled`. */
    cancel(): void {
      if (session) void session.agent.notify('session/cancel', { sessionId: session.id }).catch(() => {});
    },
  };
}

/** What is not offered is refused as a method that does not exist. */
function serve(
  app: ClientApp,
  { fs, terminal }: ReturnType<typeof offeredBy>,
  tools: ClientTools,
  { isFork, quirks }: { isFork(sessionId: string): boolean; quirks(): Quirks },
): void {
  /** A fork replies to a comment, and does nothing else. */
  const own = <T extends { sessionId: string }>(params: T): T => {
    if (isFork(params.sessionId)) throw RequestError.invalidRequest('Only reply, and use no tool.');
    return params;
  };
  if (fs.readTextFile) app.onRequest('fs/read_text_file', ({ params }) => tools.readTextFile(own(params), quirks()));
  if (fs.writeTextFile) app.onRequest('fs/write_text_file', ({ params }) => tools.writeTextFile(own(params)));
  if (!terminal) return;
  const { output, waitForExit, kill, release } = tools.terminals;
  app
    .onRequest('terminal/create', ({ params }) => tools.createTerminal(own(params)))
    .onRequest('terminal/output', ({ params }) => output(params))
    .onRequest('terminal/wait_for_exit', ({ params }) => waitForExit(params))
    .onRequest('terminal/kill', ({ params }) => kill(params))
    .onRequest('terminal/release', ({ params }) => release(params));
}

const DECIDED = 'Meanwhile the person decided about what you had asked. You could not be told at once:';
const GO_ON = 'Take this into account, and go on with the task if it is not done.';

function endingOf(stopReason: StopReason, { title }: AcpSpec, text: string | undefined): Ending {
  if (stopReason === 'end_turn') return { ended: 'completed', text };
  return failed(`${title} ended its turn before the task was done (${stopReason}).`);
}
