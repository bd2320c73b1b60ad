// The offline audit of a log that a real gateway wrote: a whole log has no faults, and every alteration, omission and
// forged signature is reported by session and event.
// Covers: src/core/checkpoint.ts, src/core/session-chains.ts, src/core/signing-keys.ts
import { beforeEach, describe, expect, it } from 'vitest';
import { canonical } from '../../src/core/digest.ts';
import { type Event, hashInput } from '../../src/core/event.ts';
import type { Sealer } from '../../src/core/ports.ts';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { hash } from '../support/gateway.ts';
import { audited, auditedGateway, checkpoints } from './audited-log.ts';

const { open, work, wholeLog } = auditedGateway();

/** A checkpoint that states this, signed by a key of one's own. */
const signedBy = ({ publicKey: key, sign }: Sealer, said: object) => {
  const statement = { ...said, key };
  return { ...statement, signature: sign(canonical(statement)) };
};

describe('the audit of a log', () => {
  let log: Event[];
  beforeEach(async () => {
    await work('a', 3);
    await work('b', 2);
    await signLog(open.ports);
    await work('c', 1);
    await signLog(open.ports);
    await work('d', 1);
    log = await wholeLog();
  });
  const of = (sessionId: string) => log.filter((event) => event.sessionId === sessionId);
  const without = (...gone: (Event | undefined)[]) => log.filter((event) => !gone.includes(event));
  /** As somebody would who knows how the log is linked, but has no key. */
  const relinked = (events: readonly Event[], sessionId: string): Event[] => {
    let head = { seq: 0, hash: '0'.repeat(64) };
    return events.map((event) => {
      if (event.sessionId !== sessionId) return event;
      const linked = { ...event, sessionSeq: head.seq + 1, prevHash: head.hash };
      linked.hash = hash(hashInput(linked));
      head = { seq: linked.sessionSeq, hash: linked.hash };
      return linked;
    });
  };

  it('reports no fault in a complete log, also when sessions are read in another order', () => {
    expect(audited(log).faults).toEqual([]);
    const part = of('b');
    expect(audited([...without(...part), ...part]).faults).toEqual([]);
    expect(audited([...part, ...without(...part)]).faults).toEqual([]);
  });

  it('reports an altered event and a missing event', () => {
    const altered = log.map((event) => (event === of('b')[1] ? { ...event, data: '{"status":"completed"}' } : event));
    expect(audited(altered).faults).toEqual(['session b: event 2 was altered']);
    expect(audited(without(of('b')[1])).faults).toEqual(['session b: event 3 follows 1']);
  });

  it('reports a missing tail of a session and a missing session', () => {
    const last = of('b').length;
    expect(audited(without(of('b').at(-1))).faults).toEqual([`session b: events ${last} to ${last} are missing`]);
    expect(audited(without(...of('a'))).faults).toEqual(['session a is missing']);
  });

  it('reports an altered event whose session was linked again, because it is not what was signed', () => {
    const changed = log.map((event) => (event === of('b')[0] ? { ...event, data: '{}' } : event));
    const last = of('b').length;
    expect(audited(relinked(changed, 'b')).faults).toEqual([`session b: event ${last} is not the one that was signed`]);
  });

  it('reports a removed checkpoint although the rest was linked again', () => {
    const faults = audited(relinked(without(checkpoints(log)[0]), SYSTEM_SESSION)).faults;
    expect(faults).toContainEqual(
      expect.stringMatching(/^the checkpoint at event \d+ follows event \d+, .* ended at 0$/),
    );
  });

  it('reports a changed checkpoint and one signed with another key', () => {
    const other = createSealer(Buffer.alloc(32, 8));
    const [checkpoint] = checkpoints(log);
    const restated = (change: (data: Record<string, unknown>) => object) =>
      relinked(
        log.map((event) =>
          event === checkpoint ? { ...event, data: canonical(change(JSON.parse(event.data))) } : event,
        ),
        SYSTEM_SESSION,
      );
    expect(audited(restated((data) => ({ ...data, heads: [] }))).faults[0]).toMatch(/has a false signature$/);
    const forged = restated(({ signature: _, ...said }) => signedBy(other, said));
    expect(audited(forged).faults).toContainEqual(expect.stringMatching(/is signed by another key/));
    expect(audited(forged, [open.ports.sealer.publicKey]).faults[0]).toContain(other.publicKey);
    expect(audited(log, [other.publicKey]).faults[0]).toContain(open.ports.sealer.publicKey);
  });

  it('reports events of two sessions that exchanged their places in the whole log', () => {
    const [ofA, ofB] = [of('a').at(-1), of('b')[0]];
    const swapped = log.map((event) => {
      if (event === ofA) return { ...event, seq: ofB?.seq ?? 0 };
      return event === ofB ? { ...event, seq: ofA?.seq ?? 0 } : event;
    });
    expect(swapped).not.toEqual(log);
    const [first] = checkpoints(log);
    expect(audited(swapped).faults).toEqual([
      expect.stringMatching(`^the checkpoint at event ${first?.seq} signed \\d+ events in another order`),
    ]);
  });

  it('reports a checkpoint that was written again by a holder of the key, by the one after it', () => {
    const [checkpoint, second] = checkpoints(log);
    const rewritten = relinked(
      log.map((event) => {
        if (event !== checkpoint) return event;
        const {
          signature: _,
          heads: [, ...heads],
          ...said
        } = JSON.parse(event.data);
        return { ...event, data: canonical(signedBy(open.ports.sealer, { ...said, heads })) };
      }),
      SYSTEM_SESSION,
    );
    expect(audited(rewritten).faults).toContain(
      `the checkpoint at event ${second?.seq} does not follow the checkpoint before it`,
    );
  });
});
