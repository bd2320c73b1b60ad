// `holdpoint ask`: puts one question to a person from a shell script, and prints the answer.
import { Command } from '../command.ts';
import { repeated } from '../command-flags.ts';
import { print } from '../output.ts';
import { askFromShell, type ShellAskFlags } from '../shell-ask.ts';
import { line } from '../text/spans.ts';

interface AskFlags extends ShellAskFlags {
  option?: string[];
  header?: string;
  context?: string;
  multiSelect?: boolean;
  other: boolean;
  secret?: boolean;
}

export function askCommand(): Command {
  return new Command('ask', 'ask a person from a script, and print the answer')
    .argument('<question>', 'what to ask')
    .option('--option <label>', 'an option to choose; may be repeated. Without options, the answer is text', repeated)
    .option('--multi-select', 'allow several options; the answer has one per line')
    .option('--no-other', 'accept only the listed options')
    .option('--header <text>', 'a short title')
    .option('--context <text>', 'what the person should know to answer')
    .option('--secret', 'the answer is secret: it is printed here, and shown and logged nowhere else')
    .withWaiting()
    .withExamples(
      'holdpoint ask "Deploy?" --option staging --option production --wait-ms 0 || true',
      'target=$(holdpoint ask "Where to?" --id release-42 --expires-after-ms 1) || echo "no answer, no deploy"',
    )
    .withServer()
    .action(ask);
}

function ask(question: string, flags: AskFlags): Promise<void> {
  const spec = {
    question,
    ...(flags.option && { options: flags.option }),
    ...(flags.header !== undefined && { header: flags.header }),
    ...(flags.context !== undefined && { context: flags.context }),
    ...(flags.multiSelect && { multi_select: true }),
    ...(!flags.other && { allow_other: false }),
    ...(flags.secret && { secret: true }),
  };
  return askFromShell(flags, spec, (outcome) => {
    if (outcome.kind !== 'question' || outcome.status !== 'answered') return;
    const lines = outcome.answers.flatMap(({ labels, text }) => [...labels, ...(text === undefined ? [] : [text])]);
    print(...lines.map((one) => line(one)));
  });
}
