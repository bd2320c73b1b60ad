// `holdpoint questions`: what agents want to know. List, show, answer and cancel; answering has its own file.
import { Command } from 'commander';
import { findAsk, type Scope } from '../ask-lookup.ts';
import { addAskList, addAskShow } from '../ask-subcommands.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson } from '../output.ts';
import { questionsAnswerCommand } from '../questions-answer.ts';
import { connect, type MutationFlags, once, withMutation } from '../server-connection.ts';
import { runStatusLines } from '../text/run-text.ts';

export function questionsCommand(): Command {
  const command = new Command('questions').description('what agents want to know: list, show, answer, cancel');
  withExamples(command, 'holdpoint questions list', 'holdpoint questions answer 781b0c --interactive');
  addAskList(command, {
    kind: 'question',
    list: ({ questions }, session, page) => (session ? questions.ofSession(session, page) : questions.list(page)),
    examples: ['holdpoint questions list', 'holdpoint questions list --session-id nightly --json'],
  });
  addAskShow(command, 'question', ['holdpoint questions show 781b0c']);
  command.addCommand(questionsAnswerCommand());
  command.addCommand(cancelCommand());
  return command;
}

interface CancelFlags extends MutationFlags, Scope {
  justification?: string;
}

function cancelCommand(): Command {
  const command = new Command('cancel')
    .description('withdraw a question: its run is cancelled; a clarification is declined')
    .argument('<request_id>', 'the question, or the beginning or end of its id')
    .option('--run-id <id>', 'the run that asks; required with --idempotency-key')
    .option('--session-id <id>', 'look in this session only')
    .option('--justification <text>', 'why, for the record');
  withExamples(command, 'holdpoint questions cancel 781b0c --justification "no longer needed"');
  return withMutation(command).action(cancel);
}

async function cancel(typed: string, flags: CancelFlags): Promise<void> {
  if (flags.idempotencyKey !== undefined && flags.runId === undefined)
    throw new Failure(
      'usage',
      '--idempotency-key needs --run-id here: once cancelled, the question can no longer be found by itself',
    );
  const client = await connect(flags);
  const { run_id, ask_id } = await findAsk(client, 'question', typed, flags);
  const body = flags.justification === undefined ? {} : { justification: flags.justification };
  const run = await once(flags, (options) => client.questions.cancel(run_id, ask_id, body, options));
  if (flags.json) return printJson(run);
  print(...runStatusLines(run));
}
