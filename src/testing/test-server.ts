// Starts a real server for the unit tests of a user's program: on a free port, with its own temporary state, without agents.
// The test plays the person. Nothing is imitated: schemas, states and refusals are those of the server that people run,
// in a process of its own, so that a test framework cannot interfere with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type Holdpoint } from '../client/holdpoint.ts';
import type { AskView } from '../core/views.ts';
import { type Reply, sendReply } from './reply.ts';

export interface TestServer {
  readonly url: string;
  readonly token: string;
  /** For a program that finds its server by the environment. */
  readonly env: { HOLDPOINT_URL: string; HOLDPOINT_TOKEN: string };
  /** A client of this server. */
  readonly holdpoint: Holdpoint;
  /** The oldest request that waits for a person and was not returned or replied to before; waits for one. */
  nextRequest(): Promise<AskView>;
  reply(request: AskView, reply: Reply): Promise<void>;
  /** Replies to every request from now on, and to those that wait. Undefined leaves a request waiting. */
  replyWith(person: (request: AskView) => Reply | undefined): void;
  /** Ends the server and removes what it stored. */
  close(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), 'holdpoint-test-'));
  const token = `test-${crypto.randomUUID()}`;
  const server = spawn(process.execPath, [launcher(), 'serve', '--no-worker', '--data', data, '--port', '0'], {
    // The channel is a lifeline: the server ends with this process, however that ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, HOLDPOINT_TOKEN: token, HOLDPOINT_HOST: '127.0.0.1', HOLDPOINT_LAUNCHED: '1' },
  });
  const url = await ready(server).catch((error: unknown) => {
    rmSync(data, { recursive: true, force: true });
    throw error;
  });
  server.unref();
  server.channel?.unref();
  const holdpoint = connect({ url, token });
  const stop = new AbortController();
  const requests = followRequests(holdpoint, stop.signal);
  return {
    url,
    token,
    env: { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token },
    holdpoint,
    ...requests,
    async close() {
      stop.abort();
      holdpoint.close();
      server.ref();
      const ended = new Promise((resolve) => server.once('exit', resolve));
      if (server.exitCode === null && server.kill('SIGTERM')) await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Of the package that contains this file; else of the one that is installed beside the client. */
function launcher(): string {
  const own = ['../../bin/holdpoint', '../../../bin/holdpoint'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = own.find((path) => existsSync(path));
  if (found) return found;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve('holdpoint/package.json'))), 'bin', 'holdpoint');
  } catch (cause) {
    const advice = 'npm install --save-dev holdpoint';
    throw new Error(`The test server is part of the package "holdpoint": ${advice}`, { cause });
  }
}

/** The address of the ready line; what the server said instead is the error. */
function ready(server: ChildProcess): Promise<string> {
  let out = '';
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`The test server ended with code ${code}: ${said.trim()}`)));
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const url = /^holdpoint ready (\S+)$/m.exec(out)?.[1];
      if (url) resolve(url);
    });
  });
}

type Person = (request: AskView) => Reply | undefined;

function followRequests(
  { api }: Holdpoint,
  signal: AbortSignal,
): Pick<TestServer, 'nextRequest' | 'reply' | 'replyWith'> {
  const waiting: AskView[] = [];
  const takers: ((request: AskView) => void)[] = [];
  let person: Person = () => undefined;
  const reply = (request: AskView, given: Reply) => sendReply(api, request, given);

  async function receive(askId: string): Promise<void> {
    const request = await api.asks.get(askId);
    if (request.status !== 'pending') return;
    const given = person(request);
    if (given !== undefined) return reply(request, given);
    const taker = takers.shift();
    if (taker) taker(request);
    else waiting.push(request);
  }

  void (async () => {
    for await (const { type, ask_id } of api.events.follow({ after: 0, signal }))
      if (type === 'ask.raised' && ask_id !== undefined) await receive(ask_id);
  })().catch(() => {});

  return {
    reply,
    nextRequest: () => {
      const first = waiting.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => takers.push(resolve));
    },
    replyWith(next) {
      person = next;
      for (const { ask_id } of waiting.splice(0)) void receive(ask_id).catch(() => {});
    },
  };
}
