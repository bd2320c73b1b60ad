// `holdpoint demo`: a believable coding session with the mock agent, shown and answered at this terminal. Plays on the
// server that runs here, else on one of its own that leaves nothing behind. Without a terminal, or with --auto, a
// scripted person answers. Ctrl-C answers nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Client, createClient } from '../../client/client.ts';
import { sleep } from '../../client/http.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { hasEnded } from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import { playSession } from '../demo-session.ts';
import { left } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { paint, printJson, terminalWidth } from '../output.ts';
import { ownName } from '../program-name.ts';
import { personAt, scriptedPerson } from '../prompt/answerer.ts';
import { addressOf, probe, tokenOf, wholeNumber } from '../server-connection.ts';
import { onLeave } from '../signals.ts';
import { type Reach, settingsElsewhere } from '../startup-hints.ts';
import { crop, wrap } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { settingsOf } from './serve.ts';

interface DemoFlags {
  url?: string;
  token?: string;
  own?: boolean;
  auto?: boolean;
  json?: boolean;
  pauseMs: string;
}

interface Place {
  url: string;
  client: Client;
  /** How to name the token in a shell without showing it. */
  tokenInShell: string;
  /** How else it can be answered. */
  elsewhere: string;
  close(): Promise<void>;
}

const TASK = 'make the test suite pass again';

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('watch an agent stop and ask, and answer it')
    .option('--url <address>', 'play on this server (HOLDPOINT_URL); on the one that runs here otherwise')
    .option('--token <secret>', 'token (HOLDPOINT_TOKEN; otherwise the one in the state folder)')
    .option('--own', 'play on a server of its own that leaves nothing behind, as when none is running')
    .option('--auto', 'let a scripted person answer, as without a terminal')
    .option('--json', 'the same, and print nothing but the asks and their answers, as JSON')
    .option('--pause-ms <number>', 'how long the scripted person thinks', '700');
  withExamples(command, 'holdpoint demo', 'holdpoint demo --auto --own');
  return command.action(demo);
}

async function demo(flags: DemoFlags): Promise<void> {
  const pauseMs = wholeNumber('--pause-ms', flags.pauseMs) ?? 0;
  const place = await findPlace(flags, process.env);
  try {
    await show(place, flags, pauseMs);
  } finally {
    await place.close();
  }
}

async function findPlace(flags: DemoFlags, env: NodeJS.ProcessEnv): Promise<Place> {
  const named = flags.url ?? env.HOLDPOINT_URL;
  if (flags.own || (!named && !(await isServing(flags, env)))) return ownPlace();
  const url = addressOf(named || serverUrl(env));
  await probe(url);
  const isGiven = flags.token !== undefined || env.HOLDPOINT_TOKEN;
  return {
    url,
    client: createClient({ url, token: tokenOf(flags, env), surface: 'cli' }),
    tokenInShell: isGiven ? '$HOLDPOINT_TOKEN' : `$(cat ${join(stateFolder(env), 'operator.token')})`,
    elsewhere: elsewhere({ url, data: stateFolder(env), token: isGiven ? '' : undefined }),
    close: async () => {},
  };
}

/** In the inbox, in another terminal. */
const elsewhere = (reach: Reach): string =>
  `in another terminal: ${[...settingsElsewhere(reach), ownName()].join(' ')} inbox`;

/** Whether a server runs where one would be looked for, and takes our token. */
async function isServing(flags: DemoFlags, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    const client = createClient({ url: serverUrl(env), token: tokenOf(flags, env), retryForMs: 0, timeoutMs: 2000 });
    await client.sessions.list({ limit: 1 });
    return true;
  } catch {
    return false;
  }
}

async function ownPlace(): Promise<Place> {
  const data = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  const flags = { host: '127.0.0.1', port: '0', data, log: 'error', allowHost: [], allowOrigin: [] };
  const { startServer } = await import('../../boot/server.ts');
  const server = await startServer(settingsOf(flags, {}));
  return {
    url: server.url,
    client: createClient({ url: server.url, token: server.token, surface: 'cli' }),
    tokenInShell: `$(cat ${join(data, 'operator.token')})`,
    elsewhere: elsewhere({ url: server.url, data, token: undefined }),
    async close() {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function show({ url, client, tokenInShell, elsewhere }: Place, flags: DemoFlags, pauseMs: number): Promise<void> {
  const atTerminal = !flags.auto && !flags.json && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const person = atTerminal
    ? personAt({ input: process.stdin, output: process.stdout })
    : scriptedPerson((signal) => sleep(pauseMs, signal));
  const leaving = new AbortController();
  const leave = () => leaving.abort(left('left; nothing more was answered'));
  const endListening = onLeave(leave);
  const print = (...lines: Line[]) => {
    if (!flags.json) for (const of of lines) process.stdout.write(`${paint(of)}\n`);
  };
  const width = terminalWidth();
  try {
    print(line(span('Holdpoint demo', 'bold'), span(`  ${url}`, 'dim')));
    const intro = `An agent works and asks. ${atTerminal ? 'Answer here' : 'A scripted person answers'}, or ${elsewhere}`;
    print(...wrap(line(span(intro, 'dim')), width), []);
    const asks = await playSession({
      client,
      person,
      print,
      width,
      task: TASK,
      tokenInShell,
      showsCurl: !atTerminal,
      signal: leaving.signal,
    });
    if (flags.json) printJson(asks);
    print(
      [],
      line(span('What the agent received', 'bold')),
      ...asks.filter(hasEnded).map((ask) => received(ask, width)),
    );
  } finally {
    endListening();
  }
}

function received(ask: AskView & { answer: NonNullable<AskView['answer']> }, width: number): Line {
  const { outcome, behavior, reason, answers, answered_by, surface } = ask.answer;
  const given = answers?.flatMap((a) => a.selected_option_ids ?? [a.freeform_answer ?? '']).join(', ');
  const what = `${behavior ?? given ?? outcome}${reason ? `: ${reason}` : ''}`;
  return crop(
    line(
      `  ${oneLine(ask.tool_call_id)} `,
      span('← ', 'dim'),
      `${oneLine(what)} `,
      span(`(${oneLine(answered_by)}, ${surface}; ${ask.delivery.state})`, 'dim'),
    ),
    width,
  );
}
