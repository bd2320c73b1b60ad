// Signed checkpoints over the log of a real gateway: what they cover, and that concurrent servers sign each event once.
import { describe, expect, it } from 'vitest';
import { canonical } from '../../src/core/digest.ts';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openSession } from '../../src/gateway/ledger.ts';
import { audited, auditedGateway, checkpoints } from '../core/audited-log.ts';
import { hash } from '../support/gateway.ts';

const { open, run, work, wholeLog } = auditedGateway();

describe('checkpoints', () => {
  it('signs the head of every session, from where the last checkpoint ended', async () => {
    await work('a', 2);
    await signLog(open.ports);
    await work('b', 1);
    await signLog(open.ports);
    await run('a');
    const log = await wholeLog();
    expect(audited(log)).toMatchObject({ checkpoints: 2, sessions: 3, events: log.length, faults: [] });
    const [first, second] = checkpoints(log).map((event) => JSON.parse(event.data));
    expect(first.heads.map((head: { session_id: string }) => head.session_id)).toEqual([SYSTEM_SESSION, 'a']);
    expect(second).toMatchObject({ after_seq: first.through_seq, key: open.ports.sealer.publicKey });
    expect(audited(log).unsigned_events).toBe(log.filter((event) => event.seq > second.through_seq).length - 1);
  });

  it('chains checkpoints and states the order of the events they cover', async () => {
    await work('a', 1);
    await signLog(open.ports);
    await work('b', 1);
    await signLog(open.ports);
    const log = await wholeLog();
    const [first, second] = checkpoints(log);
    const said = JSON.parse(second?.data ?? '');
    expect(JSON.parse(first?.data ?? '').previous).toBe('0'.repeat(64));
    expect(said.previous).toBe(hash(first?.data ?? ''));
    const covered = log.filter(({ seq }) => seq > said.after_seq && seq <= said.through_seq);
    expect(said).toMatchObject({
      events: covered.length,
      order: hash(covered.map((event) => `${event.seq} ${event.hash}\n`).join('')),
    });
  });

  it('continues the checkpoints of version 0.1, which were neither chained nor ordered', async () => {
    await work('a', 1);
    const { sealer, store } = open.ports;
    const old = await wholeLog();
    const heads = [...new Map(old.map((event) => [event.sessionId, event])).values()].map((event) => ({
      session_id: event.sessionId,
      session_seq: event.sessionSeq,
      hash: event.hash,
    }));
    const statement = { after_seq: 0, through_seq: old.at(-1)?.seq ?? 0, heads };
    await store.write(async (tx) => {
      const ledger = await openSession(open.ports, tx, SYSTEM_SESSION);
      const signature = sealer.sign(canonical(statement));
      ledger.note('audit.checkpoint', { ...statement, key: sealer.publicKey, signature });
      await ledger.close();
    });
    await work('b', 1);
    await signLog(open.ports);
    const log = await wholeLog();
    const [first, second] = checkpoints(log);
    expect(JSON.parse(second?.data ?? '').previous).toBe(hash(first?.data ?? ''));
    expect(audited(log)).toMatchObject({ checkpoints: 2, unsigned_events: 0, faults: [] });
    expect(audited(log.filter(({ sessionId }) => sessionId !== 'a')).faults).toEqual(['session a is missing']);
  });

  it('writes no checkpoint when nothing happened', async () => {
    await signLog(open.ports);
    await signLog(open.ports);
    expect(checkpoints(await wholeLog())).toHaveLength(1);
  });

  it('writes one checkpoint when several servers sign at once', async () => {
    await work('a', 3);
    await Promise.all([signLog(open.ports), signLog(open.ports), signLog(open.ports)]);
    const log = await wholeLog();
    expect(checkpoints(log)).toHaveLength(1);
    expect(audited(log).faults).toEqual([]);
  });

  it('covers a long log with several checkpoints', async () => {
    await work('a', 1200);
    await signLog(open.ports);
    const log = await wholeLog();
    expect(checkpoints(log).length).toBeGreaterThan(2);
    expect(audited(log)).toMatchObject({ unsigned_events: 0, faults: [] });
  });

  it('writes checkpoints periodically while a server runs', async () => {
    const gateway = createGateway(open.ports, { pendingAsksPerSession: 10, onError: expect.fail });
    await gateway.start();
    open.advance(61_000);
    await expect.poll(async () => checkpoints(await wholeLog()).length, { timeout: 20_000 }).toBe(1);
    await gateway.stop();
  });
});
