// Runs Claude Code over its stream-json protocol: one process at a time for each session, always in the same one of its
// conversations. Owns whether that conversation is resumed or started, and what follows from the end of the process.
import type { AgentContext, Ending } from '../agent.ts';
import { resolveInput } from '../kit/inherited-settings.ts';
import { mayRestart } from '../kit/restart-limit.ts';
import { withSkills } from '../workspace/skills.ts';
import { folderProblem } from '../workspace/work-folder.ts';
import { type ClaudeSpec, readClaudeInput } from './input.ts';
import type { LaunchOptions } from './launch.ts';
import { CONVERSATION, MODE } from './outputs.ts';
import { runProcess } from './process.ts';
import {
  abandonedCalls,
  firstPrompt,
  isFormAnswer,
  resumedConversation,
  resumedMode,
  resumedRules,
  taskPrompt,
} from './resume.ts';
import { claudeRuntime } from './runtime.ts';

export async function runClaude(context: AgentContext): Promise<Ending> {
  const isReadable = (input: Record<string, unknown>) => !('problem' in readClaudeInput(input));
  const { input, inherited, since } = await resolveInput(context, isReadable);
  const spec = readClaudeInput(withoutCommand(input, context), inherited);
  const problem = 'problem' in spec ? spec.problem : await folderProblem(context.session.work_folder);
  if ('problem' in spec || problem) return { ended: 'failed', reason: 'worker-failed', error: problem as string };
  return oneAtATime(context.session.session_id, () =>
    withSkills(context, spec.skills, claudeRuntime.skills, () => work(context, spec, since)),
  );
}

/** Several posts are joined to one text: if the first begins with a slash, it must not become a command with arguments. */
function withoutCommand(input: Record<string, unknown>, { input: { item_ids } }: AgentContext) {
  const isJoined = Array.isArray(item_ids) && item_ids.length > 1;
  return isJoined && typeof input.text === 'string' ? { ...input, text: input.text.replace(/^\//, ' /') } : input;
}

/** Sessions that have a process of this worker: the next run waits until it has exited. */
const running = new Map<string, Promise<unknown>>();

function oneAtATime<T>(sessionId: string, run: () => Promise<T>): Promise<T> {
  const previous = running.get(sessionId) ?? Promise.resolve();
  const current = previous.catch(() => {}).then(run);
  running.set(sessionId, current);
  return current.finally(() => {
    if (running.get(sessionId) === current) running.delete(sessionId);
  });
}

/** `since`: the earlier runs that were started with the same settings. */
async function work(context: AgentContext, spec: ClaudeSpec, since: ReadonlySet<string>): Promise<Ending> {
  const conversationId = (await context.recall(CONVERSATION))?.session_id;
  const conversation = resumedConversation(conversationId, context.session.session_id);
  const options = await resumeOptions(context, spec, since);
  const resume = { ...options, conversation: ['--resume', conversation] };
  const start = { ...options, conversation: ['--session-id', conversation], prompt: taskPrompt(spec, options.known) };
  const isNew = conversationId === undefined && !context.resumed && !isFormAnswer(context);
  let error: string | undefined;
  for (const attempt of isNew ? [start, resume] : [resume, start]) {
    const ending = await runProcess(context, spec, attempt);
    if (ending.ended === 'held') return ending;
    if (ending.ended === 'died' && ending.isOwed && (await mayRestart(context, 'claude', ending.error)))
      return { ended: 'held' };
    error ??= ending.ended === 'completed' ? undefined : ending.error;
    if (ending.ended === 'no_conversation') continue;
    // Answers that were sent in the prompt and not used by a repeated call.
    for (const { ask_id } of context.due) await context.acknowledge(ask_id).catch(() => {});
    if (ending.ended === 'completed') return ending;
    return { ended: 'failed', reason: 'provider-failed', error: ending.error, exit_code: ending.exitCode };
  }
  return { ended: 'failed', reason: 'provider-failed', error: error ?? 'Claude Code could not be started.' };
}

async function resumeOptions(
  context: AgentContext,
  spec: ClaudeSpec,
  since: ReadonlySet<string>,
): Promise<Omit<LaunchOptions, 'conversation'>> {
  const { run } = context;
  const history = await context.history();
  const continued = isFormAnswer(context) ? (await context.earlier()).toReversed() : [];
  const runIds = new Set([...since, ...continued.map((earlier) => earlier.run.run_id), run.run_id]);
  const outputs = [...continued, context].flatMap((each) => each.run.outputs);
  const lastMode = (await context.recall(MODE))?.mode;
  // A mode that was chosen for a run holds for it and its continuations: the mode of other runs must not change it.
  const isOfSession = spec.mode === undefined || since.size > 0;
  const seenMode = isOfSession ? lastMode : outputs.findLast((output) => output.type === MODE)?.data?.mode;
  const asks = history.filter((ask) => runIds.has(ask.run_id));
  const mode = resumedMode(spec.mode, seenMode, asks);
  const known = history.filter((ask) => ask.run_id === run.run_id);
  return {
    mode,
    lastMode,
    rules: resumedRules(mode, history),
    known,
    abandonedCalls: abandonedCalls(history, context),
    ...firstPrompt(context, spec, known),
  };
}
