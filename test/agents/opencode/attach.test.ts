// A person's own OpenCode server, played by a stand-in in this process: what its sessions ask in any folder is asked here too,
// the first answer counts, and what cannot be reached is said in plain words.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

type Reply = { reply: string; message?: string };
interface Served {
  ask(kind: string, request: object): Promise<Reply> & { id: string };
  settle(id: string, type: string, more: object, reply: Reply): void;
  setBusy(sessionId: string, isBusy: boolean): void;
  abort(sessionId: string): void;
  addSession(session: object): void;
  cutStreams(): void;
  emit(type: string, properties: object): void;
  open: Map<string, { from: string }>;
  failing: { replies: number; failed: number; held?: Promise<void> | undefined; folder?: string };
  server: Server;
}
const standIn = join(import.meta.dirname, '..', '..', 'support', 'stand-in-opencode.mjs');
const { serveOpencode }: { serveOpencode(options: object): Served } = await import(standIn);

const root = mkdtempSync(join(tmpdir(), 'holdpoint-opencode-own-'));
let holdpoint: Holdpoint;
let bed: TestBed;
let port: number;
let opencode: Served;

/** With sessions in two folders, and a sub-agent. */
function start(password = 'right'): Served {
  const parts = [
    {
      id: 'prt',
      sessionID: 's',
      messageID: 'm',
      type: 'tool',
      callID: 'c',
      tool: 'bash',
      state: { status: 'running', input: {} },
    },
  ];
  const message = { info: { id: 'm', sessionID: 's', role: 'assistant' }, parts };
  const served = serveOpencode({
    argv: ['--port', String(port)],
    env: { OPENCODE_SERVER_PASSWORD: password },
    directory: '/srv/one',
    prompted: () => {},
    messages: (_: string, id: string | undefined) => (id ? message : [message]),
  });
  served.addSession({ id: 'ses_1', title: 'First' });
  served.addSession({ id: 'ses_2', title: 'Second', directory: '/srv/two' });
  served.addSession({ id: 'ses_3', title: 'dig (@general subagent)', agent: 'general', parentID: 'ses_1' });
  for (const id of ['ses_1', 'ses_2', 'ses_3']) served.setBusy(id, true);
  return served;
}

const stop = () =>
  new Promise((resolve) => {
    opencode.server.close(resolve);
    opencode.server.closeAllConnections();
  });
const bash = (command: string, sessionID = 'ses_1') =>
  opencode.ask('permission', {
    sessionID,
    permission: 'bash',
    patterns: [command],
    metadata: { command },
    always: ['*'],
    tool: { messageID: 'm', callID: `call_${command}` },
  });
const asked = async (sessionId: string) => (await bed.pending(`opencode-own-${sessionId}`))[0] as AskView;
const run = async (command: 'connect' | 'disconnect', password = 'right') => {
  const own = { OPENCODE_URL: `http://127.0.0.1:${port}`, OPENCODE_SERVER_PASSWORD: password };
  const env = { ...own, HOLDPOINT_URL: holdpoint.url, HOLDPOINT_TOKEN: holdpoint.token };
  const started = spawnHoldpoint({ command: [command, 'opencode', '--yes'], via: 'main', data: holdpoint.data, env });
  const { code } = await started.exited;
  return { code, text: started.stdout() + started.stderr() };
};
const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });

const undeliverable = (askId: string) =>
  bed.until(async () => {
    const { delivery } = await bed.api.asks.get(askId);
    return delivery.state === 'undeliverable' ? delivery : undefined;
  });

beforeAll(async () => {
  port = await freePort();
  holdpoint = await startHoldpoint({ via: 'main', env: { HOME: root } });
  bed = new TestBed(holdpoint.url, holdpoint.token);
  opencode = start();
});
afterAll(async () => {
  await stop();
  await endEverything();
  rmSync(root, { recursive: true, force: true });
});

describe('connecting an OpenCode server', () => {
  it('is refused in plain words with a wrong password, and where nothing answers', async () => {
    expect(await run('connect', 'wrong')).toMatchObject({
      code: 7,
      text: expect.stringContaining('does not accept the password'),
    });
    await stop();
    expect(await run('connect')).toMatchObject({ code: 7, text: expect.stringContaining('nothing answers at') });
    opencode = start();
  });
});

describe('an attached OpenCode', () => {
  beforeAll(async () => expect(await run('connect')).toMatchObject({ code: 0 }));
  afterEach(() => expect([...opencode.open.keys()]).toEqual([]));

  it('asks from every folder, each answered in its own', async () => {
    const [one, two] = [bash('one'), bash('two', 'ses_2')];
    const [first, second] = [await asked('ses_1'), await asked('ses_2')];
    await bed.decide(second, { behavior: 'deny', reason: 'not there' });
    await bed.decide(first, { behavior: 'allow' });
    expect(await one).toEqual({ reply: 'once' });
    expect(await two).toEqual({ reply: 'reject', message: 'The person said no: not there' });
  });

  it('asks for a sub-agent in the conversation it belongs to', async () => {
    const reply = bash('sub', 'ses_3');
    const ask = await asked('ses_1');
    expect(ask).toMatchObject({ request: { lineage: ['general: dig'] } });
    await bed.decide(ask, { behavior: 'allow' });
    expect(await reply).toEqual({ reply: 'once' });
  });

  it('withdraws what was answered in OpenCode first', async () => {
    const reply = bash('elsewhere');
    const ask = await asked('ses_1');
    opencode.settle(reply.id, 'permission.replied', { reply: 'once' }, { reply: 'once' });
    await bed.pending('opencode-own-ses_1', 0);
    await expect(bed.decide(ask, { behavior: 'deny' })).rejects.toMatchObject({ status: 409 });
  });

  it('is told a denial at once, although another request of the session is undecided', async () => {
    const [denied, other] = [bash('denied'), bash('other')];
    const asks = await bed.pending('opencode-own-ses_1', 2);
    const [first, second] = ['denied', 'other'].map((name) =>
      asks.find((ask) => JSON.stringify(ask.request).includes(`"${name}"`)),
    ) as [AskView, AskView];
    await bed.decide(first, { behavior: 'deny', reason: 'not that' });
    expect(await denied).toMatchObject({ reply: 'reject', message: 'The person said no: not that' });
    expect(await other).toMatchObject({ reply: 'reject' });
    await bed.pending('opencode-own-ses_1', 0);
    await expect(bed.decide(second, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    expect(await bed.api.asks.get(second.ask_id)).toMatchObject({
      status: 'cancelled',
      answer: { justification: 'rejected in OpenCode itself' },
    });
  });

  it('gets a denial that failed to reach it, once it can be reached', async () => {
    const reply = bash('flaky');
    const ask = await asked('ses_1');
    opencode.failing.replies = 2;
    await bed.decide(ask, { behavior: 'deny', reason: 'no' });
    expect(await reply).toEqual({ reply: 'reject', message: 'The person said no: no' });
    await bed.until(async () =>
      (await bed.api.asks.get(ask.ask_id)).delivery.state === 'delivered' ? true : undefined,
    );
  });

  it('that was allowed at its own prompt while a denial could not reach it has the denial recorded as undeliverable', async () => {
    const reply = bash('overtaken');
    const ask = await asked('ses_1');
    opencode.failing.replies = Number.POSITIVE_INFINITY;
    const before = opencode.failing.failed;
    await bed.decide(ask, { behavior: 'deny', reason: 'no' });
    await bed.until(async () => (opencode.failing.failed > before ? true : undefined));
    opencode.settle(reply.id, 'permission.replied', { reply: 'once' }, { reply: 'once' });
    expect(await undeliverable(ask.ask_id)).toMatchObject({ reason: 'allowed in OpenCode itself' });
    opencode.failing.replies = 0;
  });

  it('ends what a deleted session had asked, and refuses a late allow', async () => {
    const reply = bash('deleted', 'ses_2');
    const ask = await asked('ses_2');
    opencode.emit('session.deleted', { info: { id: 'ses_2' } });
    expect(await reply).toMatchObject({ reply: 'reject' });
    await bed.pending('opencode-own-ses_2', 0);
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({
      answer: { justification: 'its session was deleted in OpenCode' },
    });
  });

  it('rejects what an aborted turn had asked, and refuses a late allow', async () => {
    const reply = bash('late');
    const ask = await asked('ses_1');
    opencode.abort('ses_1');
    expect(await reply).toMatchObject({ reply: 'reject' });
    await bed.pending('opencode-own-ses_1', 0);
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    opencode.setBusy('ses_1', true);
  });

  it('rejects what an aborted turn had asked also where that fails at first', async () => {
    const reply = bash('flaky abort');
    await asked('ses_1');
    opencode.failing.replies = 2;
    opencode.abort('ses_1');
    expect(await reply).toMatchObject({ reply: 'reject' });
    opencode.setBusy('ses_1', true);
  });

  it('takes no answer to any request of an aborted turn, however long the first rejection takes', async () => {
    const replies = [bash('first'), bash('second'), bash('third')];
    const asks = await bed.pending('opencode-own-ses_1', 3);
    const { promise, resolve } = Promise.withResolvers<void>();
    opencode.failing.held = promise;
    opencode.abort('ses_1');
    await bed.pending('opencode-own-ses_1', 0);
    for (const ask of asks) await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    opencode.failing.held = undefined;
    resolve();
    for (const reply of replies) expect(await reply).toMatchObject({ reply: 'reject' });
    opencode.setBusy('ses_1', true);
  });

  it('ends what each of several turns had asked that follow one another at once', async () => {
    for (let turn = 1; turn <= 10; turn++) {
      const reply = bash(`turn ${turn}`);
      const isAsked = async () =>
        (await bed.pending('opencode-own-ses_1')).find((one) => JSON.stringify(one.request).includes(`turn ${turn}"`));
      const ask = await bed.until(isAsked);
      opencode.abort('ses_1');
      opencode.setBusy('ses_1', true);
      if (turn % 2 === 0) await bed.pending('opencode-own-ses_1', 0);
      expect(await reply).toMatchObject({ reply: 'reject' });
      if (turn % 2 === 0) expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'cancelled' });
    }
  });

  it('that no longer has a request in its folder makes the answer undeliverable, and the reason names the folder', async () => {
    const { id } = bash('moved');
    const ask = await asked('ses_1');
    const request = opencode.open.get(id);
    if (request) request.from = '/srv/elsewhere';
    await bed.decide(ask, { behavior: 'allow' });
    const { delivery } = await bed.until(async () => {
      const now = await bed.api.asks.get(ask.ask_id);
      return now.delivery.state === 'undeliverable' ? now : undefined;
    });
    expect(delivery.reason).toBe(
      'OpenCode has no such request in the folder /srv/one: it was settled there, or belongs to another folder',
    );
    opencode.settle(id, 'permission.replied', { reply: 'reject' }, { reply: 'reject' });
  });

  it('finds what was asked while the connection was cut off, and what was settled meanwhile', async () => {
    const settled = bash('settled');
    const ask = await asked('ses_1');
    opencode.cutStreams();
    opencode.settle(settled.id, 'permission.replied', { reply: 'once' }, { reply: 'once' });
    const missed = bash('missed', 'ses_2');
    const found = await asked('ses_2');
    await bed.pending('opencode-own-ses_1', 0);
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await bed.decide(found, { behavior: 'allow' });
    expect(await missed).toEqual({ reply: 'once' });
  });

  it('finds what was settled meanwhile also where it cannot load one of its folders', async () => {
    opencode.addSession({ id: 'ses_4', title: 'Broken settings', directory: '/srv/broken' });
    opencode.failing.folder = '/srv/broken';
    const { id } = bash('settled beside it');
    await asked('ses_1');
    opencode.cutStreams();
    opencode.settle(id, 'permission.replied', { reply: 'once' }, { reply: 'once' });
    await bed.pending('opencode-own-ses_1', 0);
  });

  it('has what a turn had asked rejected that was aborted while the connection was cut off', async () => {
    const reply = bash('aborted meanwhile');
    const ask = await asked('ses_1');
    opencode.cutStreams();
    opencode.abort('ses_1');
    const other = bash('still waits', 'ses_2');
    expect(await reply).toMatchObject({ reply: 'reject' });
    await bed.pending('opencode-own-ses_1', 0);
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await bed.decide(await asked('ses_2'), { behavior: 'allow' });
    expect(await other).toEqual({ reply: 'once' });
    opencode.setBusy('ses_1', true);
  });

  it('is asked no more after disconnect', async () => {
    expect(await run('disconnect')).toMatchObject({ code: 0 });
    const reply = bash('after');
    await bed.until(async () =>
      (await bed.api.asks.list({ status: 'pending' })).items.length === 0 ? true : undefined,
    );
    opencode.settle(reply.id, 'permission.replied', { reply: 'reject' }, { reply: 'reject' });
  });
});
