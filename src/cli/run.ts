// `holdpoint run`: gives an agent something to do and stays with it: what it says, what it asks and how to answer, how
// it ends. The exit code says how.
import { Command } from 'commander';
import { type Client, every } from '../client/client.ts';
import { DISPATCH_AGENT } from '../core/session.ts';
import type { RunView, SessionView } from '../core/views.ts';
import { answerAs } from './answer-as.ts';
import { connect, type MutationFlags, note, once, retryForMsOf, withMutation } from './connection.ts';
import { withExamples } from './examples.ts';
import { Failure, left } from './failure.ts';
import { sessionNamed } from './find-place.ts';
import { followWork } from './follow-work.ts';
import { objectOf, readJson } from './input-json.ts';
import { print, printJson, terminalWidth } from './output.ts';
import { ownName } from './own-name.ts';
import { personAt } from './person.ts';
import { setExitOf, waitUntilSettled } from './settled-run.ts';
import { tellSeen } from './sighting.ts';
import { cardLines, isQuestion } from './text/ask-text.ts';
import { jsonText } from './text/json-text.ts';
import { hintLines, runStatusLines } from './text/run-text.ts';

interface RunFlags extends MutationFlags {
  sessionId?: string;
  title?: string;
  workFolder?: string;
  label?: string[];
  inputJson?: string;
  set?: string[];
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
    .option('--work-folder <path>', 'where the agent works, for a new session')
    .option('--label <name>', 'a label the worker must have, for a new session; may be repeated', each)
    .option('--input-json <json>', 'more for the agent than a prompt: {"text": …, …}')
    .option('--set <name=value>', 'a setting of the agent, such as sandbox=read-only; may be repeated', each)
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

/** What reads as JSON is that; anything else is the text itself. */
function settingsOf(given: readonly string[] = []): Record<string, unknown> {
  const pairs = given.map((setting): [string, unknown] => {
    const at = setting.indexOf('=');
    if (at < 1) throw new Failure('usage', `--set takes name=value, not "${setting}"`);
    const value = setting.slice(at + 1);
    try {
      return [setting.slice(0, at), JSON.parse(value)];
    } catch {
      return [setting.slice(0, at), value];
    }
  });
  return Object.fromEntries(pairs);
}

async function run(agent: string, prompt: string[], flags: RunFlags): Promise<void> {
  const text = prompt.join(' ');
  const more =
    flags.inputJson === undefined ? {} : objectOf('--input-json', readJson('--input-json', { json: flags.inputJson }));
  if (text === '' && Object.keys(more).length === 0)
    throw new Failure('usage', `say what it should do: ${ownName()} run ${agent} "…"`);
  checkFlags(flags);
  if (flags.interactive && !(process.stdin.isTTY && process.stdout.isTTY))
    throw new Failure('usage', '--interactive needs a terminal; answer with `questions` and `approvals` instead');
  const client = await connect(flags);
  const session = await sessionFor(client, agent, flags);
  const command = agent === DISPATCH_AGENT && prompt.length > 0 ? { command: prompt } : {};
  const input = { ...(text !== '' && { text }), ...command, ...settingsOf(flags.set), ...more };
  const started = await once(flags, (options) =>
    client.runs.start(session.session_id, { input, source: 'cli' }, options),
  );
  if (flags.detach) return show(client, started, flags);
  if (flags.wait) {
    const settled = await waitUntilSettled(client, started, flags);
    setExitOf(settled);
    return show(client, settled, flags);
  }
  await stay(client, session, started, flags);
}

/** Each says how to stay with it, or what is printed: two would contradict each other. */
function checkFlags({ interactive, wait, detach, json }: RunFlags): void {
  const ways = { '--interactive': interactive, '--wait': wait, '--detach': detach, '--json': interactive && json };
  const given = Object.entries(ways).flatMap(([name, value]) => (value ? [name] : []));
  if (given.length > 1) throw new Failure('usage', `${given.join(' and ')} exclude each other: give one of them`);
}

/**
 * Only a whole id names a session, because it also names a new one. The same key again finds the same session, so that
 * a repeat of the whole command starts one run.
 */
async function sessionFor(client: Client, agent: string, flags: RunFlags): Promise<SessionView> {
  if (flags.sessionId !== undefined) {
    const known = await sessionNamed(client, flags.sessionId);
    if (known && known.agent !== agent)
      throw new Failure('conflict', `session ${known.session_id} is one of agent ${known.agent}, not ${agent}`);
    if (known) return known;
  }
  // An agent works where it was called, unless another folder is named. The mock works nowhere.
  const work_folder = flags.workFolder ?? (agent === 'mock' ? undefined : process.cwd());
  const body = { agent, session_id: flags.sessionId, title: flags.title, work_folder, labels: flags.label };
  return once(flags, (options) => client.sessions.create(body, options));
}

async function show(client: Client, run: RunView, { json }: RunFlags): Promise<void> {
  const asks = [...run.pending_approvals, ...run.pending_questions];
  const cards = asks.flatMap((request) => [
    ...cardLines(request, terminalWidth()),
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
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  const person = flags.interactive ? personAt({ input: process.stdin, output: process.stdout }) : undefined;
  const write = flags.json ? () => {} : print;
  if (!flags.json) note(`${started.run_id} in session ${session.session_id}; Ctrl-C leaves it at work`);
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
    process.removeListener('SIGINT', leave);
    process.removeListener('SIGTERM', leave);
  }
  const last = await lastOf(client, started);
  setExitOf(last);
  if (!flags.json) print(...runStatusLines(last));
}

/** The run itself, or the one that carried it on to its end. */
async function lastOf(client: Client, started: RunView): Promise<RunView> {
  let last = await client.runs.get(started.run_id);
  for await (const later of every((page) => client.runs.list({ session_id: started.session_id, limit: 500, ...page })))
    if (later.resumes_run_id === last.run_id) last = later;
  return last;
}
