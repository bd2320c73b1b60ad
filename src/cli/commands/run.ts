// `holdpoint run`: starts a run of an agent and follows it: its output, its asks and how to answer them, its end. The exit
// code says how it ended.
import { type Client, listAll } from '../../client/client.ts';
import type { RunView, SessionView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { atMostOne, repeated, retryForMsOf } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { followRun } from '../follow-run.ts';
import { isInteractive, note, print, printJson, printJsonLine, terminalWidth } from '../output.ts';
import { programName } from '../program-name.ts';
import { answerAsk } from '../prompt/answer-ask.ts';
import { terminalAnswerer } from '../prompt/answerer.ts';
import { signLinesOf } from '../risk-signs.ts';
import { type InputFlags, runInput } from '../run-input.ts';
import { type SessionFlags, sessionFor } from '../run-session.ts';
import { setExitCode, waitForRun } from '../run-wait.ts';
import { connect, once } from '../server-connection.ts';
import { reportSighting } from '../sighting.ts';
import { type Interruption, interruptible } from '../signals.ts';
import { cardLines, withFolder } from '../text/ask-text.ts';
import { hintLines, runStatusLines } from '../text/run-text.ts';
import { refuseUnoffered, warnIfUnserved } from '../worker-availability.ts';

interface RunFlags extends SessionFlags, InputFlags {
  interactive?: boolean;
  wait?: boolean;
  detach?: boolean;
}

export function runCommand(): Command {
  return new Command('run', 'give an agent a task, and follow it')
    .argument('<agent>', 'the agent, such as claude, codex, exec or mock')
    .argument('[prompt...]', 'what it should do; for exec, after --, the command')
    .option('--session-id <id>', 'in this session, created if it does not exist; by default in a new one')
    .option('--title <text>', 'a title for a new session')
    .option('--work-folder <path>', 'where the agent works, for a new session; by default here')
    .option('--label <name>', 'a label the worker must have, for a new session; may be repeated', repeated)
    .option('--command <line>', 'the command line of a program that speaks ACP, for the agent acp')
    .option('--input-json <json>', 'more input for the agent than a prompt: {"text": …, …}')
    .option(
      '--set <name=value>',
      'a setting of the agent, such as sandbox=read-only, or trust_folder=false to ignore the settings and hooks that the folder contains for it; may be repeated',
      repeated,
    )
    .option('--interactive', 'answer here what it asks')
    .option('--wait', 'print nothing until it has ended or asks')
    .option('--detach', 'start it and return')
    .withExamples(
      'holdpoint run mock make the tests pass --detach',
      'holdpoint run codex "fix the build" --set sandbox=workspace-write --detach',
      'holdpoint run acp --command "gemini --acp" "fix the build" --detach',
      'holdpoint run exec --wait -- sh -c "echo hello"',
      `holdpoint run mock --wait "say hello" --input-json '{"script":[{"do":"say","text":"hello"}]}'`,
    )
    .withMutation()
    .action(run);
}

function run(agent: string, prompt: string[], flags: RunFlags): Promise<void> {
  const { interactive, wait, detach, json } = flags;
  atMostOne({ '--interactive': interactive, '--wait': wait, '--detach': detach, '--json': interactive && json });
  if (interactive && !isInteractive())
    throw new Failure('usage', '--interactive needs a terminal; answer with `questions` and `approvals` instead');
  return interruptible('interrupted; nothing was started', async (interruption) => {
    const input = await interruption.or(runInput(agent, prompt, flags));
    const client = await interruption.or(connect(flags));
    if (!detach) await refuseUnoffered(client, agent);
    const session = await sessionFor(client, agent, flags);
    interruption.signal.throwIfAborted();
    const started = await once(flags, (options) =>
      client.runs.start(session.session_id, { input, source: 'cli' }, options),
    );
    if (!detach && !wait) return follow(client, session, started, flags, interruption);
    const warned = warnIfUnserved(client, session, started);
    if (detach) await warned;
    const shown = wait ? await waitForRun(client, started, flags, interruption) : started;
    if (wait) setExitCode(shown);
    await show(client, session, shown, flags);
  });
}

async function show(client: Client, session: SessionView, run: RunView, { json }: RunFlags): Promise<void> {
  if (json) return printJson(run);
  const asks = [...run.pending_approvals, ...run.pending_questions];
  const signs = await signLinesOf(client, asks, terminalWidth());
  const cards = asks.flatMap((request) => [
    ...cardLines(withFolder(request, session.work_folder), terminalWidth()),
    ...(signs.get(request.id) ?? []),
    ...hintLines(request),
  ]);
  print(...runStatusLines(run), ...cards);
  await reportSighting(client, ...asks);
}

/** An interruption ends the following, not the run. */
async function follow(
  client: Client,
  session: SessionView,
  started: RunView,
  flags: RunFlags,
  interruption: Interruption,
): Promise<void> {
  const { run_id, session_id } = started;
  interruption.message = `no longer following; ${run_id} continues. See what it asks: ${programName()} inbox`;
  const answerer = flags.interactive ? terminalAnswerer({ input: process.stdin, output: process.stdout }) : undefined;
  const write = flags.json ? () => {} : print;
  if (!flags.json) note(`${run_id} in session ${session_id}; Ctrl-C leaves it running`);
  void warnIfUnserved(client, session, started);
  await followRun({
    client,
    session,
    runId: run_id,
    print: write,
    retryForMs: retryForMsOf(flags),
    width: terminalWidth(),
    signal: interruption.signal,
    onEvent: (event) => {
      if (flags.json) printJsonLine(event);
    },
    card: (request, _, signs) => [
      ...cardLines(request, terminalWidth()),
      ...signs,
      ...(answerer ? [] : hintLines(request)),
    ],
    answer(request, runId, settled) {
      if (answerer) return answerAsk({ client, answerer, print: write, request, runId, settled });
      if (!flags.json) void reportSighting(client, request);
      return undefined;
    },
  });
  const last = await lastOf(client, started);
  setExitCode(last);
  // The error is already among the output.
  if (!flags.json) print(...runStatusLines(last.status === 'failed' ? { ...last, error: undefined } : last));
  if (last.status !== 'failed' || flags.json) return;
  const { programProblem } = await import('../../boot/agents.ts');
  const problem = await programProblem(session.agent);
  if (problem) note(problem);
}

/** The last run of the chain in which each run continues the one before. */
async function lastOf(client: Client, { run_id, session_id }: RunView): Promise<RunView> {
  let last = await client.runs.get(run_id);
  for (const run of await listAll((page) => client.runs.list({ session_id, ...page })))
    if (run.resumes_run_id === last.run_id) last = run;
  return last;
}
