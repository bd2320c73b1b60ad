// A managed OpenCode, played by a stand-in that behaves as the real one does where that is unexpected: denials, aborted
// turns, sub-agents, and an event stream that breaks.
// Covers: src/agents/opencode/, src/agents/opencode/agent.ts, src/agents/opencode/api.ts, src/agents/opencode/launch.ts
// Covers: src/agents/opencode/decisions.ts, src/agents/opencode/outputs.ts, src/agents/opencode/protocol.ts
// Covers: src/agents/opencode/requests.ts, src/agents/opencode/resume.ts, src/agents/opencode/session-tree.ts
// Covers: src/agents/opencode/settings.ts, src/agents/kit/question-options.ts, src/agents/wire/http-peer.ts
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencode } from '../../../src/agents/opencode/agent.ts';
import type { AskView } from '../../../src/core/views.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('planned-opencode.mjs', opencode);
let made = 0;

async function start(...messages: object[][]) {
  made += 1;
  const folder = join(standIn.root, `work-${made}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(messages));
  const { api } = standIn.bed;
  const { session_id } = await api.sessions.create({ agent: 'opencode', work_folder: folder });
  const run = await api.runs.start(session_id, { input: { text: 'go' } });
  return {
    run,
    asks: (count: number) => standIn.bed.pending(session_id, count),
    over: () => standIn.bed.over(run.run_id),
    tell: (name: string) => writeFileSync(join(folder, name), ''),
    received: () => readFileSync(join(folder, 'received.txt'), 'utf8'),
    untell: (name: string) => rmSync(join(folder, name)),
    tried: () => (existsSync(join(folder, 'tried.txt')) ? readFileSync(join(folder, 'tried.txt'), 'utf8') : ''),
    hasRun: (name: string) => existsSync(join(folder, name)),
  };
}

const command = (name: string, more: object = {}) => ({ id: `call_${name}`, command: `touch ${name}`, ...more });
const named = (asks: AskView[], name: string) =>
  asks.find((ask) => JSON.stringify(ask.request).includes(`touch ${name}`)) as AskView;
const stateOf = async ({ ask_id }: AskView) => {
  const { status, delivery } = await standIn.bed.api.asks.get(ask_id);
  return [status, delivery.state];
};

describe('a managed OpenCode', () => {
  it('sends a denial after the other permissions are decided, because it rejects them all with the first', async () => {
    const { asks, over, received, hasRun } = await start([command('one'), command('two'), command('three')]);
    const open = await asks(3);
    await standIn.bed.decide(named(open, 'one'), { behavior: 'deny', reason: 'not the first' });
    await standIn.bed.decide(named(open, 'two'), { behavior: 'deny', reason: 'not the second' });
    await standIn.bed.decide(named(open, 'three'), { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect([hasRun('one'), hasRun('two'), hasRun('three')]).toEqual([false, false, true]);
    expect(received()).toMatch(/said no: not the first\n.*said no: not the second/);
    for (const ask of open) expect(await stateOf(ask)).toEqual(['answered', 'delivered']);
  });

  it('rejects every open request of a turn that was aborted, and a late allow changes nothing', async () => {
    const { asks, over, tell, received, hasRun } = await start([command('one'), command('two')]);
    const open = await asks(2);
    tell('abort');
    expect(await over()).toMatchObject({ status: 'failed', error: 'Aborted' });
    for (const ask of open) {
      await expect(standIn.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
      expect((await standIn.bed.api.asks.get(ask.ask_id)).status).toBe('cancelled');
    }
    expect([hasRun('one'), hasRun('two')]).toEqual([false, false]);
    expect(received().match(/its turn has ended/g) ?? []).not.toHaveLength(0);
  });

  it('asks what its sub-agents ask under their name', async () => {
    const { asks, over } = await start([command('one', { child: true })]);
    const [ask] = (await asks(1)) as [AskView];
    expect(ask.request.lineage).toEqual(['general: look for the bug']);
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
  });

  it('misses nothing while its event stream is cut off', async () => {
    const { asks, over, tell, hasRun } = await start([command('one')], [command('two')]);
    const [first] = (await asks(1)) as [AskView];
    tell('cut');
    await standIn.bed.decide(first, { behavior: 'allow' });
    const [second] = (await asks(1)) as [AskView];
    expect(second.ask_id).not.toBe(first.ask_id);
    tell('cut');
    await standIn.bed.decide(second, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect([hasRun('one'), hasRun('two')]).toEqual([true, true]);
  });

  it('gets an answer that could not reach it for a while, and its events are followed again after that', async () => {
    const { asks, over, tell, untell, tried, hasRun } = await start([command('one')], [command('two')]);
    const [first] = (await asks(1)) as [AskView];
    tell('away');
    await standIn.bed.until(async () => tried().includes('GET /global/event') || undefined);
    await standIn.bed.decide(first, { behavior: 'allow' });
    await standIn.bed.until(async () => tried().includes('GET /session/status') || undefined);
    untell('away');
    const second = await standIn.bed.until(async () => {
      const [ask] = await asks(1);
      return ask?.ask_id === first.ask_id ? undefined : ask;
    });
    await standIn.bed.decide(second, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect([hasRun('one'), hasRun('two')]).toEqual([true, true]);
    expect(await stateOf(first)).toEqual(['answered', 'delivered']);
  });

  it('goes on after an error that it recovers from', async () => {
    const { asks, over, hasRun } = await start([{ id: 'call_1', error: 'Too long', recovers: true }], [command('one')]);
    const [ask] = (await asks(1)) as [AskView];
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(hasRun('one')).toBe(true);
  });

  it('is told "always" when the person takes that suggestion', async () => {
    const { asks, over, received } = await start([command('one'), command('two')]);
    const open = await asks(2);
    await standIn.bed.decide(named(open, 'one'), { behavior: 'allow', suggestion_ids: ['always'] });
    await standIn.bed.decide(named(open, 'two'), { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toContain('always');
  });

  it('is not told "always" while a denial waits: it would allow what was denied, too', async () => {
    const { asks, over, received, hasRun } = await start([command('one'), command('two')]);
    const open = await asks(2);
    await standIn.bed.decide(named(open, 'one'), { behavior: 'deny', reason: 'not that one' });
    await standIn.bed.decide(named(open, 'two'), { behavior: 'allow', suggestion_ids: ['always'] });
    const { status, outputs } = await over();
    expect(status).toBe('completed');
    expect([hasRun('one'), hasRun('two')]).toEqual([false, true]);
    expect(received()).toContain('(once)');
    expect(JSON.stringify(outputs)).toContain('allowed once, and not always');
    for (const ask of open) expect(await stateOf(ask)).toEqual(['answered', 'delivered']);
  });

  it('fails with the words of an error that ends its turn', async () => {
    const { over } = await start([{ id: 'call_1', error: 'No such model' }]);
    expect(await over()).toMatchObject({ status: 'failed', error: 'No such model' });
  });
});
