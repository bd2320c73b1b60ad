// The person's own Codex for real: its daemon in a temporary home, Holdpoint attached to it, and the person at it, which
// is another client of the daemon. With RECORD_TRANSCRIPTS set, what the daemon and Holdpoint say to each other is
// written to test/transcripts, where the unit tests play it again.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Agent } from '../../../src/agents/agent.ts';
import { codex as agent } from '../../../src/agents/codex/agent.ts';
import { createPeer, type Incoming, type Peer } from '../../../src/agents/wire/json-rpc.ts';
import type { AskView } from '../../../src/core/views.ts';
import { startAttachments } from '../../../src/worker/attachments.ts';
import { openSocket } from '../../../src/worker/socket.ts';
import { nothingLeftIn } from '../../support/process-table.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';
import { codex } from './binaries.ts';
import { setUp } from './codex-test-bed.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

/** The person at the terminal, who started the thread. */
export interface Local {
  peer: Peer;
  asked: Incoming[];
  settled: unknown[];
  /** Hooks that were run, when they had ended. */
  hooks: unknown[];
  ended: Promise<unknown>;
  folder: string;
  thread: string;
}

const silent = { info: () => {}, warn: () => {} };
const isRecording = Boolean(process.env.RECORD_TRANSCRIPTS);
const transcripts = join(import.meta.dirname, '..', '..', 'transcripts', 'codex-attached');

export class CodexDaemon {
  readonly root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-own-'));
  readonly socket = join(this.root, 'home', 'app-server-control', 'app-server-control.sock');
  readonly data = join(this.root, 'state');
  readonly record = join(this.data, 'connections', 'codex-own.json');
  readonly model: OpenAiModel;
  readonly server: Server;
  readonly bed: TestBed;
  readonly #over = new AbortController();
  #attachments: { stop(): Promise<void> } | undefined;
  #daemon: ChildProcess | undefined;
  #made = 0;
  #token: string | undefined;
  #transcript = '';

  /** `starts`: whether the daemon is to be there at once; otherwise Codex starts it when it needs one. */
  static async open(config: (root: string) => string, starts = true): Promise<CodexDaemon> {
    const model = await OpenAiModel.start();
    const server = await openServer();
    const daemon = new CodexDaemon(model, server, await server.url());
    setUp(daemon.root, model.url, config(daemon.root));
    mkdirSync(join(daemon.data, 'connections'), { recursive: true, mode: 0o700 });
    writeFileSync(daemon.record, JSON.stringify({ file: join(daemon.root, 'home', 'hooks.json') }));
    if (starts) await daemon.start();
    if (!isRecording) await daemon.attach();
    return daemon;
  }

  private constructor(model: OpenAiModel, server: Server, url: string) {
    this.model = model;
    this.server = server;
    this.bed = new TestBed(url, server.token);
  }

  async start(): Promise<void> {
    rmSync(this.socket, { force: true });
    mkdirSync(dirname(this.socket), { recursive: true });
    const argv = ['app-server', '--listen', `unix://${this.socket}`];
    this.#daemon = spawn(codex ?? '', argv, { cwd: this.root, stdio: 'ignore' });
    await this.bed.until(async () => (existsSync(this.socket) ? true : undefined));
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#daemon?.kill(signal);
  }

  /** Stops the daemon as a whole; a signal alone returns while its threads still run. */
  async pause(): Promise<void> {
    this.kill('SIGSTOP');
    const stat = `/proc/${this.#daemon?.pid}/stat`;
    await this.bed.until(async () => (/\) T /.test(readFileSync(stat, 'utf8')) ? true : undefined));
  }

  async attach(): Promise<void> {
    // A worker that is started again has the token that it had: its conversations belong to that.
    this.#token ??= (await this.bed.api.tokens.create({ scope: 'worker' })).token;
    const token = this.#token;
    const agents = [isRecording ? recorded(agent, (text) => this.#write(text)) : agent];
    const times = { lookEveryMs: 100, awayMs: 500 };
    this.#attachments = startAttachments({
      url: this.bed.url,
      token,
      data: this.data,
      agents,
      log: silent,
      ...times,
    });
  }

  #write(line: string): void {
    appendFileSync(this.#transcript, line.replaceAll(this.root, '{{root}}'));
  }

  async detach(): Promise<void> {
    await this.#attachments?.stop();
    this.#attachments = undefined;
  }

  /** A thread of the person with its first turn; the key tells its conversation with the model from others. */
  async local(key: string, script: Script, settings: object = {}, turn: object = {}): Promise<Local> {
    this.#made += 1;
    const folder = join(this.root, `work-${this.#made}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'old.txt'), 'before\n');
    this.model.play(key, script);
    if (isRecording) {
      await this.detach();
      this.#transcript = join(transcripts, `${key}.jsonl`);
      mkdirSync(transcripts, { recursive: true });
      writeFileSync(this.#transcript, '');
      await this.attach();
    }
    const asked: Incoming[] = [];
    const settled: unknown[] = [];
    const hooks: unknown[] = [];
    const end = Promise.withResolvers<unknown>();
    const peer = createPeer({
      send: (text) => talk.send(text),
      onRequest: (request) => asked.push(request),
      onNotification: (method, params) => {
        if (method === 'serverRequest/resolved') settled.push(params);
        if (method === 'hook/completed') hooks.push(params);
        if (method === 'turn/completed' && (params as { threadId: string }).threadId === thread.id) end.resolve(params);
      },
    });
    const talk = await openSocket(this.socket, peer.receive, this.#over.signal);
    const clientInfo = { name: 'person', version: '1' };
    await peer.request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    peer.notify('initialized');
    const given = { cwd: folder, sandbox: 'workspace-write', approvalPolicy: 'on-request', ...settings };
    const { thread } = (await peer.request('thread/start', given)) as { thread: { id: string } };
    const input = [{ type: 'text', text: `Do this: ${key}` }];
    await peer.request('turn/start', { threadId: thread.id, input, ...turn });
    return { peer, asked, settled, hooks, ended: end.promise, folder, thread: thread.id };
  }

  async askOf({ thread }: Pick<Local, 'thread'>): Promise<AskView> {
    const [ask] = await this.bed.pending(`codex-own-${thread}`);
    if (!ask) throw new Error('nothing is pending');
    return ask;
  }

  promptOf = ({ asked }: Local): Promise<Incoming> => this.bed.until(async () => asked[0]);

  ended = (ask: AskView): Promise<AskView> =>
    this.bed.until(async () => {
      const now = await this.bed.api.asks.get(ask.ask_id);
      return now.status === 'pending' ? undefined : now;
    });

  async close(): Promise<void> {
    this.#over.abort();
    await this.detach();
    this.kill();
    await this.server.close();
    this.model.close();
    await nothingLeftIn(this.root);
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The same, with everything that is said written down. */
function recorded(agent: Agent, put: (line: string) => void): Agent {
  const { attached } = agent;
  const socket = attached?.followed;
  if (!attached || !socket) throw new Error(`${agent.name} has no socket`);
  const write = (from: string, text: string) => put(`{"from":"${from}","message":${text}}\n`);
  const follow: typeof socket.follow = (context) =>
    socket.follow({
      ...context,
      async open(onText) {
        const connection = await context.open((text) => {
          write('agent', text);
          onText(text);
        });
        return {
          ...connection,
          send(text) {
            write('holdpoint', text);
            connection.send(text);
          },
        };
      },
    });
  return { ...agent, attached: { ...attached, followed: { ...socket, follow } } };
}
