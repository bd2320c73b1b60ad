// `holdpoint audit`: exports the event log as JSON lines, and verifies one: that no event was altered, and that none which
// a signed checkpoint covers is missing. Verifying a file needs neither a server nor a token.
import { createPublicKey, hash, verify as hasSigned } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../../client/client.ts';
import { Audit, type AuditReport, eventOf } from '../../core/audit.ts';
import type { Verify } from '../../core/signing-keys.ts';
import { EventView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { repeated, type ServerFlags } from '../command-flags.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { note, print, printJson } from '../output.ts';
import { eventPages, PAGE_SIZE } from '../paging.ts';
import { connect } from '../server-connection.ts';
import { jsonText } from '../text/json-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function auditCommand(): Command {
  return new Command('audit', 'the event log as evidence: export, verify')
    .withExamples('holdpoint audit verify', 'holdpoint audit export --output log.jsonl')
    .withSubcommands(exportCommand(), verifyCommand());
}

function exportCommand(): Command {
  return new Command('export', 'every event, one on each line, oldest first')
    .option('--output <file>', 'a new file; standard output otherwise')
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
}

function verifyCommand(): Command {
  return new Command('verify', 'check that nothing was altered or is missing, in a file or on the server')
    .argument('[file...]', 'what `audit export` wrote; several parts of one log in any order; - is standard input')
    .option('--key <key>', 'a public key that must have signed it; may be repeated', repeated, [])
    .withExamples('holdpoint audit verify', 'holdpoint audit export | holdpoint audit verify -')
    .withServer()
    .action(async (files: string[], flags: VerifyFlags) => {
      const audit = new Audit((text) => hash('sha256', text), verifySignature, flags.key);
      const log = files.length > 0 ? readEvents(files) : wholeLog(await connect(flags));
      for await (const event of log) audit.add(eventOf(event));
      const report = audit.report();
      process.exitCode = report.faults.length > 0 ? EXIT.altered : EXIT.done;
      if (flags.json) return printJson({ ok: report.faults.length === 0, ...report });
      print(...reportLines(report));
    });
}

const wholeLog = (client: Client): AsyncGenerator<EventView> =>
  eventPages(async (after) => (await client.events.list({ after, limit: PAGE_SIZE })).items);

async function* readEvents(files: readonly string[]): AsyncGenerator<EventView> {
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
      throw new Failure('altered', `line ${at} of ${file} is not an event of Holdpoint`);
    }
  }
}

/** `x` is the key as in a checkpoint: the 32 bytes of an Ed25519 public key. */
export const verifySignature: Verify = (text, signature, x) => {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return hasSigned(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
};

function reportLines({
  faults,
  events,
  sessions,
  checkpoints,
  keys,
  signed_through_seq,
  unsigned_events,
}: AuditReport) {
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
    return [linked, line(span('! ', 'warn'), 'nothing is signed yet: the server signs every minute while it runs')];
  return [
    linked,
    line(
      span('✓ ', 'good'),
      `signed through event ${signed_through_seq} (checkpoints: ${checkpoints}; events since: ${unsigned_events})`,
    ),
    line(span(`  key ${keys.join(', ')}: store it elsewhere, and pass it with --key next time`, 'dim')),
  ];
}

const SHOWN_FAULTS = 20;
