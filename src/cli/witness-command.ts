// `holdpoint audit witness`: hands the newest signed checkpoint of the log to a witness: a file, a git repository, a URL.
// Each gets the same line of JSON; one that it has already is not written again.
import { execFile } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, PAGE_SIZE } from '../client/client.ts';
import { CHECKPOINT, Checkpoint, signedText } from '../core/checkpoint.ts';
import { canonical } from '../core/digest.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { verifySignature } from '../node/ed25519.ts';
import { Command } from './command.ts';
import type { ServerFlags } from './command-flags.ts';
import { Failure } from './failure.ts';
import { note, printJson } from './output.ts';
import { eventPages } from './paging.ts';
import { connect } from './server-connection.ts';

const GIT_FILE = 'holdpoint-witness.jsonl';
/** How far back the newest checkpoint is looked for at first. */
const STRETCH = 2000;
const TIMEOUT_MS = 30_000;

interface WitnessFlags extends ServerFlags {
  file?: string;
  git?: string;
  to?: string;
}

export function witnessCommand(): Command {
  return new Command('witness', 'hand the newest signed checkpoint to a witness, for `audit verify --witness`')
    .option('--file <file>', 'append it to a file, ideally on another machine')
    .option('--git <folder>', `append it to ${GIT_FILE} in a git repository, and commit that`)
    .option('--to <url>', 'POST it to a URL')
    .withExamples('holdpoint audit witness --file witness.jsonl')
    .withServer()
    .action(async ({ file, git, to, ...flags }: WitnessFlags) => {
      if (file === undefined && git === undefined && to === undefined)
        throw new Failure('usage', 'name a witness: --file, --git or --to');
      const checkpoint = await newestCheckpoint(await connect(flags));
      if (!checkpoint) return note('nothing is signed yet: the server signs once a minute while it runs');
      const line = canonical(checkpoint);
      const through = checkpoint.through_seq;
      const isNew = [
        file !== undefined && appendLine(file, line),
        git !== undefined && (await commitLine(git, line, through)),
        to !== undefined && (await postLine(to, line)),
      ].some(Boolean);
      if (flags.json) return printJson({ through_seq: through, key: checkpoint.key, is_new: isNew });
      note(isNew ? `witnessed through event ${through}` : `already witnessed through event ${through}`);
    });
}

/** The last one of the log, which is near its end: a longer stretch is read only where that has none. */
async function newestCheckpoint(client: Client): Promise<Checkpoint | undefined> {
  const end = (await client.sessions.list({ limit: 1 })).cursor ?? 0;
  for (let stretch = STRETCH; ; stretch *= 8) {
    const page = async (after: number) =>
      (await client.events.ofSession(SYSTEM_SESSION, { after, limit: PAGE_SIZE })).items;
    let found: unknown;
    for await (const { type, data } of eventPages(page, Math.max(0, end - stretch)))
      if (type === CHECKPOINT) found = data;
    if (found !== undefined) return verified(found);
    if (stretch >= end) return undefined;
  }
}

function verified(data: unknown): Checkpoint {
  const { data: said } = Checkpoint.safeParse(data);
  if (said && verifySignature(signedText(said), said.signature, said.key)) return said;
  throw new Failure('altered', 'the newest checkpoint of the log has a false signature: run `holdpoint audit verify`');
}

/** False: its last line says the same. */
function appendLine(file: string, line: string): boolean {
  try {
    const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (known.trimEnd().split('\n').at(-1) === line) return false;
    const isCutOff = known !== '' && !known.endsWith('\n');
    const to = openSync(file, 'a');
    writeSync(to, `${isCutOff ? '\n' : ''}${line}\n`);
    fsyncSync(to);
    closeSync(to);
    return true;
  } catch (error) {
    throw new Failure('unexpected', `cannot write the witness ${file}: ${(error as Error).message}`);
  }
}

async function commitLine(folder: string, line: string, through: number): Promise<boolean> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args]);
  const isNew = appendLine(join(folder, GIT_FILE), line);
  try {
    await git('add', '--', GIT_FILE);
    // A line whose commit failed the last time is committed now.
    const { stdout } = await git('status', '--porcelain', '--', GIT_FILE);
    if (stdout !== '') await git('commit', '--quiet', '-m', `Witness the log through event ${through}`, '--', GIT_FILE);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Failure('unexpected', `git did not commit in ${folder}: ${(stderr || message).trim()}`);
  }
  return isNew;
}

async function postLine(url: string, line: string): Promise<boolean> {
  const headers = { 'content-type': 'application/jsonl' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { ok, status } = await fetch(url, { method: 'POST', headers, body: `${line}\n`, signal });
    if (ok) return true;
    throw new Error(`it answered ${status}`);
  } catch (error) {
    throw new Failure('unreachable', `the witness at ${url} did not take it: ${(error as Error).message}`);
  }
}
