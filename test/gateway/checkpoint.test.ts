// Signed checkpoints over the log of a real gateway: what they cover, and that concurrent servers sign each event once.
import { describe, expect, it } from 'vitest';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { audited, auditedGateway, checkpoints } from '../core/audited-log.ts';

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
