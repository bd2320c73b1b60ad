// `holdpoint audit`: takes the whole log out as JSON lines, and checks one: that nothing in it was altered, and that
// nothing a signed checkpoint vouched for is missing. Checking a file needs no server and no token.
import { createPublicKey, hash, verify as hasSigned } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { type AuditReport, createAudit, eventOf, type Verify } from '../../core/audit.ts';
import { EventView } from '../../core/views.ts';
import { EVENTS_A_PAGE, eventPages } from '../event-pages.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson } from '../output.ts';
import { connect, note, type ServerFlags, withServer } from '../server-connection.ts';
import { jsonText } from '../text/json-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function auditCommand(): Command {
  const command = new Command('audit').description('the log as evidence: export, verify');
  withExamples(command, 'holdpoint audit verify', 'holdpoint audit export --output log.jsonl');
  return command.addCommand(exportCommand()).addCommand(verifyCommand());
}

function exportCommand(): Command {
  const command = new Command('export')
    .description('every event, one on each line, oldest first')
    .option('--output <file>', 'a new file; otherwise standard output');
  withExamples(command, 'holdpoint audit export --output log.jsonl', 'holdpoint audit export | gzip > log.jsonl.gz');
  return withServer(command).action(async ({ output, ...flags }: ServerFlags & { output?: string }) => {
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
      throw new Failure('usage', `${output} is there already: name a new file`);
    });
    if (flags.json) return printJson({ file: output, events: count });
    note(`${count} events in ${output}; check them with \`holdpoint audit verify ${output}\``);
  });
}

interface VerifyFlags extends ServerFlags {
  key: string[];
}

function verifyCommand(): Command {
  const command = new Command('verify')
    .description('was anything altered, is anything missing? Of a file without a server, or of the server at hand')
    .argument('[file...]', 'what `audit export` wrote; several parts of one log in any order; - is standard input')
    .option(
      '--key <key>',
      'the public key that must have signed; again for another one',
      (key: string, all: string[]) => [...all, key],
      [],
    );
  withExamples(command, 'holdpoint audit verify', 'holdpoint audit export | holdpoint audit verify -');
  return withServer(command).action(async (files: string[], flags: VerifyFlags) => {
    const audit = createAudit((text) => hash('sha256', text), verifySignature, flags.key);
    const log = files.length > 0 ? filed(files) : wholeLog(await connect(flags));
    for await (const event of log) audit.add(eventOf(event));
    const report = audit.report();
    process.exitCode = report.faults.length > 0 ? EXIT.altered : EXIT.done;
    if (flags.json) return printJson({ ok: report.faults.length === 0, ...report });
    print(...linesOf(report));
  });
}

const wholeLog = (client: Client): AsyncGenerator<EventView> =>
  eventPages(async (after) => (await client.events.list({ after, limit: EVENTS_A_PAGE })).items);

async function* filed(files: readonly string[]): AsyncGenerator<EventView> {
  for (const file of files) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    let at = 0;
    try {
      for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        at += 1;
        if (text.trim() !== '') yield EventView.parse(JSON.parse(text));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined)
        throw new Failure('usage', `cannot read ${file}: ${(error as Error).message}`);
      throw new Failure('altered', `line ${at} of ${file} is no event of Holdpoint`);
    }
  }
}

/** The key as it stands in a checkpoint: the 32 bytes of an Ed25519 key. */
export const verifySignature: Verify = (text, signature, x) => {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return hasSigned(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
};

function linesOf({ faults, events, sessions, checkpoints, keys, signed_through_seq, unsigned_events }: AuditReport) {
  if (faults.length > 0) {
    const more = faults.length - SHOWN_FAULTS;
    return [
      ...faults.slice(0, SHOWN_FAULTS).map((fault) => line(span('✗ ', 'bad'), oneLine(fault))),
      ...(more > 0 ? [line(span(`  and ${more} more: --json lists them all`, 'dim'))] : []),
      line(span('This log was altered, or part of it is missing.', 'bad')),
    ];
  }
  const linked = line(span('✓ ', 'good'), `${events} events in ${sessions} sessions, each linked to the one before it`);
  if (checkpoints === 0)
    return [linked, line(span('! ', 'warn'), 'nothing is signed yet: the server does so every minute that it runs')];
  return [
    linked,
    line(
      span('✓ ', 'good'),
      `signed through event ${signed_through_seq} (checkpoints: ${checkpoints}; events since: ${unsigned_events})`,
    ),
    line(span(`  key ${keys.join(', ')}: keep it elsewhere, and give it with --key next time`, 'dim')),
  ];
}

const SHOWN_FAULTS = 20;
