// Runs a headless command as a dispatch in the session's work folder. If it leaves the needs-input sentinel, it has asked,
// whatever its exit code: the question is raised, the run is held without a process, and a new run of the same spec
// carries the answer. Owns the order of these steps; each step has a file of its own.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HoldpointProblem } from '../../client/http.ts';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import type { AgentContext, Ending } from '../agent.ts';
import type { RuntimeAdapter, RuntimeExit } from '../kit/runtime.ts';
import { DispatchFailure, failureOf } from '../workspace/dispatch-failure.ts';
import { markOf, type Workspace } from '../workspace/occupancy.ts';
import { layOverlay, removeOverlay } from '../workspace/overlay.ts';
import { enterWorkspace, reportLeftOut, skillFiles } from '../workspace/skills.ts';
import { folderProblem, NO_SUCH_FOLDER } from '../workspace/work-folder.ts';
import { type DispatchSpec, inputJson, promptOf, readSpec } from './input.ts';
import { plain } from './runtime.ts';
import { consume, discard, MalformedSentinel, type NeedsInput, readSentinel } from './sentinel.ts';

const OPT_OUT = 'AGORA_DISABLE_NEEDS_INPUT_HELPER';
/** The id of the one question that a dispatch may ask. */
const QUESTION = 'needs-input';

interface Dispatch {
  context: AgentContext;
  spec: DispatchSpec;
  runtime: RuntimeAdapter;
  workspace: Workspace;
}

export async function runDispatch(context: AgentContext): Promise<Ending> {
  try {
    const spec = readSpec(await dispatchInput(context));
    const { work_folder } = context.session;
    const problem = await folderProblem(work_folder);
    if (problem) throw new DispatchFailure(problem === NO_SUCH_FOLDER ? 'fetch-failed' : 'worker-failed', problem);
    const workspace = await enterWorkspace(context, work_folder as string);
    return await dispatch({ context, spec, runtime: runtimeOf(spec, [...context.runtimes, plain]), workspace });
  } catch (error) {
    const failure = context.signal.aborted && !(error instanceof DispatchFailure) ? undefined : failureOf(error);
    if (!failure) throw error;
    return failure;
  }
}

async function dispatch(parts: Dispatch): Promise<Ending> {
  const { context, spec, runtime, workspace } = parts;
  const { folder, own } = workspace;
  const sentinel = join(folder, runtime.sentinel);
  const taken = join(own, `taken-${context.run.run_id}`);
  const inputFile = join(own, 'input.json');
  try {
    await removeOverlay(folder, own);
    const asked = workspace.wasLeft ? await leftBehind(sentinel, taken) : undefined;
    if (asked) return await ask(context, asked);
    await rm(taken, { recursive: true, force: true });
    await discard(sentinel, join(own, `stale-${context.run.run_id}`));
    // Named so that a later dispatch removes it where the worker is killed before the rename.
    writeFileAtomic(inputFile, JSON.stringify(spec.input), { draft: join(own, `draft-${context.run.run_id}`) });
    const guide = isOptedOut(context, spec) ? [] : runtime.overlay(spec.skills.map(folderOf));
    const skills = await skillFiles(context, spec.skills, runtime.skills);
    await reportLeftOut(context, await layOverlay(folder, own, [...guide, ...skills]));
    const exit = await invoke(parts, inputFile);
    context.signal.throwIfAborted();
    if (!workspace.isMine()) return { ended: 'vanished' };
    await removeOverlay(folder, own);
    return (await isHeldOnForm(context)) ? { ended: 'held' } : await conclude(context, spec, exit, taken);
  } finally {
    if (workspace.isMine()) {
      await removeOverlay(folder, own).catch(() => {}); // What could not be removed is still in the manifest.
      const temporary = context.signal.aborted ? [sentinel, taken, inputFile] : [taken, inputFile];
      for (const path of temporary) await rm(path, { recursive: true, force: true });
      await workspace.leave();
    }
  }
}

/** A run that carries the answer to a form has no spec of its own: the command of the run that displayed it is started. */
async function dispatchInput(context: AgentContext): Promise<Record<string, unknown>> {
  const { interactive_form_answer } = context.input;
  if (interactive_form_answer === undefined) return context.input;
  for (const { run } of await context.earlier()) {
    const { answer, declined, justification, partial_state, ...spec } = await context.inputOf(run.run_id);
    if (spec.command !== undefined) return { ...spec, interactive_form_answer };
  }
  return context.input;
}

/** A form takes precedence over the exit code, as the sentinel does. */
async function isHeldOnForm({ history, run }: AgentContext): Promise<boolean> {
  const asks = await history();
  return asks.some(({ run_id, mode, status }) => run_id === run.run_id && mode === 'form' && status === 'pending');
}

/** A complete question counts if the worker died after the program had exited by itself; otherwise it runs again. */
async function leftBehind(sentinel: string, taken: string): Promise<NeedsInput | undefined> {
  const complete = (reading: Promise<NeedsInput>) => reading.catch(() => undefined);
  return (await complete(readSentinel(taken))) ?? (await complete(consume(sentinel, taken)));
}

async function invoke({ context, spec, runtime, workspace }: Dispatch, inputFile: string): Promise<RuntimeExit> {
  const { signal, processes, run } = context;
  const { folder } = workspace;
  const { command, input, timeout_ms: timeoutMs } = spec;
  const env = {
    ...context.env,
    ...spec.env,
    AGORA_INPUT_JSON: inputJson(input, inputFile),
    AGORA_INPUT_FILE: inputFile,
    AGORA_DISPATCH_ID: run.run_id,
    AGORA_WORKSPACE: folder,
    AGORA_NEEDS_INPUT_PATH: join(folder, runtime.sentinel),
    ...(spec.skills.length > 0 && { AGORA_SKILLS_PATH: join(folder, runtime.skills) }),
  };
  const settings = { folder, env, limitMs: timeoutMs, signal, mark: markOf(run.run_id), onStart: workspace.record };
  try {
    return await runtime.invoke(
      { command, workspaceDir: folder, input, prompt: promptOf(spec, runtime.tell), timeoutMs },
      { dispatchId: run.run_id, env, signal, run: (program) => processes.run({ ...program, ...settings }) },
    );
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'E2BIG' ? 'its arguments are too long; give the prompt on standard input' : message;
    throw new DispatchFailure('worker-failed', `The command could not be run: ${why}`);
  }
}

/** The sentinel takes precedence over the exit code; a malformed one is a failure. */
async function conclude(context: AgentContext, spec: DispatchSpec, exit: RuntimeExit, taken: string): Promise<Ending> {
  const { exitCode: exit_code, signal, stdout, stderr, timedOut, needsInputSentinelPath } = exit;
  const data = { exit_code, signal, timed_out: timedOut ?? false, stdout, stderr };
  await context.output(undefined, { id: `exit-${crypto.randomUUID()}`, type: 'exit', data });
  const failed = (reason: DispatchFailure['reason'], error: string): Ending => ({
    ended: 'failed',
    reason,
    error,
    exit_code,
  });
  const late = `It was ended after its limit of ${spec.timeout_ms} ms.`;
  if (needsInputSentinelPath !== undefined) {
    try {
      return await ask(context, await consume(needsInputSentinelPath, taken));
    } catch (error) {
      if (error instanceof MalformedSentinel && error.content !== undefined) {
        const record = { id: `exec-sentinel-${crypto.randomUUID()}`, type: 'exec-sentinel' };
        await context.output(undefined, { ...record, data: { content: error.content } });
      }
      if (error instanceof MalformedSentinel)
        return failed('worker-failed', timedOut ? `${error.message} ${late}` : error.message);
      if (error instanceof DispatchFailure) return failed(error.reason, error.message);
      throw error;
    }
  }
  if (timedOut) return failed('timeout', `The command ran too long. ${late}`);
  if (exit_code === 0) return { ended: 'completed', text: stdout.trim() || undefined, exit_code };
  const last = stderr.trim().split('\n').at(-1)?.slice(0, 300);
  const how = signal ?? `exit code ${exit_code}`;
  return failed('provider-failed', `The command ended with ${how}${last ? `: ${last}` : '.'}`);
}

async function ask(context: AgentContext, asked: NeedsInput): Promise<Ending> {
  try {
    await context.ask({ id: QUESTION, mode: 'restart', ...asked }, { acknowledge: 'later' });
    return { ended: 'held' };
  } catch (error) {
    if (!(error instanceof HoldpointProblem) || ![400, 413, 429].includes(error.status)) throw error;
    throw new DispatchFailure('worker-failed', `The needs-input sentinel was refused: ${error.detail}`);
  }
}

/** A skill is named `name` or `namespace/name`. */
const folderOf = (skill: string): string => skill.slice(skill.indexOf('/') + 1);

/** `plain` recognises every command. */
function runtimeOf({ runtime: name, command }: DispatchSpec, runtimes: readonly RuntimeAdapter[]): RuntimeAdapter {
  const found = runtimes.find((runtime) => (name === undefined ? runtime.recognises(command) : runtime.name === name));
  if (found) return found;
  const known = runtimes.map((runtime) => runtime.name).join(', ');
  throw new DispatchFailure('worker-failed', `There is no runtime of that name. Known are: ${known}.`);
}

/** Exactly `true`; the run's setting overrides the worker's. */
const isOptedOut = ({ env }: AgentContext, spec: DispatchSpec): boolean =>
  (spec.env[OPT_OUT] ?? env[OPT_OUT]) === 'true';
