// kill -9 of the server that is attached to the person's own Codex, with an ask open: Codex goes on waiting at its own
// prompt; when the server is back the same ask is there, once, and its answer reaches Codex once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endEverything, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexDaemon } from './codex-daemon.ts';
import { escalated, readIfThere } from './codex-test-bed.ts';

let d: CodexDaemon;
beforeAll(async () => {
  if (!codex) return;
  d = await CodexDaemon.open(() => '');
  await d.detach();
});
afterAll(async () => {
  await endEverything();
  if (!codex) return;
  expect(d.model.others).toEqual([]);
  await d.close();
});

describe.skipIf(!codex)(`kill -9 of the server, attached to a Codex ${codexVersion} of the person's own`, () => {
  it('the same ask is there once when it is back, and its answer reaches Codex once', async () => {
    const serve = () => startHoldpoint({ via: 'main', data: d.data });
    const killed = await serve();
    const calls = [
      { ...escalated('echo one >> one.txt'), id: 'call_1' },
      { ...escalated('echo two >> two.txt'), id: 'call_2' },
    ];
    const person = await d.local('own-server-killed', [calls, [{ text: 'Done.' }]]);
    const session = `codex-own-${person.thread}`;
    const before = await new TestBed(killed.url, killed.token).pending(session, 2);
    await killed.end('SIGKILL');
    expect(person.settled).toEqual([]);
    // One of the two is answered at its own prompt while nobody watches.
    const isFirst = ({ params }: { params: unknown }) => (params as { itemId: string }).itemId === 'call_1';
    const prompt = await d.bed.until(async () => person.asked.find(isFirst));
    person.peer.respond(prompt.id, { decision: 'decline' });
    await d.bed.until(async () => (person.settled.length === 1 ? true : undefined));

    const back = await serve();
    const bed = new TestBed(back.url, back.token);
    const [ask] = await bed.pending(session);
    expect(before.map(({ ask_id }) => ask_id)).toContain(ask?.ask_id);
    expect(ask?.request).toMatchObject({ input: { command: 'echo two >> two.txt' } });
    if (ask) await bed.decide(ask, { behavior: 'allow' });
    await person.ended;
    expect([readIfThere(person.folder, 'one.txt'), readIfThere(person.folder, 'two.txt')]).toEqual([
      undefined,
      'two\n',
    ]);
    expect(d.model.resultOf('own-server-killed', 'call_2')).toContain('exited with code 0');
    expect(await bed.over(ask?.run_id ?? '')).toMatchObject({ status: 'completed' });
    const { items } = await bed.api.asks.list({ session_id: session });
    expect(items.map(({ status, delivery }) => [status, delivery.state]).sort()).toEqual([
      ['answered', 'delivered'],
      ['cancelled', 'delivered'],
    ]);
    const delivered = await bed.events(session, 'ask.delivered');
    expect(delivered.filter(({ ask_id }) => ask_id === ask?.ask_id)).toHaveLength(1);
    await back.end('SIGTERM');
  });
});
