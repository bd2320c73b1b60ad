// `holdpoint run`: gives an agent something to do and stays with it: what it says, what it asks and how to answer, how
// it ends. The exit code says how.
import { Command } from 'commander';
import { type Client, every } from '../../client/client.ts';
import type { RunView, SessionView } from '../../core/views.ts';
import { Failure, left } from '../failure.ts';
import { followWork } from '../follow-run.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson, terminalWidth } from '../output.ts';
import { ownName } from '../program-name.ts';
import { answerAs } from '../prompt/answer-ask.ts';
import { personAt } from '../prompt/answerer.ts';
import { type InputFlags, runInput } from '../run-input.ts';
import { type PlaceFlags, sessionFor } from '../run-session.ts';
import { setExitOf, waitUntilSettled } from '../run-wait.ts';
import { connect, note, once, retryForMsOf, withMutation } from '../server-connection.ts';
import { tellSeen } from '../sighting.ts';
import { onLeave } from '../signals.ts';
import { cardLines, isQuestion, located } from '../text/ask-text.ts';
import { jsonText } from '../text/json-text.ts';
import { hintLines, runStatusLines } from '../text/run-text.ts';
import { tellIfNobodyHosts } from '../worker-availability.ts';

interface RunFlags extends PlaceFlags, InputFlags {
  interactive?: boolean;
  wait?: boolean;
  detach?: boolean;
}

export function runCommand(): Command {
  const command = new Command('run')
    .description('give an agent something to do, and stay with it')
    .argument('<agent>', 'the agent, such as claude, codex, exec or mock')
    .argument('[prompt...]', 'what it should do; for exec, after --, the command')
    .option('--session-id <id>', 'in the session of this id, made where there is none; in a new one otherwise')
    .option('--title <text>', 'a title for a new session')
    .option('--work-folder <path>', 'where the agent works, for a new session; here otherwise')
    .option('--label <name>', 'a label the worker must have, for a new session; may be repeated', each)
    .option('--input-json <json>', 'more for the agent than a prompt: {"text": …, …}')
    .option(
      '--set <name=value>',
      'a setting of the agent, such as sandbox=read-only, or trust_folder=false: nothing that the folder brings along for it holds; may be repeated',
      each,
    )
    .option('--interactive', 'answer what it asks here')
    .option('--wait', 'say nothing until it has ended or asks')
    .option('--detach', 'do not stay');
  withExamples(
    command,
    'holdpoint run mock make the tests pass --detach',
    'holdpoint run codex "fix the build" --set sandbox=workspace-write --detach',
    'holdpoint run exec --wait -- sh -c "echo hello"',
    `holdpoint run mock --wait "say hello" --input-json '{"script":[{"do":"say","text":"hello"}]}'`,
  );
  return withMutation(command).action(run);
}

/** Not variadic: that would take the prompt for further ones. */
const each = (label: string, before: string[] = []): string[] => [...before, label];

async function run(agent: string, prompt: string[], flags: RunFlags): Promise<void> {
  const input = await runInput(agent, prompt, flags);
  checkFlags(flags);
  if (flags.interactive && !(process.stdin.isTTY && process.stdout.isTTY))
    throw new Failure('usage', '--interactive needs a terminal; answer with `questions` and `approvals` instead');
  const client = await connect(flags);
  const session = await sessionFor(client, agent, flags);
  const started = await once(flags, (options) =>
    client.runs.start(session.session_id, { input, source: 'cli' }, options),
  );
  if (flags.detach) {
    await tellIfNobodyHosts(client, session, started);
    return show(client, session, started, flags);
  }
  if (flags.wait) {
    const settling = waitUntilSettled(client, started, flags);
    void tellIfNobodyHosts(client, session, started);
    const settled = await settling;
    setExitOf(settled);
    return show(client, session, settled, flags);
  }
  await stay(client, session, started, flags);
}

/** Each says how to stay with it, or what is printed: two would contradict each other. */
function checkFlags({ interactive, wait, detach, json }: RunFlags): void {
  const ways = { '--interactive': interactive, '--wait': wait, '--detach': detach, '--json': interactive && json };
  const given = Object.entries(ways).flatMap(([name, value]) => (value ? [name] : []));
  if (given.length > 1) throw new Failure('usage', `${given.join(' and ')} exclude each other: give one of them`);
}

async function show(client: Client, session: SessionView, run: RunView, { json }: RunFlags): Promise<void> {
  const asks = [...run.pending_approvals, ...run.pending_questions];
  const cards = asks.flatMap((request) => [
    ...cardLines(located(request, session.work_folder), terminalWidth()),
    ...hintLines(request.id, isQuestion(request)),
  ]);
  if (json) return printJson(run);
  print(...runStatusLines(run), ...cards);
  await tellSeen(client, ...asks);
}

/** Ctrl-C leaves; the run goes on without an audience. */
async function stay(client: Client, session: SessionView, started: RunView, flags: RunFlags): Promise<void> {
  const stop = new AbortController();
  const leave = () => stop.abort(left(`left; ${started.run_id} goes on. ${ownName()} inbox shows what it asks`));
  const endListening = onLeave(leave);
  const person = flags.interactive ? personAt({ input: process.stdin, output: process.stdout }) : undefined;
  const write = flags.json ? () => {} : print;
  if (!flags.json) note(`${started.run_id} in session ${session.session_id}; Ctrl-C leaves it at work`);
  void tellIfNobodyHosts(client, session, started);
  try {
    await followWork({
      client,
      session,
      runId: started.run_id,
      print: write,
      remark: note,
      retryForMs: retryForMsOf(flags),
      width: terminalWidth(),
      signal: stop.signal,
      hear: (event) => {
        if (flags.json) process.stdout.write(`${jsonText(event)}\n`);
      },
      card: (request) => [
        ...cardLines(request, terminalWidth()),
        ...(person ? [] : hintLines(request.id, isQuestion(request))),
      ],
      asked(request, runId, taken) {
        if (person) return answerAs(person, { client, print: write }, request, runId, taken);
        if (!flags.json) void tellSeen(client, request);
        return undefined;
      },
    });
  } finally {
    endListening();
  }
  const last = await lastOf(client, started);
  setExitOf(last);
  // Why it failed was among the lines.
  if (!flags.json) print(...runStatusLines(last.status === 'failed' ? { ...last, error: undefined } : last));
}

/** The run itself, or the one that carried it on to its end. */
async function lastOf(client: Client, started: RunView): Promise<RunView> {
  let last = await client.runs.get(started.run_id);
  for await (const later of every((page) => client.runs.list({ session_id: started.session_id, limit: 500, ...page })))
    if (later.resumes_run_id === last.run_id) last = later;
  return last;
}
