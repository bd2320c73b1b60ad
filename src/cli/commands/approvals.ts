// `holdpoint approvals`: what agents want to do. List, show, allow, deny; all at once too. Decisions are sent as one
// atomic batch for each run, never as one for several, and reported run by run.
import { Command } from 'commander';
import { type Client, every } from '../../client/client.ts';
import type { AskView } from '../../core/views.ts';
import { type BatchResult, batchesOf, decideBatches } from '../approval-batches.ts';
import { reportBatches } from '../approval-report.ts';
import { findAsk, type Scope } from '../ask-lookup.ts';
import { addAskList, addAskShow } from '../ask-subcommands.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { objectOf, readJson } from '../json-input.ts';
import { printJson } from '../output.ts';
import { setExitOf } from '../run-wait.ts';
import { connect, type MutationFlags, note, withMutation } from '../server-connection.ts';

type Behavior = 'allow' | 'deny';

interface DecideFlags extends MutationFlags, Scope {
  updatedInput?: string;
  updatedInputFile?: string;
  suggestion?: string[];
  justification?: string;
  reason?: string;
  wait?: boolean;
}

export function approvalsCommand(): Command {
  const command = new Command('approvals').description('what agents want to do: list, show, allow, deny');
  withExamples(command, 'holdpoint approvals list', 'holdpoint approvals allow d1d077');
  addAskList(command, {
    kind: 'approval',
    list: ({ approvals }, session, page) => (session ? approvals.ofSession(session, page) : approvals.list(page)),
    examples: ['holdpoint approvals list', 'holdpoint approvals list --session-id nightly --json'],
  });
  addAskShow(command, 'approval', ['holdpoint approvals show d1d077']);
  for (const add of [allowCommand, denyCommand]) command.addCommand(add());
  for (const behavior of ['allow', 'deny'] as const) command.addCommand(allCommand(behavior));
  return command;
}

function allowCommand(): Command {
  const command = new Command('allow')
    .description('let the agent do it; several of one run are one atomic decision')
    .argument('<request_id...>', 'the approval, or the beginning or end of its id; several may be given')
    .option('--updated-input <json>', 'allow this instead of what the agent asked for')
    .option('--updated-input-file <file>', 'the same from a file; - for standard input')
    .option('--suggestion <id>', 'allow along with it what the agent suggests; may be repeated', each);
  withExamples(
    command,
    'holdpoint approvals allow d1d077 --justification "looked at it"',
    `holdpoint approvals allow d1d077 --updated-input '{"command":"rm -r build"}'`,
  );
  return decision(command, 'allow', 'look in').action((typed: string[], flags: DecideFlags) =>
    decideSome('allow', typed, flags),
  );
}

/** Not variadic: that would take the ids for further ones. */
const each = (id: string, before: string[] = []): string[] => [...before, id];

function denyCommand(): Command {
  const command = new Command('deny')
    .description('do not let the agent do it; it is told why and goes on')
    .argument('<request_id...>', 'the approval, or the beginning or end of its id; several may be given');
  withExamples(command, 'holdpoint approvals deny d1d077 --reason "use the staging database"');
  return decision(command, 'deny', 'look in').action((typed: string[], flags: DecideFlags) =>
    decideSome('deny', typed, flags),
  );
}

function allCommand(behavior: Behavior): Command {
  const command = new Command(`${behavior}-all`).description(
    `${behavior} everything that is pending; one atomic batch for each run`,
  );
  withExamples(
    command,
    behavior === 'allow'
      ? 'holdpoint approvals allow-all --session-id nightly'
      : 'holdpoint approvals deny-all --reason "not tonight"',
  );
  return decision(command, behavior, 'of').action((flags: DecideFlags) => decideAll(behavior, flags));
}

function decision(command: Command, behavior: Behavior, verb: string): Command {
  if (behavior === 'deny') command.option('--reason <text>', 'what the agent is told');
  command
    .option('--justification <text>', 'why, for the record')
    .option('--session-id <id>', `${verb} this session only`)
    .option('--run-id <id>', `${verb} this run only`)
    .option('--wait', 'until the run has ended or asks again');
  return withMutation(command);
}

async function decideSome(behavior: Behavior, typed: readonly string[], flags: DecideFlags): Promise<void> {
  const updated = updatedInput(flags);
  if (updated && typed.length > 1)
    throw new Failure('usage', '--updated-input is for one approval; give one id, or leave it out');
  const client = await connect(flags);
  const asks = new Map<string, AskView>();
  for (const id of typed) {
    const ask = await findAsk(client, 'approval', id, flags);
    asks.set(ask.ask_id, ask);
  }
  const results = await send(client, behavior, [...asks.values()], flags, updated);
  const [only] = results;
  if (typed.length > 1 || !only) return reportBatches(behavior, results, flags);
  if (only.run === undefined) throw only.error;
  if (!flags.json) return reportBatches(behavior, results, flags);
  if (flags.wait) setExitOf(only.run);
  printJson(only.run);
}

/** What is raised while this is under way stays pending. */
async function decideAll(behavior: Behavior, flags: DecideFlags): Promise<void> {
  const client = await connect(flags);
  // A session or run that does not exist is an error, not an empty list.
  if (flags.sessionId !== undefined) await client.sessions.get(flags.sessionId);
  if (flags.runId !== undefined) await client.runs.get(flags.runId);
  const query = { kind: 'approval', status: 'pending', session_id: flags.sessionId, run_id: flags.runId } as const;
  const asks: AskView[] = [];
  for await (const ask of every((page) => client.asks.list({ ...query, limit: 500, ...page }))) asks.push(ask);
  if (asks.length > 0 || flags.json) return reportBatches(behavior, await send(client, behavior, asks, flags), flags);
  note('no approval is pending; nothing was decided');
}

function send(
  client: Client,
  behavior: Behavior,
  asks: readonly AskView[],
  flags: DecideFlags,
  updated?: Record<string, unknown>,
): Promise<BatchResult[]> {
  const batches = batchesOf(asks, (ask) => ({
    request_id: ask.ask_id,
    behavior,
    ...(updated && { updated_input: updated }),
    ...(flags.suggestion && { suggestion_ids: flags.suggestion }),
    ...(flags.reason !== undefined && { reason: flags.reason }),
    ...(flags.justification !== undefined && { justification: flags.justification }),
  }));
  return decideBatches(client, batches, flags);
}

function updatedInput({ updatedInput: json, updatedInputFile: file }: DecideFlags) {
  if (json === undefined && file === undefined) return undefined;
  if (json !== undefined && file !== undefined)
    throw new Failure('usage', '--updated-input and --updated-input-file exclude each other');
  const what = json === undefined ? '--updated-input-file' : '--updated-input';
  return objectOf(what, readJson(what, { json, file }));
}
