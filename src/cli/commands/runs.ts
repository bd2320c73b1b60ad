// `holdpoint runs`: stretches of work. List, show, cancel.
import { Command, Option } from 'commander';
import { every } from '../../client/client.ts';
import { duration } from '../../client/times.ts';
import { isTerminal, RUN_STATUSES, type RunStatus } from '../../core/run.ts';
import { isAttached } from '../../core/session.ts';
import type { RunView } from '../../core/views.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson, printTable, terminalWidth } from '../output.ts';
import { findRun, findSession } from '../record-lookup.ts';
import {
  connect,
  type MutationFlags,
  note,
  once,
  type ServerFlags,
  withMutation,
  withServer,
} from '../server-connection.ts';
import { tellSeen } from '../sighting.ts';
import { runLines, runStatusLines, statusStyle } from '../text/run-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function runsCommand(): Command {
  const command = new Command('runs').description('stretches of work: list, show, cancel');
  withExamples(command, 'holdpoint runs list', 'holdpoint runs show --session-id nightly');
  for (const add of [listCommand, showCommand, cancelCommand]) command.addCommand(add());
  return command;
}

interface ListFlags extends ServerFlags {
  sessionId?: string;
  status?: RunStatus;
  all?: boolean;
}

function listCommand(): Command {
  const command = new Command('list')
    .description('runs, oldest first; those that have not ended')
    .option('--session-id <id>', 'of this session only, ended ones too')
    .addOption(new Option('--status <status>', 'with this status only').choices(RUN_STATUSES))
    .option('--all', 'ended ones too');
  withExamples(command, 'holdpoint runs list', 'holdpoint runs list --session-id nightly --json');
  return withServer(command).action(list);
}

async function list(flags: ListFlags): Promise<void> {
  const client = await connect(flags);
  const session = flags.sessionId === undefined ? undefined : await findSession(client, flags.sessionId);
  const query = { ...(session && { session_id: session.session_id }), ...(flags.status && { status: flags.status }) };
  const everything = flags.all || flags.status !== undefined || session !== undefined;
  const runs: RunView[] = [];
  // Open ones are asked for by status: the server need not send all that ever ran.
  for (const status of everything ? [undefined] : RUN_STATUSES.filter((one) => !isTerminal(one)))
    for await (const run of every((page) =>
      client.runs.list({ ...query, ...(status && { status }), limit: 500, ...page }),
    ))
      runs.push(run);
  runs.sort((a, b) => a.submitted_at_ms - b.submitted_at_ms);
  if (flags.json) return printJson(runs);
  if (runs.length === 0) return note(everything ? 'there is no such run' : 'no run is open; --all shows ended ones');
  const now = Date.now();
  const rows = runs.map((run) => [
    line(span(run.run_id, 'bold')),
    line(span(run.status.replaceAll('_', ' '), statusStyle(run.status))),
    line(duration(now - run.updated_at_ms)),
    line(span(run.session_id, 'dim')),
    line(oneLine(run.request.text_preview)),
  ]);
  const columns = ['RUN', 'STATUS', 'SINCE', 'SESSION'].map((title) => ({ title }));
  printTable([...columns, { title: 'TASK', flexible: true }], rows);
}

function showCommand(): Command {
  const command = new Command('show')
    .description('one run, with what the agent said and what it waits for')
    .argument('[run_id]', 'the run; with --session-id its latest one when left out')
    .option('--session-id <id>', 'look in this session only');
  withExamples(command, 'holdpoint runs show --session-id nightly');
  return withServer(command).action(async (typed: string | undefined, flags: ServerFlags & { sessionId?: string }) => {
    const client = await connect(flags);
    const run = await findRun(client, typed, flags.sessionId);
    if (flags.json) return printJson(run);
    const { work_folder } = await client.sessions.get(run.session_id);
    print(...runLines(run, work_folder, terminalWidth()));
    await tellSeen(client, ...run.pending_approvals, ...run.pending_questions);
  });
}

interface CancelFlags extends MutationFlags {
  sessionId?: string;
  reason?: string;
}

function cancelCommand(): Command {
  const command = new Command('cancel')
    .description('cancel a run; what it asks is cancelled with it')
    .argument('[run_id]', 'the run; with --session-id its latest one when left out')
    .option('--session-id <id>', 'look in this session only')
    .option('--reason <text>', 'why, for the record');
  withExamples(command, 'holdpoint runs cancel --session-id nightly --reason "started by mistake"');
  return withMutation(command).action(async (typed: string | undefined, flags: CancelFlags) => {
    const client = await connect(flags);
    const { run_id } = await findRun(client, typed, flags.sessionId);
    const { reason } = flags;
    const run = await once(flags, ({ idempotencyKey: idempotency_key }) =>
      client.runs.cancel(run_id, { idempotency_key, reason }),
    );
    if (flags.json) printJson(run);
    else print(...runStatusLines(run));
    const session = await client.sessions.get(run.session_id);
    if (isAttached(session)) note(`${oneLine(session.agent_id)} is not stopped by this: it goes on at its terminal`);
  });
}
