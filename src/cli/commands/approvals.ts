// `holdpoint approvals`: lists, shows, allows and denies what agents want to do, one by one or all at once.
import { batchesOf } from '../../client/approval-groups.ts';
import { type Client, listAll } from '../../client/client.ts';
import type { AskView } from '../../core/views.ts';
import { type AlwaysFlags, alwaysOf, hasAlways, withAlways } from '../always-flags.ts';
import { type Behavior, decideBatches } from '../approval-batches.ts';
import { askSubcommands } from '../ask-subcommands.ts';
import { Command } from '../command.ts';
import { atMostOne, repeated, type Scope, type WaitFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { objectOf, readJson } from '../json-input.ts';
import { findAsk } from '../lookup.ts';
import { note } from '../output.ts';
import { connect } from '../server-connection.ts';
import { type Interruption, interruptible } from '../signals.ts';

interface DecideFlags extends WaitFlags, Scope, AlwaysFlags {
  always?: boolean;
  updatedInput?: string;
  updatedInputFile?: string;
  suggestion?: string[];
  justification?: string;
  reason?: string;
}

export function approvalsCommand(): Command {
  return new Command('approvals', 'what agents want to do: list, show, allow, deny')
    .withExamples('holdpoint approvals list', 'holdpoint approvals allow d1d077')
    .withSubcommands(
      ...askSubcommands('approval', 'd1d077'),
      allowCommand(),
      denyCommand(),
      allCommand('allow', 'holdpoint approvals allow-all --session-id nightly'),
      allCommand('deny', 'holdpoint approvals deny-all --reason "not tonight"'),
    );
}

const IDS = ['<request_id...>', 'the approval, or the beginning or end of its id; several may be given'] as const;
const REASON = ['--reason <text>', 'what the agent is told'] as const;

function allowCommand(): Command {
  const command = new Command(
    'allow',
    'let the agent do it; several approvals of one run are decided together or not at all',
  )
    .argument(...IDS)
    .option('--updated-input <json>', 'allow this instead of what the agent asked for')
    .option('--updated-input-file <file>', 'the same from a file; - for standard input')
    .option('--suggestion <id>', 'also allow what the agent suggests; may be repeated', repeated)
    .option('--always', 'also allow the same call from now on; preview it with `grants preview`')
    .withExamples(
      'holdpoint approvals allow d1d077 --justification "looked at it"',
      `holdpoint approvals allow d1d077 --updated-input '{"command":"rm -r build"}'`,
      'holdpoint approvals allow d1d077 --always --match "rm -rf build" --uses 3',
    );
  return decision(withAlways(command, 'with --always: '), 'look in').action((ids: string[], flags: DecideFlags) =>
    decideSome('allow', ids, flags),
  );
}

function denyCommand(): Command {
  const command = new Command('deny', 'refuse the call; the agent receives the reason and continues')
    .argument(...IDS)
    .option(...REASON)
    .withExamples('holdpoint approvals deny d1d077 --reason "use the staging database"');
  return decision(command, 'look in').action((ids: string[], flags: DecideFlags) => decideSome('deny', ids, flags));
}

function allCommand(behavior: Behavior, example: string): Command {
  const command = new Command(
    `${behavior}-all`,
    `${behavior} every pending approval; those of one run are decided together or not at all`,
  ).withExamples(example);
  if (behavior === 'deny') command.option(...REASON);
  return decision(command, 'in').action((flags: DecideFlags) => decideAll(behavior, flags));
}

const decision = (command: Command, verb: string): Command =>
  command
    .option('--justification <text>', 'why, for the record')
    .withScope(verb)
    .option('--wait', 'wait until the run has ended or asks again')
    .withMutation();

function decideSome(behavior: Behavior, typed: readonly string[], flags: DecideFlags): Promise<void> {
  const updated = updatedInput(flags);
  if (hasAlways(flags) && !flags.always)
    throw new Failure('usage', '--scope, --match, --uses and --expires-after-ms go with --always');
  if (updated && typed.length > 1)
    throw new Failure('usage', '--updated-input is for one approval; give one id, or leave it out');
  return interruptible('nothing was decided', async (interruption) => {
    const client = await interruption.or(connect(flags));
    const asks = new Map<string, AskView>();
    for (const id of typed) {
      const ask = await interruption.or(findAsk(client, 'approval', id, flags));
      asks.set(ask.ask_id, ask);
    }
    const isSingle = typed.length === 1;
    await decide(client, { behavior, asks: [...asks.values()], flags, updated, isSingle }, interruption);
  });
}

/** Approvals that are raised meanwhile stay pending. */
function decideAll(behavior: Behavior, flags: DecideFlags): Promise<void> {
  return interruptible('nothing was decided', async (interruption) => {
    const client = await interruption.or(connect(flags));
    const asks = await interruption.or(pendingIn(client, flags));
    if (asks.length === 0 && !flags.json) return note('no approval is pending; nothing was decided');
    await decide(client, { behavior, asks, flags, isSingle: false }, interruption);
  });
}

async function pendingIn(client: Client, { sessionId, runId }: Scope): Promise<AskView[]> {
  // A session or run that does not exist is an error, not an empty list.
  if (sessionId !== undefined) await client.sessions.get(sessionId);
  if (runId !== undefined) await client.runs.get(runId);
  const query = { kind: 'approval', status: 'pending', session_id: sessionId, run_id: runId } as const;
  return listAll((page) => client.asks.list({ ...query, ...page }));
}

interface Decided {
  behavior: Behavior;
  asks: readonly AskView[];
  flags: DecideFlags;
  updated?: Record<string, unknown> | undefined;
  isSingle: boolean;
}

function decide(client: Client, { behavior, asks, flags, updated, isSingle }: Decided, interruption: Interruption) {
  const batches = batchesOf(asks, (ask) => ({
    request_id: ask.ask_id,
    behavior,
    ...(updated && { updated_input: updated }),
    ...(flags.always && ask.kind === 'approval' && { always: alwaysOf(flags, ask) }),
    ...(flags.suggestion && { suggestion_ids: flags.suggestion }),
    ...(flags.reason !== undefined && { reason: flags.reason }),
    ...(flags.justification !== undefined && { justification: flags.justification }),
  }));
  return decideBatches(client, { behavior, batches, flags, isSingle }, interruption);
}

function updatedInput({ updatedInput: json, updatedInputFile: file }: DecideFlags) {
  const flag = atMostOne({ '--updated-input': json, '--updated-input-file': file });
  return flag === undefined ? undefined : objectOf(flag, readJson(flag, { json, file }));
}
