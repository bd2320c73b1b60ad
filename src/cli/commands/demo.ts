// `holdpoint demo`: plays a coding session with the mock agent, shown and answered at this terminal. Uses the server that
// runs here, else one of its own that leaves nothing behind. Without a terminal, or with --auto, a script answers.
// Leaving answers nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../client/client.ts';
import { sleep } from '../../client/http.ts';
import type { AnswerView } from '../../client/inbox-feed.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import type { AskView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { wholeNumber } from '../command-flags.ts';
import { playSession } from '../demo-session.ts';
import { isInteractive, paint, printJson, terminalWidth } from '../output.ts';
import { programName } from '../program-name.ts';
import { scriptedAnswerer, terminalAnswerer } from '../prompt/answerer.ts';
import { addressOf, givenToken, probe, tokenOf } from '../server-connection.ts';
import { interruptible } from '../signals.ts';
import { type ServerAccess, settingsElsewhere } from '../startup-hints.ts';
import { crop, wrap } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { settingsOf } from './serve.ts';

interface DemoFlags {
  url?: string;
  token?: string;
  tokenFile?: string;
  own?: boolean;
  auto?: boolean;
  json?: boolean;
  pauseMs: string;
}

interface DemoServer {
  url: string;
  client: Client;
  /** A shell expression that yields the token without showing it. */
  tokenInShell: string;
  /** How to open the inbox of this server in another terminal. */
  inboxCommand: string;
  close(): Promise<void>;
}

const TASK = 'make the test suite pass again';

export function demoCommand(): Command {
  return new Command('demo', 'watch an agent stop and ask, and answer it')
    .option('--url <address>', 'use this server (HOLDPOINT_URL); by default the one that is running here')
    .withToken('file with the token (by default HOLDPOINT_TOKEN, or the one in the state folder)')
    .option('--own', 'use a temporary server that leaves nothing behind; the default when no server is running')
    .option('--auto', 'let a script answer; the default without a terminal')
    .option('--json', 'let a script answer, and print only the requests and their answers, as JSON')
    .option('--pause-ms <number>', 'how long the script waits before it answers', '700')
    .withExamples('holdpoint demo', 'holdpoint demo --auto --own')
    .action(demo);
}

function demo(flags: DemoFlags): Promise<void> {
  const pauseMs = wholeNumber('--pause-ms', flags.pauseMs) ?? 0;
  return interruptible('the demo was interrupted; nothing more was answered', async ({ signal, or }) => {
    const url = await or(runningServer(flags, process.env));
    const server = url === undefined ? await startTemporaryServer() : serverAt(url, flags, process.env);
    try {
      signal.throwIfAborted();
      await play(server, flags, pauseMs, signal);
    } finally {
      await server.close();
    }
  });
}

/** The address of the server to play on; undefined for a temporary one. */
async function runningServer(flags: DemoFlags, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = flags.url ?? env.HOLDPOINT_URL;
  if (flags.own || (!named && !(await isServing(flags, env)))) return undefined;
  const url = addressOf(named || serverUrl(env));
  await probe(url);
  return url;
}

function serverAt(url: string, flags: DemoFlags, env: NodeJS.ProcessEnv): DemoServer {
  const isGiven = givenToken(flags) !== undefined || env.HOLDPOINT_TOKEN;
  const data = stateFolder(env);
  return {
    url,
    client: createClient({ url, token: tokenOf(flags, env), surface: 'cli' }),
    tokenInShell: isGiven ? '$HOLDPOINT_TOKEN' : tokenFileInShell(data),
    inboxCommand: inboxCommandFor({ url, data, token: isGiven ? '' : undefined }),
    close: async () => {},
  };
}

const tokenFileInShell = (data: string): string => `$(cat ${join(data, 'operator.token')})`;
const inboxCommandFor = (access: ServerAccess): string =>
  [...settingsElsewhere(access), programName(), 'inbox'].join(' ');

/** Whether a server runs at the default address and accepts our token. */
async function isServing(flags: DemoFlags, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    const client = createClient({ url: serverUrl(env), token: tokenOf(flags, env), retryForMs: 0, timeoutMs: 2000 });
    await client.sessions.list({ limit: 1 });
    return true;
  } catch {
    return false;
  }
}

async function startTemporaryServer(): Promise<DemoServer> {
  const data = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  const flags = { host: '127.0.0.1', port: '0', data, log: 'error', allowHost: [], allowOrigin: [] };
  const remove = () => rmSync(data, { recursive: true, force: true });
  const { startServer } = await import('../../boot/server.ts');
  const { url, token, stop } = await startServer(settingsOf(flags, {})).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    url,
    client: createClient({ url, token, surface: 'cli' }),
    tokenInShell: tokenFileInShell(data),
    inboxCommand: inboxCommandFor({ url, data, token: undefined }),
    async close() {
      await stop();
      remove();
    },
  };
}

async function play(
  { url, client, tokenInShell, inboxCommand }: DemoServer,
  flags: DemoFlags,
  pauseMs: number,
  signal: AbortSignal,
): Promise<void> {
  const atTerminal = !flags.auto && !flags.json && isInteractive();
  const answerer = atTerminal
    ? terminalAnswerer({ input: process.stdin, output: process.stdout })
    : scriptedAnswerer((until) => sleep(pauseMs, until));
  const print = (...lines: Line[]) => {
    if (!flags.json) for (const of of lines) process.stdout.write(`${paint(of)}\n`);
  };
  const width = terminalWidth();
  print(line(span('Holdpoint demo', 'bold'), span(`  ${url}`, 'dim')));
  const who = atTerminal ? 'Answer here' : 'A script answers';
  const intro = `An agent works and asks. ${who}, or in another terminal: ${inboxCommand}`;
  print(...wrap(line(span(intro, 'dim')), width), []);
  const showsCurl = !atTerminal;
  const asks = await playSession({ client, answerer, print, width, task: TASK, tokenInShell, showsCurl, signal });
  if (flags.json) printJson(asks);
  const received = asks.flatMap((ask) => (ask.answer ? [receivedLine(ask, ask.answer, width)] : []));
  print([], line(span('What the agent received', 'bold')), ...received);
}

function receivedLine({ tool_call_id, delivery }: AskView, answer: AnswerView, width: number): Line {
  const { outcome, behavior, reason, answers, answered_by, surface } = answer;
  const given = answers?.flatMap((a) => a.selected_option_ids ?? [a.freeform_answer ?? '']).join(', ');
  const what = `${behavior ?? given ?? outcome}${reason ? `: ${reason}` : ''}`;
  return crop(
    line(
      `  ${oneLine(tool_call_id)} `,
      span('← ', 'dim'),
      `${oneLine(what)} `,
      span(`(${oneLine(answered_by)}, ${surface}; ${delivery.state})`, 'dim'),
    ),
    width,
  );
}
