// The test bed for the command line: one real server process, the public client to play agents with, and commands as
// processes of their own, with or without a terminal. `closeTestBeds` ends everything it started, by pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { z } from 'zod';
import { type Client, createClient } from '../../src/client/client.ts';
import type { RaiseApproval, RaiseQuestion } from '../../src/core/bodies.ts';
import type { AskView } from '../../src/core/views.ts';
import { COMPILED, endEverything, type Holdpoint, root, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { endTerminals, openPty, type Pty, type PtyOptions } from '../support/pty.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
}

interface CommandOptions {
  input?: string;
  env?: Record<string, string>;
}

/** Each test that starts processes may take this long on a busy machine. */
export const PATIENT = { timeout: 120_000 };

const BROUGHT_NODE = join(root, 'node_modules', 'node', 'bin', 'node');
export const node = existsSync(BROUGHT_NODE) ? BROUGHT_NODE : process.execPath;
const main = join(root, 'src', 'cli', 'main.ts');
const children = new Set<ChildProcess>();

export interface TestBed {
  server: Holdpoint;
  client: Client;
  /** Runs a command to its end. */
  run(args: string[], options?: CommandOptions): Promise<Ended>;
  /** Starts one and leaves it to the test. */
  start(args: string[], options?: CommandOptions): Running;
  /** The same in a terminal. */
  terminal(args: string[], options?: Partial<PtyOptions>): Pty;
  env(more?: Record<string, string>): NodeJS.ProcessEnv;
  /** Ends every session, so that nothing waits any more. */
  clear(): Promise<void>;
  /** An external session with a run at work, in which asks can be raised. */
  work(session_id?: string, more?: { title?: string; work_folder?: string }): Promise<Work>;
}

export interface Work {
  sessionId: string;
  runId: string;
  question(id: string, body?: Partial<z.input<typeof RaiseQuestion>>): Promise<AskView>;
  approval(id: string, body?: Partial<z.input<typeof RaiseApproval>>): Promise<AskView>;
}

export const TARGET = {
  id: 'target',
  header: 'Target',
  question: 'Where to deploy?',
  options: [
    { id: 'staging', label: 'Staging' },
    { id: 'production', label: 'Production', description: 'customers see it' },
  ],
};

/** Opened before the first test of a file, closed after its last. */
/** `settings`: the server's environment. */
export function testBedForAll(settings: Record<string, string> = {}): TestBed {
  const bed = {} as TestBed;
  beforeAll(async () => void Object.assign(bed, await openTestBed(settings)));
  afterAll(closeTestBeds);
  return bed;
}

export async function openTestBed(settings: Record<string, string> = {}): Promise<TestBed> {
  const server = await startHoldpoint({ env: settings });
  const client = createClient({ url: server.url, token: server.token });
  const env = (more: Record<string, string> = {}) => ({
    ...cleanEnv(),
    HOLDPOINT_URL: server.url,
    HOLDPOINT_TOKEN: server.token,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: COMPILED,
    ...more,
  });
  const start: TestBed['start'] = (args, options = {}) => command([main, ...args], env(options.env), options.input);
  return {
    server,
    client,
    env,
    start,
    run: (args, options) => start(args, options).ended,
    terminal: (args, options = {}) =>
      openPty({
        command: [node, main, ...args],
        cwd: temporaryFolder(),
        ...options,
        env: { ...env(), ...options.env },
      }),
    async clear() {
      const { items } = await client.sessions.list({ status: 'active', limit: 500 });
      for (const { session_id } of items) if (session_id !== 'system') await client.sessions.end(session_id);
    },
    work: (session_id, more) => openWork(client, session_id, more),
  };
}

export async function closeTestBeds(): Promise<void> {
  endTerminals();
  for (const child of children) child.kill('SIGKILL');
  await endEverything();
}

async function openWork(client: Client, session_id?: string, more: object = {}): Promise<Work> {
  const session = await client.sessions.create({ agent: 'external', session_id, ...more });
  const run = await client.runs.start(session.session_id, { input: { text: 'ship it' } });
  const ask = { sessionId: session.session_id, runId: run.run_id };
  return {
    ...ask,
    question: (id, body) =>
      client.asks.raise(run.run_id, { kind: 'question', tool_call_id: id, questions: [TARGET], ...body }),
    approval: (id, body) =>
      client.asks.raise(run.run_id, {
        kind: 'approval',
        tool_call_id: id,
        tool_name: 'Bash',
        input: { command: 'rm -rf build' },
        reason: 'a clean build',
        ...body,
      }),
  };
}

/** Any program, run as a person without a terminal would. */
export function command(args: string[], env: NodeJS.ProcessEnv, input?: string, program = node) {
  const child = spawn(program, args, { env, cwd: temporaryFolder(), stdio: ['pipe', 'pipe', 'pipe'] });
  children.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

function cleanEnv(): NodeJS.ProcessEnv {
  const foreign = /^(HOLDPOINT_|NODE_OPTIONS$|NO_COLOR$|FORCE_COLOR$|VISUAL$|EDITOR$|CI$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
