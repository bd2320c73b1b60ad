// `holdpoint runs`: lists, shows and cancels runs.

import { Option } from 'commander';
import { duration } from '../../client/times.ts';
import { isTerminal, RUN_STATUSES, type RunStatus } from '../../core/run.ts';
import { isAttached } from '../../core/session.ts';
import { Command } from '../command.ts';
import { type MutationFlags, type ServerFlags, wholeNumber } from '../command-flags.ts';
import { findRun, findSession } from '../lookup.ts';
import { note, print, printJson, printList, terminalWidth } from '../output.ts';
import { newestRuns } from '../paging.ts';
import { signLinesOf } from '../risk-signs.ts';
import { connect, once } from '../server-connection.ts';
import { reportSighting } from '../sighting.ts';
import { runLines, runStatusLines, statusSpan } from '../text/run-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function runsCommand(): Command {
  return new Command('runs', 'runs of agents: list, show, cancel')
    .withExamples('holdpoint runs list', 'holdpoint runs show --session-id nightly')
    .withSubcommands(listCommand(), showCommand(), cancelCommand());
}

interface ListFlags extends ServerFlags {
  sessionId?: string;
  status?: RunStatus;
  all?: boolean;
  limit?: string;
}

function listCommand(): Command {
  return new Command('list', 'open runs, newest first')
    .option('--session-id <id>', 'only those of this session, including ended ones')
    .addOption(new Option('--status <status>', 'only those with this status').choices(RUN_STATUSES))
    .option('--all', 'include ended ones')
    .option('--limit <number>', 'at most this many')
    .withExamples('holdpoint runs list', 'holdpoint runs list --session-id nightly --json')
    .withServer()
    .action(list);
}

async function list(flags: ListFlags): Promise<void> {
  const limit = wholeNumber('--limit', flags.limit);
  const client = await connect(flags);
  const session = flags.sessionId === undefined ? undefined : await findSession(client, flags.sessionId);
  const query = { ...(session && { session_id: session.session_id }), ...(flags.status && { status: flags.status }) };
  const everything = flags.all || flags.status !== undefined || session !== undefined;
  // Open runs are listed by status, so that the server does not send all runs of the past.
  const queries = everything
    ? [query]
    : RUN_STATUSES.filter((status) => !isTerminal(status)).map((status) => ({ status }));
  const lists = await Promise.all(queries.map((one) => newestRuns(client, one, limit)));
  const runs = lists
    .flat()
    .sort((a, b) => b.submitted_at_ms - a.submitted_at_ms)
    .slice(0, limit);
  const now = Date.now();
  printList(runs, flags, everything ? 'there is no such run' : 'no run is open; --all shows ended ones', {
    run: (run) => line(span(run.run_id, 'bold')),
    status: (run) => line(statusSpan(run.status)),
    since: (run) => duration(now - run.updated_at_ms),
    session: (run) => line(span(run.session_id, 'dim')),
    task: (run) => oneLine(run.request.text_preview),
  });
}

function showCommand(): Command {
  return new Command('show', 'one run, with its output and open requests')
    .argument('[run_id]', 'the run; with --session-id its latest one when left out')
    .option('--session-id <id>', 'look in this session only')
    .withExamples('holdpoint runs show --session-id nightly')
    .withServer()
    .action(async (typed: string | undefined, flags: ServerFlags & { sessionId?: string }) => {
      const client = await connect(flags);
      const run = await findRun(client, typed, flags.sessionId);
      if (flags.json) return printJson(run);
      const { work_folder } = await client.sessions.get(run.session_id);
      const asks = [...run.pending_approvals, ...run.pending_questions];
      print(...runLines(run, work_folder, await signLinesOf(client, asks, terminalWidth()), terminalWidth()));
      await reportSighting(client, ...asks);
    });
}

interface CancelFlags extends MutationFlags {
  sessionId?: string;
  reason?: string;
}

function cancelCommand(): Command {
  return new Command('cancel', 'cancel a run and its open requests')
    .argument('[run_id]', 'the run; with --session-id its latest one when left out')
    .option('--session-id <id>', 'look in this session only')
    .option('--reason <text>', 'why, for the record')
    .withExamples('holdpoint runs cancel --session-id nightly --reason "started by mistake"')
    .withMutation()
    .action(async (typed: string | undefined, flags: CancelFlags) => {
      const client = await connect(flags);
      const { run_id } = await findRun(client, typed, flags.sessionId);
      const { reason } = flags;
      const run = await once(flags, ({ idempotencyKey: idempotency_key }) =>
        client.runs.cancel(run_id, { idempotency_key, reason }),
      );
      if (flags.json) printJson(run);
      else print(...runStatusLines(run));
      const session = await client.sessions.get(run.session_id);
      if (isAttached(session))
        note(`this does not stop ${oneLine(session.agent_id)}, which keeps running at its own terminal`);
    });
}
