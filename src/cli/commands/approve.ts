// `holdpoint approve`: asks a person to allow one action of a shell script. A person may change the input only with --editable:
// a script that reads nothing but the exit code would run the unchanged one.
import { Command } from '../command.ts';
import { atMostOne } from '../command-flags.ts';
import { objectOf, readJson } from '../json-input.ts';
import { note, printJsonLine } from '../output.ts';
import { askFromShell, type ShellAskFlags } from '../shell-ask.ts';

interface ApproveFlags extends ShellAskFlags {
  tool: string;
  inputJson?: string;
  inputFile?: string;
  reason?: string;
  editable?: boolean;
}

export function approveCommand(): Command {
  return new Command('approve', 'ask a person to allow an action of a script; exit code 0 only if it is allowed')
    .requiredOption('--tool <name>', 'what would be used: a program, a script, a step')
    .option('--input-json <json>', 'what it would be given: a JSON object')
    .option('--input-file <file>', 'the same from a file; - for standard input')
    .option('--reason <text>', 'why it is needed')
    .option(
      '--editable',
      'the person may change the input; what was allowed is printed as JSON, and nothing else may run',
    )
    .withWaiting()
    .withExamples(
      `holdpoint approve --tool deploy --input-json '{"target":"production"}' --wait-ms 0 || true`,
      'holdpoint approve --tool publish --reason "version 1.2" --expires-after-ms 1 || echo "not allowed"',
    )
    .withServer()
    .action(approve);
}

async function approve(flags: ApproveFlags): Promise<void> {
  const given = { json: flags.inputJson, file: flags.inputFile };
  const flag = atMostOne({ '--input-json': given.json, '--input-file': given.file });
  const spec = {
    tool_name: flags.tool,
    input: flag === undefined ? {} : objectOf(flag, readJson(flag, given)),
    ...(flags.reason !== undefined && { reason: flags.reason }),
    ...(!flags.editable && { editable: false }),
  };
  await askFromShell(flags, spec, (outcome) => {
    if (outcome.kind !== 'approval' || !outcome.allowed || !flags.editable) return;
    if (outcome.edited) note(`${outcome.answered_by} changed the input: run what is printed`);
    printJsonLine(outcome.input);
  });
}
