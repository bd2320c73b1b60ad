// Any headless command as a dispatch: it runs in the session's work folder until it ends. If it left the needs-input
// sentinel it has asked, whatever its exit code: the question is raised, the run is held without a process, and a new run
// of the same spec carries the answer on. Owns the order of steps; each step has a file of its own.
import { rm, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { HoldpointProblem } from '../../client/http.ts';
import type { AgentContext, Ending } from '../agent.ts';
import type { RuntimeAdapter, RuntimeExit } from '../kit/runtime.ts';
import { DispatchFailure, failureOf } from '../workspace/dispatch-failure.ts';
import { markOf, type Workspace } from '../workspace/occupancy.ts';
import { layOverlay, takeOutOverlay } from '../workspace/overlay.ts';
import { enterWorkspace, sayLeft, skillFiles } from '../workspace/skills.ts';
import { type DispatchSpec, inputJson, promptOf, readSpec } from './input.ts';
import { plain } from './runtime.ts';
import { consume, fence, MalformedSentinel, type NeedsInput, readSentinel } from './sentinel.ts';

const OPT_OUT = 'AGORA_DISABLE_NEEDS_INPUT_HELPER';
/** The server keeps one question for each dispatch under this name. */
const QUESTION = 'needs-input';

export async function runDispatch(context: AgentContext): Promise<Ending> {
  try {
    const spec = readSpec(context.input);
    const folder = await workFolder(context);
    const workspace = await enterWorkspace(context, folder);
    return await dispatch(context, spec, runtimeOf(spec, [...context.runtimes, plain]), workspace);
  } catch (error) {
    const failure = context.signal.aborted && !(error instanceof DispatchFailure) ? undefined : failureOf(error);
    if (!failure) throw error;
    return failure;
  }
}

async function dispatch(
  context: AgentContext,
  spec: DispatchSpec,
  runtime: RuntimeAdapter,
  workspace: Workspace,
): Promise<Ending> {
  const { folder, own } = workspace;
  const sentinel = join(folder, runtime.sentinel);
  const taken = join(own, `taken-${context.run.run_id}`);
  const inputFile = join(own, 'input.json');
  try {
    await takeOutOverlay(folder, own);
    const asked = workspace.wasLeft ? await leftBehind(sentinel, taken) : undefined;
    if (asked) return await ask(context, asked);
    await rm(taken, { recursive: true, force: true });
    await fence(sentinel, join(own, `stale-${context.run.run_id}`));
    await writeFile(inputFile, JSON.stringify(spec.input), { mode: 0o600 });
    await lay(context, spec, workspace, runtime);
    const exit = await invoke(context, spec, runtime, workspace, inputFile);
    context.signal.throwIfAborted();
    if (!workspace.isMine()) return { ended: 'vanished' };
    await takeOutOverlay(folder, own);
    return await conclude(context, spec, exit, taken);
  } finally {
    if (workspace.isMine()) {
      await takeOutOverlay(folder, own).catch(() => {}); // What could not be taken out is still written down.
      const left = context.signal.aborted ? [sentinel, taken, inputFile] : [taken, inputFile];
      for (const path of left) await rm(path, { recursive: true, force: true });
      await workspace.leave();
    }
  }
}

/** The worker died after its program had ended by itself: a whole question it left counts; anything else is run again. */
async function leftBehind(sentinel: string, taken: string): Promise<NeedsInput | undefined> {
  const whole = (reading: Promise<NeedsInput>) => reading.catch(() => undefined);
  return (await whole(readSentinel(taken))) ?? (await whole(consume(sentinel, taken)));
}

/** How to ask, unless the run wants none of it; and the published skills it names. */
async function lay(
  context: AgentContext,
  spec: DispatchSpec,
  { folder, own }: Workspace,
  runtime: RuntimeAdapter,
): Promise<void> {
  const helper = isOptedOut(context, spec) ? [] : runtime.overlay();
  const skills = await skillFiles(context, spec.skills, runtime.skills);
  await sayLeft(context, await layOverlay(folder, own, [...helper, ...skills]));
}

async function invoke(
  context: AgentContext,
  spec: DispatchSpec,
  runtime: RuntimeAdapter,
  workspace: Workspace,
  inputFile: string,
): Promise<RuntimeExit> {
  const { signal, processes, run } = context;
  const { folder } = workspace;
  const env = environment(context, spec, {
    AGORA_INPUT_JSON: inputJson(spec.input, inputFile),
    AGORA_INPUT_FILE: inputFile,
    AGORA_DISPATCH_ID: run.run_id,
    AGORA_WORKSPACE: folder,
    AGORA_NEEDS_INPUT_PATH: join(folder, runtime.sentinel),
  });
  const { command, input, timeout_ms: timeoutMs } = spec;
  const prompt = promptOf(spec, runtime.tell);
  try {
    return await runtime.invoke(
      { command, workspaceDir: folder, input, prompt, timeoutMs },
      {
        dispatchId: run.run_id,
        env,
        signal,
        run: (program) =>
          processes.run({
            ...program,
            folder,
            env,
            limitMs: timeoutMs,
            signal,
            mark: markOf(run.run_id),
            onStart: workspace.record,
          }),
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'E2BIG' ? 'its arguments are too long; give the prompt on standard input' : message;
    throw new DispatchFailure('worker-failed', `The command could not be run: ${why}`);
  }
}

function environment({ env }: AgentContext, spec: DispatchSpec, own: Record<string, string>): Record<string, string> {
  return { ...env, ...spec.env, ...own };
}

/** The sentinel decides before the exit code does; a sentinel that is not well formed is a failure, never silence. */
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
      if (error instanceof MalformedSentinel)
        return failed('worker-failed', timedOut ? `${error.message} ${late}` : error.message);
      if (error instanceof DispatchFailure) return failed(error.reason, error.message);
      throw error;
    }
  }
  if (timedOut) return failed('timeout', `The command ran too long. ${late}`);
  if (exit_code === 0) return { ended: 'completed', text: stdout.trim() || undefined, exit_code };
  const last = stderr.trim().split('\n').at(-1)?.slice(0, 300);
  return failed(
    'provider-failed',
    `The command ended with ${signal ?? `exit code ${exit_code}`}${last ? `: ${last}` : '.'}`,
  );
}

async function ask(context: AgentContext, { question, options, ...rest }: NeedsInput): Promise<Ending> {
  try {
    await context.ask({ id: QUESTION, mode: 'restart', question, options, ...rest }, { acknowledge: 'later' });
    return { ended: 'held' };
  } catch (error) {
    if (!(error instanceof HoldpointProblem) || ![400, 413, 429].includes(error.status)) throw error;
    throw new DispatchFailure('worker-failed', `The needs-input sentinel was refused: ${error.detail}`);
  }
}

async function workFolder({ session }: AgentContext): Promise<string> {
  const folder = session.work_folder;
  if (folder === undefined)
    throw new DispatchFailure(
      'worker-failed',
      'The session has no work_folder: create it with one to run commands there.',
    );
  if (!isAbsolute(folder))
    throw new DispatchFailure('worker-failed', 'The work_folder of the session must be an absolute path.');
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return folder;
  throw new DispatchFailure(
    'fetch-failed',
    'The work_folder of the session is no folder on the machine of this worker.',
  );
}

/** The first that recognises the command has it; `plain` takes any. */
function runtimeOf({ runtime: name, command }: DispatchSpec, runtimes: readonly RuntimeAdapter[]): RuntimeAdapter {
  const found = runtimes.find((runtime) => (name === undefined ? runtime.recognises(command) : runtime.name === name));
  if (found) return found;
  const known = runtimes.map((runtime) => runtime.name).join(', ');
  throw new DispatchFailure('worker-failed', `There is no runtime of that name. Known are: ${known}.`);
}

/** Only the word itself opts out; what the run says counts before what the worker says. */
const isOptedOut = ({ env }: AgentContext, spec: DispatchSpec): boolean =>
  (spec.env[OPT_OUT] ?? env[OPT_OUT]) === 'true';
