// A person's own Claude Code at its terminal, pointed at Holdpoint by `holdpoint connect claude`: it asks at both places,
// the first answer counts and both settle. The real binary in a real pseudo-terminal.
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callIdOf } from '../../../src/agents/kit/ask-ids.ts';
import type { ApprovalRequest, AskView } from '../../../src/core/views.ts';
import { endEverything } from '../../support/process.ts';
import { endTerminals, hasPty, KEYS } from '../../support/pty.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, bash, callsAgent, touch } from './claude-calls.ts';
import { ClaudeTerminal } from './claude-terminal.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';

let testBed: ClaudeTestBed;
let own: ClaudeTerminal;
beforeAll(async () => {
  testBed = await ClaudeTestBed.open({ concurrency: 0 });
  own = await ClaudeTerminal.open(testBed);
});
afterAll(async () => {
  endTerminals();
  own.close();
  await endEverything();
  await testBed.close();
});
afterEach(() => expect(testBed.model.others).toEqual([]));

/** The processes of Claude Code there. */
const workingIn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter(
      (pid) =>
        /^\d+$/.test(pid) && linkOf(`/proc/${pid}/cwd`) === folder && linkOf(`/proc/${pid}/exe`)?.endsWith('/claude'),
    )
    .map(Number);
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
const runOf = (ask: AskView, status: string) =>
  own.bed.until(async () => ((await own.bed.api.runs.get(ask.run_id)).status === status ? true : undefined));

async function allowed(
  ask: AskView,
  { terminal, folder }: ReturnType<typeof own.start>,
  text: string,
  files: string[],
): Promise<void> {
  await own.bed.decide(ask, { behavior: 'allow' });
  await terminal.shows(text);
  expect(testBed.files({ folder })).toEqual(files);
  await runOf(ask, 'completed');
  await terminal.end();
}

/** A dialog takes keys a moment after it is drawn. */
async function press(terminal: { type(keys: string): void }, key: string): Promise<void> {
  await sleep(500);
  terminal.type(key);
}

describe.skipIf(!claude || !hasPty)(`Claude Code ${claudeVersion}: attached`, () => {
  it('goes on when the call is allowed here, and says whose call it is', async () => {
    testBed.model.play([[touch('x', 'toolu_t1')], [{ text: 'Made it.' }]]);
    const { terminal, folder } = own.start('make x', 'allowed-here');
    const ask = await own.pending();
    expect(ask).toMatchObject({
      kind: 'approval',
      tool_call_id: expect.stringMatching(/^toolu_t1~\d+$/),
      request: { tool_name: 'Bash', input: { command: 'touch x' } },
    });
    expect(await own.bed.api.sessions.get(ask.session_id)).toMatchObject({
      agent_id: 'claude',
      title: 'make x',
      work_folder: folder,
    });
    await own.bed.decide(ask, { behavior: 'allow' });
    await terminal.shows('Made it.');
    expect(testBed.files({ folder })).toEqual(['x']);
    expect(testBed.result('toolu_t1')).toMatchObject({ isError: false });
    expect((await own.ended(ask)).delivery.state).toBe('delivered');
    await runOf(ask, 'completed');
    await terminal.end();
  });

  it('does what the person made of it here, and asks no more in this session for what was shown', async () => {
    const settings = join(testBed.root, 'home', '.claude', 'settings.json');
    const before = readFileSync(settings, 'utf8');
    const link = (id: string) => [bash('ln -sf nowhere x', id)];
    const other = [bash('ln -sf nowhere other && truncate -s 1 z', 'toolu_u4')];
    testBed.model.play([[touch('x', 'toolu_u1')], link('toolu_u2'), link('toolu_u3'), other, [{ text: 'Made both.' }]]);
    const { terminal, folder } = own.start('make x and y');
    const updated_input = { command: 'touch y && echo made y', description: 'd' };
    await own.bed.decide(await own.pending(), { behavior: 'allow', updated_input });
    const first = await own.pending((ask) => callIdOf(ask) === 'toolu_u2');
    expect(testBed.result('toolu_u1')).toEqual({ text: 'made y', isError: false });
    const changed = await own.bed.api.asks.list({ session_id: first.session_id, delivery: 'delivered' });
    expect(changed.items.map(callIdOf)).toEqual(['toolu_u1']);
    expect(testBed.files({ folder })).toEqual(['y']);
    const [always] = (first.request as ApprovalRequest).suggestions as { id: string }[];
    expect(always).toMatchObject({ label: expect.stringContaining('Bash(ln '), rules: [{ toolName: 'Bash' }] });
    await own.bed.decide(first, { behavior: 'allow', suggestion_ids: [always?.id ?? ''] });
    const wider = await own.pending(({ ask_id }) => ask_id !== first.ask_id);
    expect(callIdOf(wider)).toBe('toolu_u4');
    await own.bed.decide(wider, { behavior: 'deny', reason: 'not that one' });
    await terminal.shows('Made both.');
    expect(testBed.files({ folder })).toEqual(['x', 'y']);
    for (const id of ['toolu_u2', 'toolu_u3']) expect(testBed.result(id)).toMatchObject({ isError: false });
    expect(testBed.result('toolu_u4')?.text).toContain('not that one');
    // It was for this session: nothing of it is kept.
    expect(readFileSync(settings, 'utf8')).toBe(before);
    await runOf(wider, 'completed');
    await terminal.end();
  });

  it('is told the reason of a denial, and the answer to a question', async () => {
    testBed.model.play([[touch('x', 'toolu_t2')], asksColour('toolu_t3'), [{ text: 'Blue, then.' }]]);
    const { terminal, folder } = own.start('make x', 'denied-and-answered-here');
    await own.bed.decide(await own.pending(), { behavior: 'deny', reason: 'ask about the colour first' });
    const ask = await own.pending(({ kind }) => kind === 'question');
    await own.bed.answer(ask, BLUE);
    await terminal.shows('Blue, then.');
    expect(testBed.files({ folder })).toEqual([]);
    expect(testBed.result('toolu_t2')?.text).toContain('ask about the colour first');
    expect(testBed.result('toolu_t3')?.text).toContain('"Which colour?"="Blue"');
    await terminal.end();
  });

  it('settles here when the person at the terminal was first, and tells a late answer who won', async () => {
    testBed.model.play([
      [touch('x', 'toolu_t4'), touch('x', 'toolu_t4b')],
      asksColour('toolu_t4q'),
      [{ text: 'Made it.' }],
    ]);
    const { terminal, folder } = own.start('make x', 'allowed-at-the-terminal');
    const ask = await own.pending();
    await terminal.shows('❯ 1. Yes');
    await press(terminal, KEYS.enter);
    // The same call again is another one: it is asked anew, at both places.
    const twin = await own.pending(({ ask_id }) => ask_id !== ask.ask_id);
    expect([ask, twin].map(callIdOf)).toEqual(['toolu_t4', 'toolu_t4b']);
    expect(await own.ended(ask)).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', justification: 'allowed at the terminal of Claude Code' },
    });
    await expect(own.bed.decide(ask, { behavior: 'deny' })).rejects.toMatchObject({
      code: 'approval_state_conflict',
      detail: 'It was withdrawn by its agent (allowed at the terminal of Claude Code).',
      winner: { outcome: 'cancelled', reason: 'withdrawn' },
    });
    await own.bed.decide(twin, { behavior: 'deny', reason: 'once is enough' });
    const question = await own.pending(({ kind }) => kind === 'question');
    await terminal.shows('❯ 1. Red');
    await press(terminal, KEYS.enter);
    expect(await own.ended(question)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    await expect(own.bed.answer(question, BLUE)).rejects.toMatchObject({
      code: 'question_state_conflict',
      detail: expect.stringContaining('answered at the terminal of Claude Code'),
    });
    await terminal.shows('Made it.');
    expect(testBed.result('toolu_t4q')?.text).toContain('"Which colour?"="Red"');
    expect(testBed.files({ folder })).toEqual(['x']);
    expect(testBed.result('toolu_t4b')?.text).toContain('once is enough');
    await runOf(ask, 'completed');
    await terminal.end();
  });

  it('ends ask and run when the person gives up there; the next prompt is a run of its own', async () => {
    testBed.model.play([[touch('x', 'toolu_n1')], [touch('y', 'toolu_n2')], [{ text: 'Made y.' }]]);
    const { terminal, folder } = own.start('make x', 'given-up-at-the-terminal');
    const given = await own.pending();
    await terminal.shows('❯ 1. Yes');
    await press(terminal, KEYS.escape);
    expect(await own.ended(given)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    await runOf(given, 'interrupted');
    await terminal.shows('What should Claude do instead?');
    terminal.type('again');
    await terminal.shows(/❯\sagain/);
    await press(terminal, KEYS.enter);
    const next = await own.pending();
    expect([next.session_id, next.run_id === given.run_id]).toEqual([given.session_id, false]);
    await allowed(next, { terminal, folder }, 'Made y.', ['y']);
  });

  it('settles at once when the person says no there, with words that the model is told', async () => {
    testBed.model.play([[touch('x', 'toolu_n3')], [{ text: 'Not made.' }]]);
    const { terminal, folder } = own.start('make x', 'denied-at-the-terminal');
    const refused = await own.pending();
    for (const choice of ['❯ 1. Yes', '❯ 2. Yes', '❯ 3. Yes']) {
      await terminal.shows(choice);
      await press(terminal, KEYS.down);
    }
    await terminal.shows('❯ 4. No');
    terminal.type('\t');
    await terminal.shows('4. No, and');
    terminal.type('make y');
    await terminal.shows('make y');
    await press(terminal, KEYS.enter);
    expect(await own.ended(refused)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    await terminal.shows('Not made.');
    await runOf(refused, 'completed');
    expect(testBed.result('toolu_n3')?.text).toContain('make y');
    expect(testBed.files({ folder })).toEqual([]);
    await terminal.end();
  });

  it('says so where it was denied here while it ran, well or not, because the terminal had allowed it', async () => {
    const command = 'touch x; until [ -e go ]; do sleep 0.05; done; exit 3';
    const runs = { tool: 'Bash', input: { command, description: 'd' }, id: 'toolu_l1' };
    testBed.model.play([[runs], [touch('y', 'toolu_l2')], [{ text: 'Made it.' }]]);
    const { terminal, folder } = own.start('make x', 'denied-too-late');
    const ask = await own.pending();
    await terminal.shows('❯ 1. Yes');
    await press(terminal, KEYS.enter);
    await own.bed.until(async () => (testBed.files({ folder }).includes('x') ? true : undefined));
    await own.bed.decide(ask, { behavior: 'deny', reason: 'no' });
    writeFileSync(join(folder, 'go'), '');
    // A denial that came in time says nothing of the kind.
    await own.bed.decide(await own.pending(), { behavior: 'deny', reason: 'no' });
    await terminal.shows('Made it.');
    await runOf(ask, 'completed');
    const { outputs } = await own.bed.api.runs.get(ask.run_id);
    expect(outputs).toMatchObject([{ type: 'status', text: expect.stringContaining('denied here, but ran') }]);
    const { delivery } = await own.bed.api.asks.get(ask.ask_id);
    expect(delivery).toMatchObject({ state: 'undeliverable', reason: expect.stringContaining('allowed it before') });
    await terminal.end();
  });

  it('says which sub-agent asks, also after the turn of the session itself is over', async () => {
    // The turn ends when the sub-agent has asked, however long its hook process took to start.
    const handsOver = async () => {
      await own.pending();
      return [{ text: 'Over to you.' }];
    };
    testBed.model.play([[callsAgent('SUBWORK', 'toolu_s1')], handsOver, [{ text: 'All done.' }]], 'MAINWORK');
    testBed.model.play([[touch('sub', 'toolu_s2')], [{ text: 'I made it.' }]], 'SUBWORK');
    const { terminal, folder } = own.start('MAINWORK', 'sub-agent-allowed-here');
    const ask = await own.pending();
    expect(callIdOf(ask)).toMatch(/\/toolu_s2$/);
    expect(ask.request.lineage).toEqual(['general-purpose: help']);
    await terminal.shows('Over to you.');
    await terminal.shows('Holdpoint: general-purpose waits');
    await allowed(ask, { terminal, folder }, 'All done.', ['sub']);
  });

  it('keeps several of them apart, and takes back what one asked that was killed', async () => {
    testBed.model.play([[touch('mine', 'toolu_t5')], [{ text: 'First done.' }]], 'FIRSTONE');
    testBed.model.play([[touch('mine', 'toolu_t6')], [{ text: 'Second done.' }]], 'SECONDONE');
    const one = own.start('FIRSTONE');
    const first = await own.pending();
    const two = own.start('SECONDONE');
    const both = await own.bed.until(async () => {
      const { items } = await own.bed.api.asks.list({ status: 'pending' });
      return items.length === 2 ? items : undefined;
    });
    const second = both.find((ask) => ask.ask_id !== first.ask_id) as AskView;
    expect(second.session_id).not.toBe(first.session_id);
    await own.bed.decide(second, { behavior: 'allow' });
    await two.terminal.shows('Second done.');
    expect([testBed.files(one), testBed.files(two)]).toEqual([[], ['mine']]);
    expect(testBed.result('toolu_t6')).toMatchObject({ isError: false });
    expect(testBed.result('toolu_t5')).toBeUndefined();
    for (const pid of workingIn(one.folder)) process.kill(pid, 'SIGKILL');
    expect(await own.ended(first)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    await runOf(first, 'interrupted');
    await expect(own.bed.decide(first, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await one.terminal.end();
    await two.terminal.end();
    expect(testBed.files(one)).toEqual([]);
  });

  it('is not asked twice where Holdpoint hosts it', async () => {
    const everAsked = async () => (await own.bed.api.asks.list({ limit: 500 })).items.length;
    const before = await everAsked();
    testBed.model.play([[touch('hosted', 'toolu_t8')], [{ text: 'Done.' }]]);
    const folder = testBed.folder();
    const session = await own.bed.api.sessions.create({ agent: 'claude', work_folder: folder });
    const run = await own.bed.api.runs.start(session.session_id, { input: { text: 'go' } });
    const [ask] = await own.bed.pending(run.session_id);
    expect((await own.bed.api.asks.list({ status: 'pending' })).items).toHaveLength(1);
    if (ask) await own.bed.decide(ask, { behavior: 'allow' });
    expect(await own.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(testBed.files({ folder })).toEqual(['hosted']);
    expect(await everAsked()).toBe(before + 1);
  });

  it('keeps its ask when the server is killed and started again, and makes the call once with the answer', async () => {
    const twice = bash('echo made >> x', 'toolu_k1');
    testBed.model.play([[twice], [touch('y', 'toolu_k2')], [{ text: 'Made both.' }]]);
    const { terminal, folder } = own.start('make x and y');
    const asked = await own.pending();
    await terminal.shows('❯ 1. Yes');
    await own.restart();
    expect(testBed.files({ folder })).toEqual([]);
    expect(await own.bed.api.asks.get(asked.ask_id)).toMatchObject({ status: 'pending' });
    await own.bed.decide(asked, { behavior: 'allow' });
    const next = await own.pending();
    expect(next).toMatchObject({
      session_id: asked.session_id,
      run_id: asked.run_id,
      tool_call_id: expect.stringContaining('toolu_k2~'),
    });
    expect(readFileSync(join(folder, 'x'), 'utf8')).toBe('made\n');
    expect(await own.ended(asked)).toMatchObject({ status: 'answered', delivery: { state: 'delivered' } });
    await own.restart();
    // The terminal still asks, too: the first answer counts.
    await terminal.shows('❯ 1. Yes');
    await press(terminal, KEYS.enter);
    expect(await own.ended(next)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    await terminal.shows('Made both.');
    expect(testBed.files({ folder })).toEqual(['x', 'y']);
    await runOf(next, 'completed');
    await terminal.end();
  });

  it('keeps the ask of a sub-agent, for which its terminal shows no dialog, when the server is killed', async () => {
    const main = [[callsAgent('SUBWORK', 'toolu_r1')], [{ text: 'Over to you.' }], [{ text: 'All done.' }]];
    testBed.model.play(main, 'MAINWORK');
    testBed.model.play([[touch('sub', 'toolu_r2')], [{ text: 'I made it.' }]], 'SUBWORK');
    const { terminal, folder } = own.start('MAINWORK');
    const ask = await own.pending();
    await terminal.shows('Over to you.');
    await own.restart();
    await allowed(ask, { terminal, folder }, 'All done.', ['sub']);
  });

  it('asks at its terminal when the server hangs, after the time its hooks may take', async () => {
    testBed.model.play([[touch('x', 'toolu_h1')], [{ text: 'Made it.' }]]);
    process.kill(own.server.pid, 'SIGSTOP');
    const { terminal, folder } = own.start('make x');
    await terminal.shows('❯ 1. Yes');
    expect(testBed.files({ folder })).toEqual([]);
    await press(terminal, KEYS.enter);
    await terminal.shows('Made it.');
    process.kill(own.server.pid, 'SIGCONT');
    expect(testBed.files({ folder })).toEqual(['x']);
    await terminal.end();
  });

  it('asks at its terminal alone while no server is there, and allows nothing by that', async () => {
    testBed.model.play([[touch('x', 'toolu_t7')], [{ text: 'Made it.' }]]);
    await own.server.end('SIGKILL');
    const { terminal, folder } = own.start('make x');
    await terminal.shows('❯ 1. Yes');
    expect(testBed.files({ folder })).toEqual([]);
    await press(terminal, KEYS.enter);
    await terminal.shows('Made it.');
    expect(testBed.files({ folder })).toEqual(['x']);
    await terminal.end();
  });
});
