// `holdpoint demo`: a believable coding session with the mock agent, shown and answered at this terminal. Without a
// terminal, or with --auto, a scripted person answers. Ctrl-C answers nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import pc from 'picocolors';
import { startServer } from '../boot.ts';
import { type Client, createClient } from '../client/client.ts';
import { sleep } from '../client/http.ts';
import { findToken, stateFolder } from '../client/local.ts';
import { hasEnded } from '../client/outcome.ts';
import { personAt, scriptedPerson } from './demo-person.ts';
import { Left, playSession } from './demo-session.ts';
import { oneLine, printable } from './printable.ts';
import { settingsOf } from './serve.ts';

interface DemoFlags {
  auto?: boolean;
  pauseMs: string;
}

interface Place {
  url: string;
  client: Client;
  /** How to name the token in a shell without showing it. */
  tokenInShell: string;
  close(): Promise<void>;
}

const TASK = 'make the test suite pass again';
const INTERRUPTED = 130;

export function demoCommand(): Command {
  return new Command('demo')
    .description('watch an agent stop and ask, and answer it')
    .option('--auto', 'let a scripted person answer, as without a terminal')
    .option('--pause-ms <number>', 'how long the scripted person thinks', '700')
    .action(demo);
}

async function demo(flags: DemoFlags): Promise<void> {
  let place: Place | undefined;
  try {
    place = await findPlace();
    await show(place, flags);
  } catch (error) {
    if (error instanceof Left) {
      process.stderr.write(`\n${error.message}\n`);
      process.exitCode = INTERRUPTED;
      return;
    }
    process.stderr.write(`holdpoint: ${(error as Error).message}\n`);
    process.exitCode = 1;
  } finally {
    await place?.close();
  }
}

/** The server that HOLDPOINT_URL names, or one of our own that leaves nothing behind. */
async function findPlace(): Promise<Place> {
  const { HOLDPOINT_URL: url } = process.env;
  if (url) {
    const client = createClient({ url, token: findToken(process.env, ['operator.token']), surface: 'cli' });
    const kept = `$(cat ${join(stateFolder(process.env), 'operator.token')})`;
    return {
      url,
      client,
      tokenInShell: process.env.HOLDPOINT_TOKEN ? '$HOLDPOINT_TOKEN' : kept,
      close: async () => {},
    };
  }
  const data = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  const flags = { host: '127.0.0.1', port: '0', data, log: 'error', allowHost: [], allowOrigin: [] };
  const server = await startServer(settingsOf(flags, {}));
  return {
    url: server.url,
    client: createClient({ url: server.url, token: server.token, surface: 'cli' }),
    tokenInShell: `$(cat ${join(data, 'operator.token')})`,
    async close() {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function show({ url, client, tokenInShell }: Place, flags: DemoFlags): Promise<void> {
  const atTerminal = !flags.auto && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const person = atTerminal
    ? personAt({ input: process.stdin, output: process.stdout })
    : scriptedPerson((signal) => sleep(Number(flags.pauseMs), signal));
  const leaving = new AbortController();
  const leave = () => leaving.abort(new Left('Nothing more was answered.'));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  if (atTerminal) process.stdin.once('end', leave);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  try {
    print(`${pc.bold('Holdpoint demo')}  ${pc.dim(url)}`);
    print(pc.dim(`Anybody may answer instead: docs at ${url}/docs, or with curl as shown below.\n`));
    const told = await playSession({ client, person, print, task: TASK, tokenInShell, signal: leaving.signal });
    print(`\n${printable(told.lastMessage)}\n`);
    print(pc.bold('What the agent received'));
    for (const ask of told.asks) {
      if (!hasEnded(ask)) continue;
      const { outcome, behavior, reason, answers, answered_by, surface } = ask.answer;
      const what =
        behavior ?? answers?.flatMap((a) => a.selected_option_ids ?? [a.freeform_answer ?? '']).join(', ') ?? outcome;
      const why = reason ? `: ${reason}` : '';
      print(
        `  ${oneLine(ask.tool_call_id)} ${pc.dim('←')} ${oneLine(what + why)} ${pc.dim(`(${answered_by}, ${surface}; ${ask.delivery.state})`)}`,
      );
    }
  } finally {
    process.removeListener('SIGINT', leave);
    process.removeListener('SIGTERM', leave);
    process.stdin.removeListener('end', leave);
  }
}
