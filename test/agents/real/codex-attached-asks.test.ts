// Every kind of thing that the person's own Codex asks, answered here while its own prompt stands open too: what the
// model was told, what changed on disk, and that both sides settle whoever was first.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/codex/connect.ts';
import { loadedThreads } from '../../../src/agents/codex/protocol.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../../src/core/views.ts';
import { root as repository } from '../../support/process.ts';
import { codex, codexVersion } from './binaries.ts';
import { DATABASE, requestsInput } from './codex-calls.ts';
import { CodexDaemon, type Local } from './codex-daemon.ts';
import { escalated, readIfThere } from './codex-test-bed.ts';
import { REPLY } from './model.ts';

const { connected } = connector;

let d: CodexDaemon;
beforeAll(async () => {
  if (!codex) return;
  const demo = join(import.meta.dirname, 'mcp-demo.mjs');
  d = await CodexDaemon.open(
    (root) => `[features]
request_permissions_tool = true
[mcp_servers.demo]
command = "${process.execPath}"
args = ["${demo}"]
env = { DEMO_LOG = "${join(root, 'demo.log')}" }`,
  );
});
afterAll(async () => {
  if (!codex) return;
  expect(d.model.others).toEqual([]);
  await d.close();
});

const DONE = [{ text: 'Done.' }];
const PLAN = {
  collaborationMode: {
    mode: 'plan',
    settings: { model: 'fake-model', reasoning_effort: null, developer_instructions: null },
  },
};
const INPUT = requestsInput(DATABASE);
const tool = (name: string, input = {}) => ({ call: name, namespace: 'mcp__demo', id: `call_${name}`, input });
const region = { question_id: 'region', selected_option_ids: ['option-1'] };

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own asks for input`, () => {
  it('and the model has the answer that was given here', async () => {
    const person = await d.local('own-input', [[INPUT], DONE], {}, PLAN);
    const ask = await d.askOf(person);
    expect((ask.request as UserQuestionRequest).questions).toMatchObject([{ id: 'db', question: 'Which database?' }]);
    const prompt = await d.promptOf(person);
    await d.bed.answer(ask, { question_id: 'db', selected_option_ids: ['option-2'] });
    await person.ended;
    expect(person.settled).toMatchObject([{ requestId: prompt.id }]);
    expect(JSON.parse(d.model.resultOf('own-input', 'call_Q') ?? '{}')).toEqual({
      answers: { db: { answers: ['SQLite'] } },
    });
    await d.bed.over(ask.run_id);
    expect((await d.ended(ask)).delivery.state).toBe('delivered');
  });

  it('and replies to comments in one thread that it forgets, while its own prompt stays open', async () => {
    const person = await d.local('own-comment', [[INPUT], DONE], {}, PLAN);
    const ask = await d.askOf(person);
    const prompt = await d.promptOf(person);
    const before = await loadedThreads(person.peer);
    expect(ask.takes_comments).toBe(true);
    await d.bed.api.asks.comment(ask.ask_id, 'SQLite, or why not?');
    const replied = async () => (await d.bed.api.asks.get(ask.ask_id)).comments?.map(({ role, text }) => [role, text]);
    await expect.poll(replied, { timeout: 30_000 }).toEqual([
      ['person', 'SQLite, or why not?'],
      ['agent', REPLY],
    ]);
    expect((await d.bed.api.asks.get(ask.ask_id)).status).toBe('pending');
    await d.bed.api.asks.comment(ask.ask_id, 'and then?');
    await expect.poll(async () => (await replied())?.length, { timeout: 30_000 }).toBe(4);
    const [fork, ...others] = (await loadedThreads(person.peer)).filter((id) => !before.includes(id));
    expect(others).toEqual([]);
    const { data } = (await person.peer.request('thread/list', {})) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).not.toContain(fork);
    expect(person.settled).toEqual([]);
    person.peer.respond(prompt.id, { answers: { db: { answers: ['SQLite'] } } });
    await person.ended;
    expect(await d.ended(ask)).toMatchObject({ status: 'cancelled' });
  });

  it('or hears that it was declined here, and why', async () => {
    const person = await d.local('own-input-declined', [[INPUT], DONE], {}, PLAN);
    await d.bed.decline(await d.askOf(person), 'you choose');
    await person.ended;
    expect(d.model.heard('own-input-declined').at(-1)).toMatch(/^The person declined to answer: you choose\./);
  });

  it('answered at its own prompt first, the question here is taken back and a late answer refused', async () => {
    const person = await d.local('own-input-there', [[INPUT], DONE], {}, PLAN);
    const ask = await d.askOf(person);
    person.peer.respond((await d.promptOf(person)).id, { answers: { db: { answers: ['Postgres (Recommended)'] } } });
    await person.ended;
    expect(await d.ended(ask)).toMatchObject({ status: 'cancelled' });
    const late = d.bed.answer(ask, { question_id: 'db', selected_option_ids: ['option-2'] });
    await expect(late).rejects.toMatchObject({ status: 409 });
    expect(d.model.resultOf('own-input-there', 'call_Q')).toContain('Postgres');
  });
});

describe.skipIf(!codex)(`answered here and at the own prompt of Codex ${codexVersion} at the same moment`, () => {
  /** Both answers are there before Codex reads either. */
  async function race(person: Local, there: object, here: (ask: AskView) => Promise<unknown>) {
    const ask = await d.askOf(person);
    const prompt = await d.promptOf(person);
    await d.pause();
    person.peer.respond(prompt.id, there);
    await here(ask);
    await d.bed.until(async () => ((await d.bed.api.asks.get(ask.ask_id)).delivery.attempts > 0 ? true : undefined));
    d.kill('SIGCONT');
    await person.ended;
    await d.bed.over(ask.run_id);
    const { delivery } = await d.bed.api.asks.get(ask.ask_id);
    expect(await d.bed.events(ask.session_id, `ask.${delivery.state}` as 'ask.delivered')).toHaveLength(1);
    return delivery;
  }
  const ELSEWHERE = { state: 'undeliverable', reason: 'settled in Codex itself' };
  const outcome = (isOurs: boolean | undefined) => (isOurs ? { state: 'delivered' } : ELSEWHERE);

  it('a question: delivered is the answer that the model was told', async () => {
    const key = 'own-race-input';
    const person = await d.local(key, [[INPUT], DONE], {}, PLAN);
    const delivery = await race(person, { answers: { db: { answers: ['Postgres (Recommended)'] } } }, (ask) =>
      d.bed.answer(ask, { question_id: 'db', selected_option_ids: ['option-2'] }),
    );
    expect(delivery).toMatchObject(outcome(d.model.resultOf(key, 'call_Q')?.includes('SQLite')));
  });

  it('a request for permissions: delivered is what the model was told', async () => {
    const key = 'own-race-permissions';
    const wanted = { reason: 'need it', permissions: { network: { enabled: true }, file_system: { write: ['/srv'] } } };
    const person = await d.local(key, [[{ call: 'request_permissions', id: 'call_R', input: wanted }], DONE]);
    const delivery = await race(person, { permissions: {}, scope: 'turn' }, (ask) =>
      d.bed.decide(ask, { behavior: 'allow' }),
    );
    expect(delivery).toMatchObject(outcome(d.model.resultOf(key, 'call_R')?.includes('/srv')));
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own with an MCP server`, () => {
  it('that asks for a form: it has what was filled in here', async () => {
    const person = await d.local('own-form', [[tool('deploy')], DONE]);
    const ask = await d.askOf(person);
    expect(ask.request).toMatchObject({ context: 'demo: Deploy where?' });
    await d.promptOf(person);
    await d.bed.answer(ask, region, { question_id: 'count', freeform_answer: '2' });
    await person.ended;
    const told = d.model.resultOf('own-form', 'call_deploy')?.replaceAll('\\', '');
    expect(told).toContain('"content":{"region":"eu","count":2}');
  });

  it('that asks for a form: filled in at its own prompt first, it is taken back here', async () => {
    const person = await d.local('own-form-there', [[tool('deploy')], DONE]);
    const ask = await d.askOf(person);
    const content = { region: 'us', count: 1 };
    person.peer.respond((await d.promptOf(person)).id, { action: 'accept', content, _meta: null });
    await person.ended;
    expect(await d.ended(ask)).toMatchObject({ status: 'cancelled' });
    expect(d.model.resultOf('own-form-there', 'call_deploy')).toContain('us');
  });

  it('whose tool is allowed here for the session, or denied with a reason', async () => {
    const log = () => readIfThere(d.root, 'demo.log') ?? '';
    const calls = [[tool('plain', { x: 'one' })], [tool('plain', { x: 'two' })], [tool('other', { x: 'three' })], DONE];
    const person = await d.local('own-tool', calls);
    const ask = await d.askOf(person);
    expect(ask.request).toMatchObject({ tool_name: 'mcp__demo__plain', input: { x: 'one' } });
    await d.bed.decide(ask, { behavior: 'allow', suggestion_ids: ['session'] });
    const other = await d.askOf(person);
    expect(other.request).toMatchObject({ tool_name: 'mcp__demo__other', input: { x: 'three' } });
    await d.bed.decide(other, { behavior: 'deny', reason: 'plain is enough' });
    await person.ended;
    expect(log()).toBe('plain {"x":"one"}\nplain {"x":"two"}\n');
    expect(d.model.resultOf('own-tool', 'call_other')).toContain('user rejected MCP tool call');
    expect(d.model.heard('own-tool').at(-1)).toBe('If it was not done, the person said no: plain is enough');
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own asks for permission`, () => {
  it('for commands: allowed for the session here, the same one is not asked again, a wider one is', async () => {
    const script = [
      [escalated('date >> a.txt')],
      [escalated('date >> a.txt')],
      [escalated('date >> a.txt; touch b.txt')],
      DONE,
    ];
    const person = await d.local('own-session', script);
    await d.bed.decide(await d.askOf(person), { behavior: 'allow', suggestion_ids: ['session'] });
    const wider = await d.askOf(person);
    expect((wider.request as ApprovalRequest).input.command).toBe('date >> a.txt; touch b.txt');
    await d.bed.decide(wider, { behavior: 'deny' });
    await person.ended;
    expect(readIfThere(person.folder, 'a.txt')?.trim().split('\n')).toHaveLength(2);
    expect(readIfThere(person.folder, 'b.txt')).toBeUndefined();
  });

  it('for several commands at once: all are here, and one may be answered there', async () => {
    const calls = ['x', 'y'].map((name) => ({ ...escalated(`echo ${name} > ${name}.txt`), id: `call_${name}` }));
    const person = await d.local('own-parallel', [calls, DONE]);
    const asks = await d.bed.pending(`codex-own-${person.thread}`, 2);
    const [x, y] = ['x', 'y'].map((name) => asks.find(({ tool_call_id }) => tool_call_id.startsWith(`call_${name}@`)));
    const prompt = await d.bed.until(async () =>
      person.asked.find(({ params }) => (params as { itemId: string }).itemId === 'call_y'),
    );
    if (!x || !y) throw new Error('one of the two was not shown');
    person.peer.respond(prompt.id, { decision: 'decline' });
    expect(await d.ended(y)).toMatchObject({ status: 'cancelled' });
    await d.bed.decide(x, { behavior: 'allow' });
    await person.ended;
    expect([readIfThere(person.folder, 'x.txt'), readIfThere(person.folder, 'y.txt')]).toEqual(['x\n', undefined]);
  });

  it('for wider ones: it has what was left of them here', async () => {
    const wanted = { reason: 'need it', permissions: { network: { enabled: true }, file_system: { write: ['/srv'] } } };
    const person = await d.local('own-permissions', [
      [{ call: 'request_permissions', id: 'call_R', input: wanted }],
      DONE,
    ]);
    const ask = await d.askOf(person);
    const { input } = ask.request as ApprovalRequest;
    const { network } = input.permissions as Record<string, unknown>;
    await d.bed.decide(ask, { behavior: 'allow', updated_input: { ...input, permissions: { network } } });
    await person.ended;
    const told = JSON.parse(d.model.resultOf('own-permissions', 'call_R') ?? '{}');
    expect(told).toMatchObject({ scope: 'turn', permissions: { network: { enabled: true }, file_system: null } });
    await d.bed.over(ask.run_id);
    expect((await d.ended(ask)).delivery.state).toBe('delivered');
  });

  it('and is interrupted at its own prompt: the ask here ends, and nothing runs', async () => {
    const person = await d.local('own-interrupted', [[escalated('touch c.txt')]]);
    const ask = await d.askOf(person);
    const { turnId } = (await d.promptOf(person)).params as { turnId: string };
    await person.peer.request('turn/interrupt', { threadId: person.thread, turnId });
    await person.ended;
    const end = await d.ended(ask);
    expect(end.answer?.behavior).not.toBe('allow');
    expect(end.status).toMatch(/^(failed|cancelled)$/);
    await expect(d.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    expect(readIfThere(person.folder, 'c.txt')).toBeUndefined();
    expect(await d.bed.over(ask.run_id)).toMatchObject({ status: 'failed' });
  });

  it('with the hook beside the daemon: it is asked once, through the daemon', async () => {
    const program = join(repository, 'bin', 'holdpoint');
    const hooks = connected(undefined, { program, url: d.bed.url, data: d.data, token: '' });
    writeFileSync(join(d.root, 'home', 'hooks.json'), hooks);
    writeFileSync(join(d.data, 'worker.token'), (await d.bed.api.tokens.create({ scope: 'worker' })).token);
    const config = { bypass_hook_trust: true };
    const person = await d.local('own-hooked', [[escalated('echo hi > d.txt')], DONE], { config });
    const ask = await d.askOf(person);
    await d.promptOf(person);
    expect(person.hooks).toMatchObject([{ run: { eventName: 'permissionRequest', status: 'completed', entries: [] } }]);
    expect(await d.bed.pending(`codex-own-${person.thread}`)).toMatchObject([{ ask_id: ask.ask_id }]);
    await d.bed.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect(readIfThere(person.folder, 'd.txt')).toBe('hi\n');
  });

  it('for a sub-agent: under its name and that of the conversation it works for', async () => {
    d.model.play('own-part', [[{ ...escalated('echo sub > sub.txt'), id: 'call_S' }], [{ text: 'Sub done.' }]]);
    const input = { message: 'Do own-part', agent_type: 'worker' };
    const spawned = { call: 'spawn_agent', namespace: 'multi_agent_v1', id: 'call_spawn', input };
    const person = await d.local('own-sub-agent', [[spawned], DONE]);
    const ask = await d.bed.until(async () => (await d.bed.api.asks.list({ status: 'pending' })).items[0]);
    expect(ask.request.lineage).toEqual(['Do this: own-sub-agent', expect.stringMatching(/^worker .+: Do own-part$/)]);
    await d.bed.decide(ask, { behavior: 'allow' });
    await d.bed.over(ask.run_id);
    expect(readIfThere(person.folder, 'sub.txt')).toBe('sub\n');
    expect(d.model.resultOf('own-part', 'call_S')).toContain('exited with code 0');
  });
});
