// The person's own Codex, whose daemon Holdpoint attaches to: what it asks is asked here too, the first answer wins, both
// sides settle. The daemon is the real one; the person at it is another client, and once a real terminal.
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest, AskView } from '../../../src/core/views.ts';
import { endTerminals, hasPty, type Pty } from '../../support/pty.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexDaemon } from './codex-daemon.ts';
import { codexTerminal, pressUntil } from './codex-terminal.ts';
import { escalated, readIfThere } from './codex-test-bed.ts';

let d: CodexDaemon;
beforeAll(async () => {
  if (codex) d = await CodexDaemon.open(() => '');
});
afterAll(async () => {
  endTerminals();
  if (!codex) return;
  expect(d.model.others).toEqual([]);
  await d.close();
});

const DONE = [{ text: 'Done.' }];
const RAN = 'exited with code 0';

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own`, () => {
  it('is answered here: it goes on, and its own prompt closes', async () => {
    const person = await d.local('own-answered-here', [
      [{ ...escalated('echo hi > a.txt', 'Need it'), id: 'call_a' }],
      DONE,
    ]);
    const ask = await d.askOf(person);
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'echo hi > a.txt', cwd: person.folder },
      reason: 'Need it',
    });
    const prompt = await d.promptOf(person);
    await d.bed.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect(readIfThere(person.folder, 'a.txt')).toBe('hi\n');
    expect(d.model.resultOf('own-answered-here', 'call_a')).toContain(RAN);
    expect(person.settled).toMatchObject([{ requestId: prompt.id }]);
    const session = await d.bed.api.sessions.get(ask.session_id);
    expect(session).toMatchObject({
      agent_id: 'codex',
      work_folder: person.folder,
      title: 'Do this: own-answered-here',
    });
    expect(await d.bed.over(ask.run_id)).toMatchObject({ status: 'completed' });
  });

  it('is answered at its own prompt: the ask here is taken back, and a late answer is refused', async () => {
    const person = await d.local('own-answered-there', [[{ ...escalated('echo hi > b.txt'), id: 'call_b' }], DONE]);
    const ask = await d.askOf(person);
    person.peer.respond((await d.promptOf(person)).id, { decision: 'accept' });
    await person.ended;
    expect(readIfThere(person.folder, 'b.txt')).toBe('hi\n');
    expect(d.model.resultOf('own-answered-there', 'call_b')).toContain(RAN);
    expect(await d.ended(ask)).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn' },
    });
    await expect(d.bed.decide(ask, { behavior: 'deny' })).rejects.toMatchObject({ status: 409 });
  });

  it.each([
    ['denied there, allowed here', 'decline', 'allow'],
    ['allowed there, denied here', 'accept', 'deny'],
  ] as const)('%s at the same moment: delivered is what counted', async (_, there, here) => {
    const key = `own-race-${there}`;
    const person = await d.local(key, [[escalated('echo hi > race.txt')], DONE]);
    const ask = await d.askOf(person);
    const prompt = await d.promptOf(person);
    await d.pause();
    person.peer.respond(prompt.id, { decision: there });
    await d.bed.decide(ask, { behavior: here });
    await d.bed
      .until(async () => ((await d.bed.api.asks.get(ask.ask_id)).delivery.attempts > 0 ? true : undefined))
      .finally(() => d.kill('SIGCONT'));
    await person.ended;
    await d.bed.over(ask.run_id);
    const hasRun = readIfThere(person.folder, 'race.txt') !== undefined;
    const { delivery } = await d.bed.api.asks.get(ask.ask_id);
    expect(delivery).toMatchObject(
      hasRun === (here === 'allow')
        ? { state: 'delivered' }
        : { state: 'undeliverable', reason: expect.stringMatching(/settled in Codex itself|not seen to do it/) },
    );
    expect(await d.bed.events(ask.session_id, `ask.${delivery.state}` as 'ask.delivered')).toHaveLength(1);
  });

  it('hears why it was denied', async () => {
    const person = await d.local('own-denied', [[escalated('echo hi > c.txt')], DONE]);
    await d.bed.decide(await d.askOf(person), { behavior: 'deny', reason: 'not on a Sunday' });
    await person.ended;
    expect(readIfThere(person.folder, 'c.txt')).toBeUndefined();
    expect(d.model.heard('own-denied').at(-1)).toBe('If it was not done, the person said no: not on a Sunday');
  });

  it('shows file changes with their diff, although Holdpoint joins late', async () => {
    const patch = '*** Begin Patch\n*** Update File: old.txt\n@@\n-before\n+after\n*** End Patch\n';
    const settings = { model: 'gpt-5.5', sandbox: 'read-only' };
    const person = await d.local('own-patch', [[{ patch, id: 'call_patch' }], DONE], settings);
    const ask = await d.askOf(person);
    expect((ask.request as ApprovalRequest).diff).toContain('-before\n+after');
    await d.bed.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect(readIfThere(person.folder, 'old.txt')).toBe('after\n');
    expect(d.model.resultOf('own-patch', 'call_patch')).toContain('Success');
  });

  it('two turns are two runs of one session', async () => {
    const turns = ['d', 'e'].flatMap((name) => [[{ ...escalated(`touch ${name}.txt`), id: `call_${name}` }], DONE]);
    const person = await d.local('own-two-turns', turns);
    const first = await d.askOf(person);
    await d.bed.decide(first, { behavior: 'allow' });
    await person.ended;
    await d.bed.over(first.run_id);
    await person.peer.request('turn/start', {
      threadId: person.thread,
      input: [{ type: 'text', text: 'And now this.' }],
    });
    const second = await d.askOf(person);
    expect(second.session_id).toBe(first.session_id);
    expect(second.run_id).not.toBe(first.run_id);
    await d.bed.decide(second, { behavior: 'allow' });
    await d.bed.over(second.run_id);
    expect([readIfThere(person.folder, 'd.txt'), readIfThere(person.folder, 'e.txt')]).toEqual(['', '']);
    for (const id of ['call_d', 'call_e']) expect(d.model.resultOf('own-two-turns', id)).toContain(RAN);
  });

  it('is asked here again after its run was stopped here, and after it was disconnected and connected', async () => {
    const calls = ['j', 'k'].map((name) => [{ ...escalated(`echo ${name} > ${name}.txt`), id: `call_${name}` }]);
    const person = await d.local('own-stopped', [...calls, DONE]);
    const first = await d.askOf(person);
    await d.bed.api.runs.cancel(first.run_id, { reason: 'not here' });
    await d.ended(first);
    // That it is not asked here any more is no answer of the person who sits there; one would have come by now.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(person.settled).toEqual([]);
    person.peer.respond((await d.promptOf(person)).id, { decision: 'accept' });
    const second = await d.askOf(person);
    expect(second.run_id).not.toBe(first.run_id);
    const record = readIfThere(d.record) ?? '';
    rmSync(d.record);
    await d.ended(second);
    writeFileSync(d.record, record);
    const third = await d.askOf(person);
    expect((third.request as ApprovalRequest).input.command).toBe('echo k > k.txt');
    await d.bed.decide(third, { behavior: 'allow' });
    await person.ended;
    expect([readIfThere(person.folder, 'j.txt'), readIfThere(person.folder, 'k.txt')]).toEqual(['j\n', 'k\n']);
    for (const id of ['call_j', 'call_k']) expect(d.model.resultOf('own-stopped', id)).toContain(RAN);
    expect(await d.bed.over(third.run_id)).toMatchObject({ status: 'completed' });
  });

  it('keeps its ask while Holdpoint is away, and has the answer that was given meanwhile', async () => {
    const person = await d.local('own-away', [[{ ...escalated('echo hi > f.txt'), id: 'call_f' }], DONE]);
    const ask = await d.askOf(person);
    await d.detach();
    await d.bed.decide(ask, { behavior: 'allow' });
    expect(readIfThere(person.folder, 'f.txt')).toBeUndefined();
    await d.attach();
    await person.ended;
    expect(readIfThere(person.folder, 'f.txt')).toBe('hi\n');
    expect(d.model.resultOf('own-away', 'call_f')).toContain(RAN);
    expect((await d.bed.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('answered at its own prompt while Holdpoint is away: the ask ends when it is back', async () => {
    const person = await d.local('own-away-answered', [[escalated('echo hi > g.txt')], DONE]);
    const ask = await d.askOf(person);
    await d.detach();
    person.peer.respond((await d.promptOf(person)).id, { decision: 'decline' });
    await person.ended;
    expect((await d.bed.api.asks.get(ask.ask_id)).status).toBe('pending');
    await d.attach();
    const end = await d.ended(ask);
    expect(end.status).toBe('cancelled');
    expect(end.answer?.behavior).not.toBe('allow');
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own that is gone`, () => {
  it('ends its asks with that reason, and is found again when it is back', async () => {
    const person = await d.local('own-gone', [[escalated('echo hi > h.txt')], DONE]);
    const ask = await d.askOf(person);
    const hook = await d.bed.api.sessions.create({
      session_id: 'codex-own-hook',
      agent: 'external',
      agent_id: 'codex',
      labels: ['attached'],
    });
    const { run_id } = await d.bed.api.runs.start(hook.session_id, { input: {}, source: 'codex' });
    const asked = { kind: 'approval', tool_call_id: 'hook-1', tool_name: 'Bash', input: {} } as const;
    const byHook = await d.bed.api.asks.raise(run_id, asked);
    d.kill();
    expect(await d.ended(ask)).toMatchObject({
      status: 'failed',
      answer: { behavior: 'deny', reason: 'codex is gone' },
    });
    await expect(d.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    expect((await d.bed.api.asks.get(byHook.ask_id)).status).toBe('pending');
    await d.bed.api.runs.cancel(run_id);
    await d.start();
    const again = await d.local('own-back', [[escalated('echo hi > i.txt')], DONE]);
    await d.bed.decide(await d.askOf(again), { behavior: 'allow' });
    await again.ended;
    expect([readIfThere(person.folder, 'h.txt'), readIfThere(again.folder, 'i.txt')]).toEqual([undefined, 'hi\n']);
  });
});

describe.skipIf(!codex)(`a Codex ${codexVersion} of the person's own that is disconnected`, () => {
  it('is let go of: what it asked ends here, and its own prompt stays', async () => {
    const person = await d.local('own-disconnected', [[escalated('echo hi > l.txt')], DONE]);
    const ask = await d.askOf(person);
    const kept = readIfThere(d.record) ?? '';
    rmSync(d.record);
    expect(await d.ended(ask)).toMatchObject({ status: 'failed', answer: { behavior: 'deny' } });
    person.peer.respond((await d.promptOf(person)).id, { decision: 'accept' });
    await person.ended;
    expect(readIfThere(person.folder, 'l.txt')).toBe('hi\n');
    writeFileSync(d.record, kept);
  });
});

describe.skipIf(!codex || !hasPty)(`Codex ${codexVersion} in a terminal`, () => {
  async function onScreen(key: string, decide: (pty: Pty, ask: AskView) => Promise<void>): Promise<void> {
    const pty = codexTerminal(d.root, ['--remote', `unix://${d.socket}`, `Do this: ${key}`]);
    try {
      await pty.shows('Would you like');
      await decide(pty, await d.bed.until(async () => (await d.bed.api.asks.list({ status: 'pending' })).items[0]));
    } finally {
      await pty.end();
    }
  }
  const folderOf = (ask: AskView) => String((ask.request as ApprovalRequest).input.cwd);

  it('asks in both places; answered here, the prompt on the screen closes', async () => {
    d.model.play('own-terminal', [[escalated('echo hi > t.txt')], [{ text: 'It is done now.' }]]);
    await onScreen('own-terminal', async (pty, ask) => {
      await d.bed.decide(ask, { behavior: 'allow' });
      await pty.shows('It is done now.');
      expect(pty.screen().join('\n')).not.toContain('Would you like');
      expect(readIfThere(folderOf(ask), 't.txt')).toBe('hi\n');
    });
  });

  it('answered with a key, the ask here is taken back', async () => {
    d.model.play('own-keyboard', [[escalated('echo hi > k.txt')], [{ text: 'It is done now.' }]]);
    await onScreen('own-keyboard', async (pty, ask) => {
      await pressUntil(pty, 'y', 'It is done now.');
      expect(await d.ended(ask)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
      expect(readIfThere(folderOf(ask), 'k.txt')).toBe('hi\n');
    });
  });
});
