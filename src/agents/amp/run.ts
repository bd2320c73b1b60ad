// Runs Amp as a managed run: `amp --execute --stream-json`, one process per run, one thread per session. Amp says nothing about
// permissions on that stream: its rules delegate to Holdpoint, so it is started only where those rules are in place.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentContext, Ending, ProcessExit } from '../agent.ts';
import { resolveInput } from '../kit/inherited-settings.ts';
import { createOutputQueue } from '../kit/output-queue.ts';
import { parsedJson } from '../wire/json-rpc.ts';
import { folderProblem } from '../workspace/work-folder.ts';
import { connector, settingsWith } from './connect.ts';
import { folderSettingsProblem } from './folder-settings.ts';
import { type AmpSpec, readAmpInput } from './input.ts';
import { program } from './program.ts';
import { StreamLine } from './protocol.ts';

/** The output type that holds the id of the thread. */
const THREAD = 'amp-thread';
const NOT_FOUND = 127;
const NOT_CONNECTED =
  'Amp would run without asking: its settings have no permission rules of Holdpoint. Connect it on the machine of this worker first: holdpoint connect amp';

export async function runAmp(context: AgentContext): Promise<Ending> {
  const { input, inherited } = await resolveInput(context, (before) => !('problem' in readAmpInput(before)));
  const spec = readAmpInput(input, inherited);
  if ('problem' in spec) return { ended: 'failed', error: spec.problem, reason: 'worker-failed' };
  const { work_folder = '' } = context.session;
  const settings = await readFile(connector.file(context.env), 'utf8').catch(() => '');
  const problem =
    (await folderProblem(work_folder || undefined)) ??
    (connector.isConnected(settings) ? undefined : NOT_CONNECTED) ??
    (await folderSettingsProblem(work_folder));
  if (problem) return { ended: 'failed', error: problem, reason: 'worker-failed' };
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-amp-'));
  try {
    const file = join(folder, 'settings.json');
    await writeFile(file, settingsWith(settings, await context.toolRules()), { mode: 0o600 });
    return await runProcess(context, spec, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `settings`: its settings with the rules of this run, of which its delegate learns whom to ask. */
async function runProcess(context: AgentContext, spec: AmpSpec, settings: string): Promise<Ending> {
  const { run, signal } = context;
  const queue = createOutputQueue(context);
  const thread = (await context.recall(THREAD))?.thread_id;
  let ending: Ending | undefined;

  function receive(line: string): void {
    const { data } = StreamLine.safeParse(parsedJson(line));
    if (data?.type === 'system')
      void queue.output(undefined, { id: THREAD, type: THREAD, data: { thread_id: data.session_id } });
    if (data?.type === 'assistant')
      for (const { type, text, name, input } of data.message.content) {
        if (type === 'text' && text) void queue.output(text, { type: 'text' });
        if (type === 'tool_use') void queue.output(`${name} ${JSON.stringify(input)}`, { type: 'tool_call' });
      }
    if (data?.type === 'result')
      ending = data.is_error ? failed(data.error) : { ended: 'completed', text: data.result };
  }

  const amp = await context.processes.start({
    argv: argvOf(spec, thread),
    folder: context.session.work_folder as string,
    env: { ...context.env, HOLDPOINT_RUN_ID: run.run_id, AMP_SETTINGS_FILE: settings },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    signal,
    onLine: receive,
  });
  amp.send(context.resumed && thread ? 'You were interrupted. Go on with the task.' : spec.text);
  amp.closeInput();
  const exit = await amp.ended;
  await queue.flush();
  signal.throwIfAborted();
  return ending ?? failed(exitText(exit));
}

const argvOf = ({ mode }: AmpSpec, thread: unknown): string[] => [
  program.command,
  ...(typeof thread === 'string' ? ['threads', 'continue', thread] : []),
  '--execute',
  '--stream-json',
  ...(mode ? ['--mode', mode] : []),
];

const failed = (error = 'Amp reported an error without a message.'): Ending => ({
  ended: 'failed',
  error,
  reason: 'provider-failed',
});

function exitText({ exitCode, signal, stderr }: ProcessExit): string {
  if (exitCode === NOT_FOUND)
    return `Amp is not installed on the machine of this worker, or not in its PATH: ${program.install}`;
  const last = stderr.trim().split('\n').at(-1)?.slice(0, 500);
  return `Amp ended without a result (${signal ?? `exit code ${exitCode}`})${last ? `: ${last}` : '. Is it logged in?'}`;
}
