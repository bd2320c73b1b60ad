// The person's own Codex, whose daemon Holdpoint attaches to: what it asks is asked here too, the first answer wins, both
// sides settle. The daemon is the real one; the person at it is another client, and once a real terminal.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachableCodex } from '../../src/agents/codex-attached.ts';
import { createPeer, type Incoming, type Peer } from '../../src/agents/wire/jsonrpc.ts';
import type { ApprovalRequest, AskView } from '../../src/core/views.ts';
import { startAttachments } from '../../src/worker/attachments.ts';
import { talkOverSocket } from '../../src/worker/socket-talk.ts';
import { endTerminals, hasPty, openPty, type Pty } from '../support/pty.ts';
import { openServer, type Server } from '../support/server.ts';
import { Stage } from '../worker/stage.ts';
import { codex, codexVersion } from './binaries.ts';
import { escalated, readIfThere, setUp } from './codex-stage.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

const root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-own-'));
const socket = join(root, 'home', 'app-server-control', 'app-server-control.sock');
const data = join(root, 'state');
const silent = { info: () => {}, warn: () => {} };
const over = new AbortController();
let model: OpenAiModel;
let server: Server;
let stage: Stage;
let daemon: ChildProcess;
let attachments: { stop(): Promise<void> } | undefined;
let made = 0;

const startDaemon = async () => {
  daemon = spawn(codex ?? '', ['app-server', '--listen', `unix://${socket}`], { cwd: root, stdio: 'ignore' });
  await stage.until(async () => (existsSync(socket) ? true : undefined));
};
const attach = async () => {
  const token = (await stage.api.tokens.create({ scope: 'worker' })).token;
  const options = {
    url: stage.url,
    token,
    data,
    attachables: [attachableCodex],
    log: silent,
    lookEveryMs: 100,
    awayMs: 500,
  };
  attachments = startAttachments(options);
};
const detach = async () => {
  await attachments?.stop();
  attachments = undefined;
};

beforeAll(async () => {
  if (!codex) return;
  model = await OpenAiModel.start();
  setUp(root, model.url, '[features]\nrequest_permissions_tool = true');
  mkdirSync(join(root, 'home', 'app-server-control'));
  mkdirSync(join(data, 'connections'), { recursive: true });
  writeFileSync(join(data, 'connections', 'codex.json'), JSON.stringify({ file: join(root, 'home', 'hooks.json') }));
  server = await openServer();
  stage = new Stage(await server.url(), server.token);
  await startDaemon();
  await attach();
});
afterAll(async () => {
  over.abort();
  endTerminals();
  rmSync(root, { recursive: true, force: true });
  if (!codex) return;
  await detach();
  daemon.kill('SIGKILL');
  await server.close();
  model.close();
});

/** The person at the terminal: another client of the daemon, which started the thread. */
interface Local {
  peer: Peer;
  asked: Incoming[];
  settled: unknown[];
  ended: Promise<unknown>;
  folder: string;
  thread: string;
}

async function local(key: string, script: Script, settings: object = {}): Promise<Local> {
  made += 1;
  const folder = join(root, `work-${made}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'old.txt'), 'before\n');
  model.play(key, script);
  const asked: Incoming[] = [];
  const settled: unknown[] = [];
  const end = Promise.withResolvers<unknown>();
  const peer = createPeer({
    send: (text) => talk.send(text),
    onRequest: (request) => asked.push(request),
    onNotification: (method, params) => {
      if (method === 'serverRequest/resolved') settled.push(params);
      if (method === 'turn/completed') end.resolve(params);
    },
  });
  const talk = await talkOverSocket(socket, peer.receive, over.signal);
  await peer.request('initialize', {
    clientInfo: { name: 'person', version: '1' },
    capabilities: { experimentalApi: true },
  });
  peer.notify('initialized');
  const given = { cwd: folder, sandbox: 'workspace-write', approvalPolicy: 'on-request', ...settings };
  const { thread } = (await peer.request('thread/start', given)) as { thread: { id: string } };
  const input = [{ type: 'text', text: `Do this: ${key}` }];
  await peer.request('turn/start', { threadId: thread.id, input });
  return { peer, asked, settled, ended: end.promise, folder, thread: thread.id };
}

async function askOf({ thread }: Local): Promise<AskView> {
  const [ask] = await stage.pending(`codex-own-${thread}`);
  if (!ask) throw new Error('nothing is pending');
  return ask;
}
const promptOf = ({ asked }: Local) => stage.until(async () => asked[0]);
const ended = (ask: AskView) =>
  stage.until(async () => {
    const now = await stage.api.asks.get(ask.ask_id);
    return now.status === 'pending' ? undefined : now;
  });
const DONE = [{ text: 'Done.' }];

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own`, () => {
  it('is answered here: it goes on, and its own prompt closes', async () => {
    const person = await local('own-answered-here', [[escalated('echo hi > a.txt', 'Need it')], DONE]);
    const ask = await askOf(person);
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'echo hi > a.txt', cwd: person.folder },
      reason: 'Need it',
    });
    const prompt = await promptOf(person);
    await stage.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect(readIfThere(person.folder, 'a.txt')).toBe('hi\n');
    expect(person.settled).toMatchObject([{ requestId: prompt.id }]);
    const session = await stage.api.sessions.get(ask.session_id);
    expect(session).toMatchObject({
      agent_id: 'codex',
      work_folder: person.folder,
      title: 'Do this: own-answered-here',
    });
    expect(await stage.over(ask.run_id)).toMatchObject({ status: 'completed' });
  });

  it('is answered at its own prompt: the ask here is taken back, and a late answer is refused', async () => {
    const person = await local('own-answered-there', [[escalated('echo hi > b.txt')], DONE]);
    const ask = await askOf(person);
    person.peer.respond((await promptOf(person)).id, { decision: 'accept' });
    await person.ended;
    expect(readIfThere(person.folder, 'b.txt')).toBe('hi\n');
    expect(await ended(ask)).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny', reason: 'withdrawn' } });
    await expect(stage.decide(ask, { behavior: 'deny' })).rejects.toMatchObject({ status: 409 });
  });

  it('hears why it was denied', async () => {
    const person = await local('own-denied', [[escalated('echo hi > c.txt')], DONE]);
    await stage.decide(await askOf(person), { behavior: 'deny', reason: 'not on a Sunday' });
    await person.ended;
    expect(readIfThere(person.folder, 'c.txt')).toBeUndefined();
    expect(model.heard('own-denied').at(-1)).toBe('The person said no: not on a Sunday');
  });

  it('shows file changes with their diff, although Holdpoint joins late', async () => {
    const patch = '*** Begin Patch\n*** Update File: old.txt\n@@\n-before\n+after\n*** End Patch\n';
    const person = await local('own-patch', [[{ patch }], DONE], { model: 'gpt-5.5', sandbox: 'read-only' });
    const ask = await askOf(person);
    expect((ask.request as ApprovalRequest).diff).toContain('-before\n+after');
    await stage.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect(readIfThere(person.folder, 'old.txt')).toBe('after\n');
  });

  it('two turns are two runs of one session', async () => {
    const person = await local('own-two-turns', [[escalated('touch d.txt')], DONE, [escalated('touch e.txt')], DONE]);
    const first = await askOf(person);
    await stage.decide(first, { behavior: 'allow' });
    await person.ended;
    await stage.over(first.run_id);
    await person.peer.request('turn/start', {
      threadId: person.thread,
      input: [{ type: 'text', text: 'And now this.' }],
    });
    const second = await askOf(person);
    expect(second.session_id).toBe(first.session_id);
    expect(second.run_id).not.toBe(first.run_id);
    await stage.decide(second, { behavior: 'allow' });
    await stage.over(second.run_id);
    expect(readIfThere(person.folder, 'e.txt')).toBe('');
  });

  it('keeps its ask while Holdpoint is away, and has the answer that was given meanwhile', async () => {
    const person = await local('own-away', [[escalated('echo hi > f.txt')], DONE]);
    const ask = await askOf(person);
    await detach();
    await stage.decide(ask, { behavior: 'allow' });
    expect(readIfThere(person.folder, 'f.txt')).toBeUndefined();
    await attach();
    await person.ended;
    expect(readIfThere(person.folder, 'f.txt')).toBe('hi\n');
    expect((await stage.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('answered at its own prompt while Holdpoint is away: the ask ends when it is back', async () => {
    const person = await local('own-away-answered', [[escalated('echo hi > g.txt')], DONE]);
    const ask = await askOf(person);
    await detach();
    person.peer.respond((await promptOf(person)).id, { decision: 'decline' });
    await person.ended;
    expect((await stage.api.asks.get(ask.ask_id)).status).toBe('pending');
    await attach();
    expect(await ended(ask)).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny' } });
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own that is gone`, () => {
  it('ends its asks with that reason, and is found again when it is back', async () => {
    const person = await local('own-gone', [[escalated('echo hi > h.txt')], DONE]);
    const ask = await askOf(person);
    const hook = await stage.api.sessions.create({ session_id: 'codex-own-hook', agent: 'external' });
    const { run_id } = await stage.api.runs.start(hook.session_id, { input: {} });
    const asked = { kind: 'approval', tool_call_id: 'hook-1', tool_name: 'Bash', input: {} } as const;
    const byHook = await stage.api.asks.raise(run_id, asked);
    daemon.kill('SIGKILL');
    expect(await ended(ask)).toMatchObject({ status: 'failed', answer: { behavior: 'deny', reason: 'codex is gone' } });
    await expect(stage.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    expect((await stage.api.asks.get(byHook.ask_id)).status).toBe('pending');
    await stage.api.runs.cancel(run_id);
    rmSync(socket, { force: true });
    await startDaemon();
    const again = await local('own-back', [[escalated('echo hi > i.txt')], DONE]);
    await stage.decide(await askOf(again), { behavior: 'allow' });
    await again.ended;
    expect([readIfThere(person.folder, 'h.txt'), readIfThere(again.folder, 'i.txt')]).toEqual([undefined, 'hi\n']);
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own that is disconnected`, () => {
  it('is let go of: what it asked ends here, and its own prompt stays', async () => {
    const person = await local('own-disconnected', [[escalated('echo hi > l.txt')], DONE]);
    const ask = await askOf(person);
    const record = join(data, 'connections', 'codex.json');
    const kept = readIfThere(record) ?? '';
    rmSync(record);
    expect(await ended(ask)).toMatchObject({ status: 'failed', answer: { behavior: 'deny' } });
    person.peer.respond((await promptOf(person)).id, { decision: 'accept' });
    await person.ended;
    expect(readIfThere(person.folder, 'l.txt')).toBe('hi\n');
    writeFileSync(record, kept);
  });
});

describe.skipIf(!codex || !hasPty)(`Codex ${codexVersion} in a terminal`, () => {
  /** Answers what the program asks its terminal, as a terminal does. */
  function terminal(folder: string, key: string): Pty {
    const pty = openPty({
      command: [codex ?? '', '--remote', `unix://${socket}`, ...FLAGS, `Do this: ${key}`],
      env: process.env,
      columns: 120,
      rows: 40,
      cwd: folder,
    });
    const answered = new Set<string>();
    const timer = setInterval(() => {
      for (const [asked, answer] of QUERIES)
        if (!answered.has(asked) && pty.raw().includes(asked)) {
          answered.add(asked);
          pty.type(answer);
        }
    }, 20);
    void pty.exited.then(() => clearInterval(timer));
    return pty;
  }
  const FLAGS = ['--no-alt-screen', '-a', 'on-request', '-s', 'workspace-write'];
  const QUERIES: [string, string][] = [
    ['\u001b[6n', '\u001b[1;1R'],
    ['\u001b[c', '\u001b[?62;c'],
    ['\u001b]10;?', '\u001b]10;rgb:ffff/ffff/ffff\u001b\\'],
    ['\u001b]11;?', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
    ['\u001b[?u', '\u001b[?0u'],
  ];

  const askOnScreen = () => stage.until(async () => (await stage.api.asks.list({ status: 'pending' })).items[0]);
  const folderOf = (ask: AskView) => String((ask.request as ApprovalRequest).input.cwd);

  it('asks in both places; answered here, the prompt on the screen closes', async () => {
    model.play('own-terminal', [[escalated('echo hi > t.txt')], [{ text: 'It is done now.' }]]);
    const pty = terminal(root, 'own-terminal');
    try {
      await pty.shows('Would you like');
      const ask = await askOnScreen();
      await stage.decide(ask, { behavior: 'allow' });
      await pty.shows('It is done now.');
      expect(pty.screen().join('\n')).not.toContain('Would you like');
      expect(readIfThere(folderOf(ask), 't.txt')).toBe('hi\n');
    } finally {
      await pty.end();
    }
  });

  it('answered with a key, the ask here is taken back', async () => {
    model.play('own-keyboard', [[escalated('echo hi > k.txt')], [{ text: 'It is done now.' }]]);
    const pty = terminal(root, 'own-keyboard');
    try {
      await pty.shows('Would you like');
      const ask = await askOnScreen();
      pty.type('y');
      await pty.shows('It is done now.');
      expect(await ended(ask)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
      expect(readIfThere(folderOf(ask), 'k.txt')).toBe('hi\n');
    } finally {
      await pty.end();
    }
  });
});
