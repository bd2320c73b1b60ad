// Routes over a whole server: who is told and then whom, digests, floods, quiet hours, and that every message is settled.
// Covers: src/notices/message-text.ts, src/notices/quiet-hours.ts
import { describe, expect, it } from 'vitest';
import type { Notice } from '../../src/core/notice.ts';
import type { NoticeSettingsView } from '../../src/core/notice-views.ts';
import type { AskView } from '../../src/core/views.ts';
import { allow, decide, eventually, ok, raiseApproval, raiseQuestion } from '../support/api-calls.ts';
import { MINUTE_MS, noticesForAll, tags } from './test-bed.ts';

const bed = noticesForAll();
const { open, device, working, notices, told } = bed;

const pending = () => ok(bed.server.get<AskView[]>('/v1/asks?status=pending&limit=500'));
const isPlanned = async (runId: string) => {
  const last = (await pending()).findLast(({ run_id }) => run_id === runId);
  return (await told(last?.ask_id ?? '')).length > 0;
};

describe('routes', () => {
  const lead = [{ who: 'lead', by: ['push'] }];

  it('tell the people they name, then others while nobody reacts, and stop when the ask ends', async () => {
    await open({ match: { tool: 'Bash' }, tell: lead, after: { '5m': [{ who: 'ops' }], '30m': [{ who: 'boss' }] } });
    const [phone, ops, boss] = [await device('lead'), await device('ops'), await device('boss')];
    const run = await working();
    const ask = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
    bed.server.advance(5 * MINUTE_MS);
    await eventually(() => tags(ops)).toEqual([ask.ask_id]);
    expect(ops.received[0]?.payload.body).toContain('Nobody has reacted for 5 minutes. Bash: rm -rf build');
    await ok(decide(bed.server, run, allow(ask.ask_id)));
    await eventually(() => [phone.shown().get(ask.ask_id)?.title, ops.shown().get(ask.ask_id)?.title]).toEqual([
      'Allowed by operator: external · Shop',
      'Allowed by operator: external · Shop',
    ]);
    bed.server.advance(60 * MINUTE_MS);
    const question = await raiseQuestion(bed.server, await working());
    await eventually(() => tags(boss)).toEqual([question.ask_id]);
    expect(await told(ask.ask_id)).toContain('boss step cancelled');
  });

  it('mark an ask where they mean nobody, and do not wait for a person who has seen it or snoozed it', async () => {
    await open(
      { match: { kind: 'question' }, tell: [{ who: 'ghost' }] },
      { tell: lead, after: { '5m': [{ who: 'ops' }] }, seen: 'stops' },
    );
    const [phone, ops] = [await device('lead'), await device('ops')];
    const question = await raiseQuestion(bed.server, await working());
    await eventually(() => told(question.ask_id)).toEqual(['ghost ask.raised failed']);
    const settings = await ok(bed.server.get<NoticeSettingsView>('/v1/notices'));
    expect(settings).toMatchObject({ routes: 2, unknown_names: ['ghost'], unreached: [question.ask_id] });
    const seen = await raiseApproval(bed.server, await working());
    const snoozed = await raiseApproval(bed.server, await working());
    await eventually(() => tags(phone).toSorted()).toEqual([seen.ask_id, snoozed.ask_id].toSorted());
    await ok(bed.server.post(`/v1/asks/${seen.ask_id}/seen`, {}, { token: phone.token }));
    await ok(bed.server.post(`/v1/asks/${snoozed.ask_id}/snooze`, { until_ms: bed.server.now() + 20 * MINUTE_MS }));
    bed.server.advance(6 * MINUTE_MS);
    await eventually(() => told(seen.ask_id)).toContain('ops step cancelled');
    expect(await told(snoozed.ask_id)).toContain('ops step due');
    bed.server.advance(15 * MINUTE_MS);
    await eventually(() => tags(ops)).toEqual([snoozed.ask_id]);
  });

  it('go on at once when a snooze is ended early', async () => {
    await open({ tell: lead, after: { '5m': [{ who: 'ops' }] } });
    const [phone, ops] = [await device('lead'), await device('ops')];
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
    const snooze = (until_ms: number | null) =>
      ok(bed.server.post(`/v1/asks/${ask.ask_id}/snooze`, { until_ms }, { token: phone.token }));
    const wait = async () =>
      ((await notices(ask.ask_id)).find(({ event }) => event === 'step')?.due_at_ms ?? 0) - bed.server.now();
    await snooze(bed.server.now() + 24 * 60 * MINUTE_MS);
    await eventually(wait).toBeGreaterThan(23 * 60 * MINUTE_MS);
    bed.server.advance(6 * MINUTE_MS);
    await snooze(null);
    await eventually(() => tags(ops)).toEqual([ask.ask_id]);
  });

  it('send many asks as one message, and say how many of them still wait', async () => {
    await open({ tell: lead, digest: '10m' });
    const phone = await device('lead');
    const run = await working();
    const first = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const asks = [
      await raiseApproval(bed.server, run),
      await raiseApproval(bed.server, run),
      await raiseApproval(bed.server, run),
    ];
    await eventually(() => told(asks[2]?.ask_id ?? '')).toEqual(['lead ask.raised due']);
    bed.server.advance(10 * MINUTE_MS);
    await eventually(() => phone.received.at(-1)?.payload).toMatchObject({
      title: '3 requests wait: external · Shop',
      path: '/',
      actions: [],
    });
    const tag = phone.received.at(-1)?.payload.tag;
    await ok(decide(bed.server, run, allow(asks[0]?.ask_id ?? '')));
    await eventually(() => phone.received.at(-1)?.payload).toMatchObject({
      tag,
      title: '2 requests wait: external · Shop',
    });
    expect(phone.received).toHaveLength(3);
  });

  it('still tell of the others of a message when one of them ends before it is sent', async () => {
    await open({ tell: lead, digest: '10m' });
    const phone = await device('lead');
    const run = await working();
    const first = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const [ended, waiting] = [await raiseApproval(bed.server, run), await raiseApproval(bed.server, run)];
    await eventually(() => told(waiting.ask_id)).toEqual(['lead ask.raised due']);
    const { store } = bed.server.ports;
    const write = store.write.bind(store);
    // Between the claim of both and the message. Only the claim returns the notices it took.
    store.write = async (unit) => {
      const result = await write(unit);
      const taken: unknown[] = Array.isArray(result) ? result : [];
      if (!taken.some((notice) => (notice as Notice).askId === ended.ask_id)) return result;
      // Once: the end of the request is sent by a claim of its own.
      store.write = write;
      await ok(decide(bed.server, run, allow(ended.ask_id)));
      return result;
    };
    bed.server.advance(10 * MINUTE_MS);
    await eventually(() => told(waiting.ask_id)).toEqual(['lead ask.raised accepted']);
    expect(await told(ended.ask_id)).toContain('lead ask.raised cancelled');
  });

  it('say how a message of several ended only after the message itself, however slow the provider is', async () => {
    await open({ tell: lead, digest: '10m' });
    const phone = await device('lead');
    const run = await working();
    const first = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const asks = [await raiseApproval(bed.server, run), await raiseApproval(bed.server, run)];
    for (const { ask_id } of asks) await eventually(() => told(ask_id)).toEqual(['lead ask.raised due']);
    let release: (() => void) | undefined;
    bed.push.mood = (response, take) => {
      const reply = () => {
        take();
        response.writeHead(201).end();
      };
      if (release) reply();
      else release = reply;
    };
    bed.server.advance(10 * MINUTE_MS);
    await eventually(() => release !== undefined).toBe(true);
    for (const { ask_id } of asks) await ok(decide(bed.server, run, allow(ask_id)));
    for (const { ask_id } of asks)
      await eventually(async () => (await told(ask_id)).join()).toContain('lead ask.ended');
    // Everything that was due before it has been started.
    await ok(bed.server.post('/v1/notices/test', { who: 'lead' }));
    release?.();
    for (const { ask_id } of asks) await eventually(() => told(ask_id)).toContain('lead ask.ended accepted');
    const several = [...phone.shown().values()].find(({ tag }) => tag.startsWith('several'));
    expect(several?.title).toBe('Nothing waits: external · Shop');
  });

  it('try a message of several again as one', async () => {
    await open({ tell: lead, digest: '10m' });
    const phone = await device('lead');
    const run = await working();
    const first = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const asks = [await raiseApproval(bed.server, run), await raiseApproval(bed.server, run)];
    for (const { ask_id } of asks) await eventually(() => told(ask_id)).toEqual(['lead ask.raised due']);
    bed.push.mood = (response) => response.writeHead(503).end();
    bed.server.advance(10 * MINUTE_MS);
    for (const { ask_id } of asks) await eventually(async () => (await notices(ask_id))[0]?.attempts).toBe(1);
    bed.push.mood = (response, take) => {
      take();
      response.writeHead(201).end();
    };
    bed.server.advance(MINUTE_MS);
    for (const { ask_id } of asks) await eventually(() => told(ask_id)).toEqual(['lead ask.raised accepted']);
    expect(tags(phone).filter((tag) => tag.startsWith('several'))).toHaveLength(1);
  });

  it('settle every message of an ask that was sent with others and then alone, to people who were told twice', async () => {
    await open({ tell: lead, digest: '10m', after: { '15m': lead } });
    const phone = await device('lead');
    const [run, other] = [await working(), await working({ title: 'Other' })];
    const first = await raiseApproval(bed.server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const asks = [await raiseApproval(bed.server, run), await raiseApproval(bed.server, other)];
    await eventually(() => told(asks[1]?.ask_id ?? '')).toContain('lead ask.raised due');
    bed.server.advance(10 * MINUTE_MS);
    await eventually(() => phone.received.at(-1)?.payload.title).toBe('2 requests wait');
    bed.server.advance(6 * MINUTE_MS);
    await eventually(() => told(asks[1]?.ask_id ?? '')).toContain('lead ask.escalated accepted');
    bed.server.advance(MINUTE_MS);
    for (const { ask_id } of [first, ...asks])
      await eventually(() => told(ask_id)).toContain('lead ask.escalated accepted');
    for (const ask of [first, asks[0]]) await ok(decide(bed.server, run, allow(ask?.ask_id ?? '')));
    await ok(decide(bed.server, other, allow(asks[1]?.ask_id ?? '')));
    const isOver = ({ event, title }: { event: string; title: string }) => event === 'ask.ended' && !/^\d/.test(title);
    await eventually(() => [...phone.shown().values()].filter((each) => !isOver(each))).toEqual([]);
    expect(phone.shown().size).toBeGreaterThan(2);
  });

  it('let no agent bury the request of another under many of its own', async () => {
    await open();
    const phone = await device('lead');
    const [flooding, other] = [await working({ title: 'Flood' }), await working()];
    for (let i = 0; i < 30; i++) await raiseApproval(bed.server, flooding, { input: { command: `step ${i}` } });
    const real = await raiseApproval(bed.server, other);
    await eventually(() => phone.shown().get(real.ask_id)?.title).toBe('Approval: external · Shop');
    bed.server.advance(MINUTE_MS);
    await eventually(() => phone.received.at(-1)?.payload.title).toMatch(/^\d+ requests wait: external · Flood$/);
    expect(phone.received.length).toBeLessThan(15);
  });

  it('let no session bury the request of another by asking for hours', async () => {
    await open();
    const phone = await device('lead');
    const run = await working({ title: 'Drip' });
    for (let i = 0; i < 60; i++) {
      await raiseApproval(bed.server, run, { input: { command: `step ${i}` } });
      await eventually(() => isPlanned(run)).toBe(true);
      bed.server.advance(MINUTE_MS / 2);
    }
    expect(phone.shown().size).toBeLessThan(15);
    const real = await raiseApproval(bed.server, await working());
    await eventually(() => phone.shown().get(real.ask_id)?.title).toBe('Approval: external · Shop');
    bed.server.advance(60 * MINUTE_MS);
    const [last] = (await pending()).slice(-2);
    await eventually(() => told(last?.ask_id ?? '')).toEqual(['lead ask.raised accepted']);
  });

  it('become one message where an agent floods through many sessions, and none of them is lost', async () => {
    await open();
    const phone = await device('lead');
    for (let i = 0; i < 60; i++) await raiseApproval(bed.server, await working({ title: `Flood ${i}` }));
    bed.server.advance(10 * MINUTE_MS);
    for (const { ask_id } of await pending())
      await eventually(() => told(ask_id)).toEqual(['lead ask.raised accepted']);
    expect(phone.shown().size).toBeLessThan(20);
    expect([...phone.shown().values()].some(({ title }) => /^\d\d requests wait$/.test(title))).toBe(true);
  });

  it('wait for the end of quiet hours, unless they are urgent', async () => {
    await open({ match: { tool: 'Deploy' }, tell: lead, urgent: true });
    const phone = await device('lead');
    const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const hours = {
      from: at(bed.server.now() - 60 * MINUTE_MS),
      to: at(bed.server.now() + 60 * MINUTE_MS),
      time_zone: 'UTC',
    };
    await ok(bed.server.call('PUT', '/v1/notices/quiet-hours', { quiet_hours: hours }, { token: phone.token }));
    const quiet = await raiseApproval(bed.server, await working());
    const urgent = await raiseApproval(bed.server, await working(), { tool_name: 'Deploy' });
    await eventually(() => tags(phone)).toEqual([urgent.ask_id]);
    expect(phone.received[0]?.headers).toMatchObject({ urgency: 'high' });
    expect(await told(quiet.ask_id)).toEqual(['lead ask.raised due']);
    bed.server.advance(61 * MINUTE_MS);
    await eventually(() => tags(phone)).toEqual([urgent.ask_id, quiet.ask_id]);
  });

  it('are sent when the person ends the quiet hours that they wait for, and not before shorter ones end', async () => {
    await open();
    const phone = await device('lead');
    const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const quietFor = async (minutes: number | undefined) => {
      const [from, to] = [bed.server.now() - 60 * MINUTE_MS, bed.server.now() + (minutes ?? 0) * MINUTE_MS].map(at);
      const body = minutes === undefined ? {} : { quiet_hours: { from, to, time_zone: 'UTC' } };
      await ok(bed.server.call('PUT', '/v1/notices/quiet-hours', body, { token: phone.token }));
    };
    await quietFor(300);
    const ask = await raiseApproval(bed.server, await working());
    const waits = async () => ((await notices(ask.ask_id))[0]?.due_at_ms ?? 0) - bed.server.now();
    await eventually(waits).toBeGreaterThan(290 * MINUTE_MS);
    await quietFor(30);
    const left = await waits();
    expect([left > 0, left <= 30 * MINUTE_MS, phone.received.length]).toEqual([true, true, 0]);
    await quietFor(undefined);
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
  });

  it('wait for the end of quiet hours with a retry that would fall into them', async () => {
    await open();
    const phone = await device('lead');
    bed.push.mood = (response) => response.writeHead(503).end();
    const ask = await raiseApproval(bed.server, await working());
    await eventually(async () => (await notices(ask.ask_id))[0]?.attempts).toBe(1);
    const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const hours = { from: at(bed.server.now()), to: at(bed.server.now() + 120 * MINUTE_MS), time_zone: 'UTC' };
    await ok(bed.server.call('PUT', '/v1/notices/quiet-hours', { quiet_hours: hours }, { token: phone.token }));
    bed.push.mood = (response, take) => {
      take();
      response.writeHead(201).end();
    };
    bed.server.advance(60 * MINUTE_MS);
    await eventually(async () => ((await notices(ask.ask_id))[0]?.due_at_ms ?? 0) - bed.server.now()).toBeGreaterThan(
      50 * MINUTE_MS,
    );
    expect(phone.received).toEqual([]);
    bed.server.advance(61 * MINUTE_MS);
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
  });
});
