// Rotation of the key that signs the log of a real gateway: with asks open, with several servers, with a key that is missing;
// and what an audit reports of tampering before and after it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { canonical } from '../../src/core/digest.ts';
import { type Event, hashInput } from '../../src/core/event.ts';
import { rotateAuditKey } from '../../src/gateway/audit-key.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { audited, auditedGateway, checkpoints } from '../core/audited-log.ts';
import { hash, outcomeOf, person } from '../support/gateway.ts';
import { temporaryFolder } from '../support/process.ts';

const { open, run, work, wholeLog } = auditedGateway();
const keyOf = (event: Event): string => JSON.parse(event.data).key;
const actor = person('lead');

/** Links the events of one session again, as somebody would who has no key. */
function relinked(log: readonly Event[], sessionId: string): Event[] {
  let head = { seq: 0, hash: '0'.repeat(64) };
  return log.map((event) => {
    if (event.sessionId !== sessionId) return event;
    const linked = { ...event, sessionSeq: head.seq + 1, prevHash: head.hash };
    linked.hash = hash(hashInput(linked));
    head = { seq: linked.sessionSeq, hash: linked.hash };
    return linked;
  });
}

/** Two rotations, with events of session `a` before the first, of `b` between and of `c` after both. */
async function rotatedTwice(): Promise<Event[]> {
  await work('a', 1);
  await rotateAuditKey(open.ports);
  await work('b', 1);
  await rotateAuditKey(open.ports);
  await work('c', 1);
  await signLog(open.ports);
  return wholeLog();
}

describe('rotation of the audit key', () => {
  it('is signed by the key before it, with asks open, and the first public key verifies all of it', async () => {
    await work('a', 0);
    const { view } = await run('a');
    const body = { kind: 'approval' as const, tool_call_id: 'c', tool_name: 'Bash', input: { command: 'ls' } };
    const asked = await open.gateway.raiseAsk({ runId: view.run_id, body, actor });
    const first = open.ports.sealer.publicKey;
    const { view: second } = await open.gateway.rotateAuditKey();
    const resolutions = [{ request_id: asked.view.ask_id, behavior: 'deny' as const }];
    await open.gateway.approveForRun({ runId: view.run_id, resolutions, actor });
    await open.restart();
    const { view: third } = await open.gateway.rotateAuditKey();
    const log = await wholeLog();
    expect(audited(log, [first])).toMatchObject({
      faults: [],
      unsigned_events: 0,
      keys: [first, second.key, third.key],
    });
    expect(await open.gateway.listAuditKeys()).toEqual([
      { key: first, is_current: false },
      { ...second, is_current: false },
      third,
    ]);
  });

  it('ends what the old key may sign', async () => {
    const log = await rotatedTwice();
    const last = checkpoints(log).at(-1) as Event;
    const { signature: _, ...said } = JSON.parse(last.data);
    const statement = { ...said, key: open.ports.sealer.publicKey };
    const data = canonical({ ...statement, signature: open.ports.sealer.sign(canonical(statement)) });
    const forged = relinked(
      log.map((event) => (event === last ? { ...event, data } : event)),
      'system',
    );
    expect(audited(forged).faults).toContain(
      `the checkpoint at event ${last.seq} is signed by another key: ${open.ports.sealer.publicKey}`,
    );
  });

  it.each(['a', 'b', 'c'])('leaves tampering with session %s detectable, its chain put right', async (id) => {
    const log = await rotatedTwice();
    expect(audited(log).faults).toEqual([]);
    const altered = log.find((event) => event.sessionId === id);
    const changed = log.map((event) => (event === altered ? { ...event, data: '{}' } : event));
    expect(audited(changed).faults).toEqual([`session ${id}: event 1 was altered`]);
    expect(audited(relinked(changed, id)).faults).toEqual([
      expect.stringMatching(`^session ${id}: event \\d+ is not the one that was signed$`),
    ]);
    expect(audited(log.filter((event) => event.sessionId !== id)).faults).toEqual([`session ${id} is missing`]);
  });

  it('leaves a removed or forged introduction detectable', async () => {
    const log = await rotatedTwice();
    const [introduced] = log.filter(({ type }) => type === 'audit.key') as [Event];
    expect(
      audited(
        relinked(
          log.filter((event) => event !== introduced),
          'system',
        ),
      ).faults,
    ).toContainEqual(expect.stringMatching(/^the checkpoint at event \d+ is signed by another key/));
    const other = createSealer(Buffer.alloc(32, 9));
    const statement = { key: other.publicKey, previous_key: JSON.parse(introduced.data).previous_key };
    const data = canonical({ ...statement, signature: other.sign(canonical(statement)) });
    const forged = relinked(
      log.map((event) => (event === introduced ? { ...event, data } : event)),
      'system',
    );
    expect(audited(forged).faults).toContain(
      `the signing key introduced at event ${introduced.seq} is not signed by the key before it`,
    );
  });

  it('is followed by a server that shares the file, also when both rotate at once', async () => {
    await work('a', 1);
    await Promise.all([rotateAuditKey(open.ports), rotateAuditKey(open.ports), signLog(open.ports)]);
    await work('b', 1);
    await signLog(open.ports);
    expect(audited(await wholeLog())).toMatchObject({ faults: [], unsigned_events: 0, keys: { length: 3 } });
  });

  it('stops a server that does not have the new key from signing', async () => {
    await rotateAuditKey(open.ports);
    const { sealer } = open.ports;
    const behind = { ...open.ports, auditKeys: openAuditKeys(undefined, temporaryFolder(), sealer) };
    await work('a', 1);
    expect(await outcomeOf(signLog(behind))).toBe('audit_key_unavailable');
    expect(await outcomeOf(rotateAuditKey(behind))).toBe('audit_key_unavailable');
    const gateway = createGateway(behind, { pendingAsksPerSession: 10, onError: expect.fail });
    await gateway.start();
    await gateway.stop();
    await signLog(open.ports);
    const log = await wholeLog();
    expect(audited(log)).toMatchObject({ faults: [], unsigned_events: 0 });
    expect(log.filter(({ type }) => type === 'audit.key')).toHaveLength(1);
  });

  it('is refused when the new key cannot be stored, and the old one signs on', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'signing.key');
    const ports = { ...open.ports, auditKeys: openAuditKeys(file, folder, open.ports.sealer) };
    const gateway = createGateway(ports, { pendingAsksPerSession: 10, onError: expect.fail });
    rmSync(folder, { recursive: true });
    expect(await outcomeOf(gateway.rotateAuditKey())).toBe('audit_key_unavailable');
    await work('a', 1);
    await signLog(ports);
    expect(audited(await wholeLog())).toMatchObject({ faults: [], keys: [open.ports.sealer.publicKey] });
  });

  it('happens at the start of a server that is given a key file of its own', async () => {
    await work('a', 1);
    await signLog(open.ports);
    const folder = temporaryFolder();
    const ports = { ...open.ports, auditKeys: openAuditKeys(join(folder, 'own.key'), folder, open.ports.sealer) };
    const gateway = createGateway(ports, { pendingAsksPerSession: 10, onError: expect.fail });
    for (let i = 0; i < 2; i++) {
      await gateway.start();
      await gateway.stop();
    }
    await signLog(ports);
    const log = await wholeLog();
    const own = ports.auditKeys.preferred().publicKey;
    expect(checkpoints(log).map(keyOf)).toEqual([open.ports.sealer.publicKey, own]);
    expect(audited(log, [open.ports.sealer.publicKey])).toMatchObject({ faults: [], unsigned_events: 0 });
  });
});
