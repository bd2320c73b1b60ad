// `holdpoint audit`: exports the event log as JSON lines, hands its checkpoints to a witness, and verifies it: that no event
// was altered, that none which a signed checkpoint covers is missing, and that the server's rows are what the log says.
// Verifying a file needs neither a server nor a token.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from '../command.ts';
import { listOption, type ServerFlags } from '../command-flags.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { auditFiles, auditServer, type LogReport, readWitness, wholeLog } from '../log-audit.ts';
import { note, print, printJson } from '../output.ts';
import { connect } from '../server-connection.ts';
import { jsonText } from '../text/json-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { witnessCommand } from '../witness-command.ts';

export function auditCommand(): Command {
  return new Command('audit', 'the event log as evidence: export, verify, witness')
    .withExamples('holdpoint audit verify', 'holdpoint audit export --output log.jsonl')
    .withSubcommands(exportCommand(), verifyCommand(), witnessCommand());
}

function exportCommand(): Command {
  return new Command('export', 'every event, one per line, oldest first')
    .option('--output <file>', 'a new file; by default standard output')
    .withExamples('holdpoint audit export --output log.jsonl', 'holdpoint audit export | gzip > log.jsonl.gz')
    .withServer()
    .action(async ({ output, ...flags }: ServerFlags & { output?: string }) => {
      const client = await connect(flags);
      let count = 0;
      const lines = async function* () {
        for await (const event of wholeLog(client)) {
          count += 1;
          yield `${jsonText(event)}\n`;
        }
      };
      if (output === undefined) return pipeline(Readable.from(lines()), process.stdout, { end: false });
      await pipeline(Readable.from(lines()), createWriteStream(output, { flags: 'wx', mode: 0o600 })).catch((error) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        throw new Failure('usage', `${output} already exists: name a new file`);
      });
      if (flags.json) return printJson({ file: output, events: count });
      note(`${count} events in ${output}; check them with \`holdpoint audit verify ${output}\``);
    });
}

interface VerifyFlags extends ServerFlags {
  key: string[];
  witness: string[];
}

function verifyCommand(): Command {
  return new Command('verify', 'check that nothing was altered or is missing, in a file or on the server')
    .argument('[file...]', 'what `audit export` wrote; several parts of one log in any order; - is standard input')
    .addOption(listOption('--key <key>', 'a public key that must have signed it; may be repeated'))
    .addOption(
      listOption('--witness <file>', 'what `audit witness` wrote, which the log must agree with; may be repeated'),
    )
    .withExamples('holdpoint audit verify', 'holdpoint audit export | holdpoint audit verify -')
    .withServer()
    .action(async (files: string[], flags: VerifyFlags) => {
      const wanted = { keys: flags.key, witnesses: flags.witness.map(readWitness) };
      const report =
        files.length > 0 ? await auditFiles(files, wanted) : await auditServer(await connect(flags), wanted);
      process.exitCode = report.faults.length > 0 ? EXIT.altered : EXIT.done;
      if (flags.json) return printJson({ ok: report.faults.length === 0, ...report });
      print(...reportLines(report));
    });
}

function reportLines(found: LogReport) {
  const { faults, events, sessions, checkpoints, keys } = found;
  if (faults.length > 0) {
    const more = faults.length - SHOWN_FAULTS;
    return [
      ...faults.slice(0, SHOWN_FAULTS).map((fault) => line(span('✗ ', 'bad'), oneLine(fault))),
      ...(more > 0 ? [line(span(`  and ${more} more: --json lists them all`, 'dim'))] : []),
      line(span('This log was altered, or part of it is missing.', 'bad')),
    ];
  }
  const good = (text: string) => line(span('✓ ', 'good'), text);
  const lines = [good(`${events} events in ${sessions} sessions, each linked to the one before it`)];
  if (found.rows !== undefined)
    lines.push(good(`${found.rows} rows of sessions, runs, requests, grants and tokens match the log`));
  if (found.witnessed_checkpoints !== undefined)
    lines.push(good(`checkpoints of the witness, all in this log: ${found.witnessed_checkpoints}`));
  if (checkpoints === 0)
    return [...lines, line(span('! ', 'warn'), 'nothing is signed yet: the server signs every minute while it runs')];
  return [
    ...lines,
    good(
      `signed through event ${found.signed_through_seq} (checkpoints: ${checkpoints}; events since: ${found.unsigned_events})`,
    ),
    line(span(`  key ${keys[0]}: store it elsewhere, and pass it with --key next time`, 'dim')),
    ...keys.slice(1).map((key) => line(span(`  then key ${key}, introduced by the one before it`, 'dim'))),
  ];
}

const SHOWN_FAULTS = 20;
