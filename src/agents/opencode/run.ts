// Runs OpenCode as a managed run: one `opencode serve` process per run, one session of it per Holdpoint session, one prompt
// per process. Owns the order of these steps. If the process ends with an ask open, the run is held and resumed in the
// same session once it is answered.
import type { AgentContext, Ending } from '../agent.ts';
import { resolveInput } from '../kit/inherited-settings.ts';
import { createModelOutage } from '../kit/model-outage.ts';
import { mayRestart } from '../kit/restart-limit.ts';
import { UnexpectedExit } from '../kit/unexpected-exit.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { HttpRefusal } from '../wire/http-peer.ts';
import { on, route } from '../wire/json-rpc.ts';
import { withSkills } from '../workspace/skills.ts';
import { folderProblem, realFolder } from '../workspace/work-folder.ts';
import type { Api } from './api.ts';
import { modelOf, type OpencodeSpec, readOpencodeInput } from './input.ts';
import { launch } from './launch.ts';
import { createOutputs, SESSION } from './outputs.ts';
import {
  failureText,
  type Message,
  MessageUpdated,
  PartUpdated,
  type Session,
  SessionCreated,
  SessionError,
  SessionIdle,
  SessionStatus,
} from './protocol.ts';
import { createRequests, requestEvents } from './requests.ts';
import { resumePrompt } from './resume.ts';
import { createSessionTree } from './session-tree.ts';

/** Where OpenCode looks for skills in its work folder. */
const SKILLS = '.opencode/skills';
/** Marks the prompts of a run in OpenCode's own record of the session. */
const RUN = 'holdpoint_run';
const RECONNECT_MS = 200;
const EXIT_WITHIN_MS = 2000;

export async function runOpencode(context: AgentContext): Promise<Ending> {
  const { input, inherited } = await resolveInput(context, (before) => !('problem' in readOpencodeInput(before)));
  const spec = readOpencodeInput(input, inherited);
  if ('problem' in spec) return { ended: 'failed', error: spec.problem, reason: 'worker-failed' };
  const { work_folder } = context.session;
  const problem = await folderProblem(work_folder);
  if (problem) return { ended: 'failed', error: problem, reason: 'worker-failed' };
  const folder = await realFolder(work_folder as string);
  return withSkills(context, spec.skills, SKILLS, () => runProcess(context, spec, folder));
}

async function runProcess(context: AgentContext, spec: OpencodeSpec, folder: string): Promise<Ending> {
  const server = await launch(context, spec, folder).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (error instanceof UnexpectedExit) return error;
    throw error;
  });
  if (server instanceof UnexpectedExit) return failed(server.message);
  const { exited, failure, stop } = server;
  const turn = createTurn(context, server, folder);
  const { requests, outputs } = turn;
  void exited.then(() => requests.close());
  const recorded = () => Promise.all([outputs.flush(), requests.recorded()]);
  try {
    const ending = await Promise.race([turn.run(spec), failure]);
    await recorded();
    return ending;
  } catch (error) {
    context.signal.throwIfAborted();
    const cause = error instanceof UnexpectedExit ? error : await exitBehind(error, failure);
    if (!(cause instanceof UnexpectedExit)) throw cause;
    await recorded();
    if (requests.hasUnanswered() && (await mayRestart(context, 'opencode', cause.message))) return { ended: 'held' };
    return failed(cause.message);
  } finally {
    await stop();
  }
}

/** A request that fails because the process has ended fails a moment before that end is known. */
const exitBehind = (error: unknown, failure: Promise<never>): Promise<unknown> =>
  Promise.race([
    failure.catch((exit: unknown) => exit),
    new Promise((resolve) => setTimeout(resolve, EXIT_WITHIN_MS, error)),
  ]);

const failed = (error: string): Ending => ({ ended: 'failed', error, reason: 'provider-failed' });

/** The conversation with the process: what it asks and says, and how its one turn ends. */
function createTurn(context: AgentContext, { api, isGone }: { api: Api; isGone(): boolean }, folder: string) {
  const { signal } = context;
  const tree = createSessionTree(api);
  const lineageOf = async (sessionId: string) => (await tree.placeOf(folder, sessionId)).lineage;
  const outputs = createOutputs(context, async (sessionId) => (await lineageOf(sessionId)).at(-1));
  const modelOutage = createModelOutage(outputs.status);
  const unusedApprovals = createUnusedApprovals();
  const requests = createRequests({
    context,
    api,
    unusedApprovals,
    lineageOf: ({ asked }) => lineageOf(asked.sessionID),
    signal,
  });
  const over = Promise.withResolvers<Ending>();
  let root: string | undefined;
  let isPrompted = false;
  /** Sessions that are neither the conversation nor a sub-agent of it: what they say is no output of the run. */
  const others = new Set<string>();
  /** An error that ends the turn, unless another message of the model follows it. */
  let problem: Ending | undefined;
  let modelMessage = '';
  let first: Ending | undefined;

  const receive = route(
    ...requestEvents(requests),
    on('session.created', SessionCreated, ({ info }) => {
      if (root !== undefined && !info.parentID && info.id !== root) others.add(info.id);
    }),
    on('message.updated', MessageUpdated, ({ info }) => {
      outputs.message(info);
      // Ids ascend; an earlier message may change once more.
      if (info.sessionID !== root || info.role !== 'assistant' || info.id <= modelMessage) return;
      modelMessage = info.id;
      problem = undefined;
    }),
    on('message.part.updated', PartUpdated, ({ part }) => {
      if (others.has(part.sessionID)) return;
      modelOutage.responded();
      outputs.part(part);
    }),
    on('session.status', SessionStatus, ({ status: { type, message } }) => {
      if (type === 'retry') modelOutage.retried(message ?? '');
    }),
    on('session.error', SessionError, ({ sessionID, error }) => {
      if (sessionID === root) void failedWith(failureText(error));
    }),
    on('session.idle', SessionIdle, ({ sessionID }) => void sessionIdle(sessionID)),
  );

  async function sessionIdle(sessionId: string): Promise<void> {
    if (sessionId !== root) return requests.sessionEnded(sessionId);
    if (isPrompted) await end(problem ?? { ended: 'completed', text: outputs.lastMessage() });
  }

  /** OpenCode also reports an error that it recovers from: it shortens a conversation that has become too long, and goes on. */
  async function failedWith(error: string): Promise<void> {
    problem = failed(error);
    await requests.turnEnded();
    if (!(await api.isBusy(folder, root as string).catch(() => false))) await end(problem);
  }

  /** Rejects what the conversation and its sub-agents still ask: OpenCode would act on an allow after the turn. */
  async function end(ending: Ending): Promise<void> {
    first ??= ending;
    await requests.turnEnded();
    over.resolve(first);
  }

  /** Follows the events until the turn is over, and reads what was missed whenever the connection was lost. */
  async function follow(isOpen: () => void): Promise<never> {
    for (let isFirst = true; ; isFirst = false) {
      const following = api.events((type, properties) => {
        if (type === 'server.connected') void catchUp().then(isOpen, over.reject);
        else receive(type, properties);
      });
      // Later it is out of reach for a moment, unless it is gone.
      await following.catch((error: unknown) => {
        if (isFirst || isGone()) throw error;
      });
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }

  async function catchUp(): Promise<void> {
    const before = requests.open();
    const listed = await api.requests(folder);
    const ids = new Set(listed.map(({ asked }) => asked.id));
    for (const { asked } of before) if (!ids.has(asked.id)) requests.settled(asked.id);
    for (const request of listed) requests.receive(request);
    if (root === undefined || !isPrompted) return;
    const messages = sinceLastPrompt(await api.messages(folder, root));
    for (const part of messages.flatMap(({ parts }) => parts)) outputs.part(part);
    if (await api.isBusy(folder, root)) return;
    const error = messages.at(-1)?.info.error;
    await (error ? end(failed(failureText(error))) : sessionIdle(root));
  }

  /** Resolves with the end of the turn. */
  async function run(spec: OpencodeSpec): Promise<Ending> {
    await new Promise<void>((isOpen, fail) => void follow(isOpen).catch(fail));
    const session = await openSession(context, api, folder);
    root = session.id;
    await outputs.follow(root);
    const messages = context.resumed ? await api.messages(folder, root) : [];
    const isResumed = messages.some(isPromptOf(context));
    const { text, onSent } = isResumed
      ? await resumePrompt(context, unusedApprovals)
      : { text: spec.text, onSent: async () => {} };
    const model = modelOf(spec);
    isPrompted = true;
    await api.prompt(folder, root, {
      parts: [{ type: 'text', text, metadata: { [RUN]: context.run.run_id } }],
      ...(model && { model }),
      ...(spec.agent && { agent: spec.agent }),
    });
    await onSent();
    return over.promise;
  }

  return { run, requests, outputs };
}

/** The session of an earlier run, unless it was deleted in OpenCode; otherwise a new one. */
async function openSession(context: AgentContext, api: Api, folder: string): Promise<Session> {
  const known = await context.recall(SESSION);
  if (typeof known?.session_id === 'string') {
    const session = await api.session(folder, known.session_id).catch((error: unknown) => {
      if (error instanceof HttpRefusal) return undefined;
      throw error;
    });
    if (session) return session;
  }
  return api.createSession(folder, context.session.title || 'Holdpoint');
}

const isPromptOf =
  ({ run }: AgentContext) =>
  ({ info, parts }: Message): boolean =>
    info.role === 'user' && parts.some(({ metadata }) => metadata?.[RUN] === run.run_id);

function sinceLastPrompt(messages: readonly Message[]): Message[] {
  return messages.slice(messages.findLastIndex(({ info }) => info.role === 'user') + 1);
}
