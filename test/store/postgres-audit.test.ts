// The audit of a log on PostgreSQL: rows, order and seals are compared with what the database holds, as on SQLite.
// Covers: src/store/records.ts, src/store/postgres.ts
import pg from 'pg';
import { expect, it } from 'vitest';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { Audit } from '../../src/core/audit.ts';
import { sortableId } from '../../src/core/id.ts';
import type { Ports } from '../../src/core/ports.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { rowFaults } from '../gateway/model/rows.ts';
import { hash, person } from '../support/gateway.ts';
import { sealer } from '../support/postgres.ts';
import { temporaryFolder } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();

it('reports what was changed in the tables and in the log on PostgreSQL', async () => {
  const { url, drop } = await postgres.database();
  const { store, clock } = await openPostgres({ url, hash, sealer, poolSize: 4, pooled: false, onError: () => {} });
  let made = 0;
  const ports: Ports = {
    store,
    clock,
    ids: {
      next: (prefix) => sortableId(prefix, clock.now(), new Uint8Array(16).fill(++made % 32)),
      secret: () => `${++made}`,
    },
    hash,
    sealer,
    auditKeys: openAuditKeys(undefined, temporaryFolder(), sealer),
    isDispatchAgent: () => false,
    takesSettings: () => false,
  };
  const gateway = createGateway(ports, { pendingAsksPerSession: 10, onError: () => {} });
  await gateway.start();
  const actor = person('lead');
  const ids = ['a', 'b'];
  for (const id of ids) {
    await gateway.createSession({ session_id: id, agent: 'external', title: 'T' });
    const { view } = await gateway.startRun({ sessionId: id, body: { input: { text: 'go' } }, actor });
    const body = { kind: 'approval' as const, tool_call_id: 'c', tool_name: 'Bash', input: { command: 'ls' } };
    const asked = await gateway.raiseAsk({ runId: view.run_id, body, actor });
    const resolutions = [{ request_id: asked.view.ask_id, behavior: 'deny' as const }];
    await gateway.approveForRun({ runId: view.run_id, resolutions, actor });
  }
  await signLog(ports);

  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  const faults = async () => {
    const audit = new Audit(hash, verifySignature);
    for (const event of await store.read((r) => r.events({}, 0, 500))) audit.add(event);
    return [...audit.report().faults, ...(await rowFaults(ports, ['system', ...ids]))];
  };
  const after = async (...changes: string[]) => {
    for (const change of changes) expect((await sql.query(change)).rowCount, change).toBeGreaterThan(0);
    return faults();
  };
  expect(await faults()).toEqual([]);

  const answer = (from: string, to: string) =>
    `UPDATE asks SET answer = replace(answer, '"${from}"', '"${to}"') WHERE session_id = 'a'`;
  expect(await after(answer('deny', 'allow'))).toEqual([expect.stringMatching(/^asks row .*: answer is .*allow/)]);
  expect(await after(answer('allow', 'deny'), `UPDATE runs SET actor = 'mate' WHERE session_id = 'b'`)).toEqual([
    expect.stringMatching(/^runs row .*: actor is "mate", the log says "lead"$/),
  ]);
  expect(
    await after(`UPDATE runs SET actor = 'lead'`, `UPDATE sessions SET permissions = 'autonomous' WHERE id = 'a'`),
  ).toEqual(['sessions row a: permissions is "autonomous", the log says "inherit"']);
  expect(
    await after(`UPDATE sessions SET permissions = 'inherit'`, `UPDATE sessions SET head_mac = 'x' WHERE id = 'b'`),
  ).toEqual(['sessions row b: head_mac: the end of this log was not written by the server']);
  const { rows } = await sql.query(
    `SELECT x.seq AS one, y.seq AS other FROM events x JOIN events y ON y.session_id = 'b' AND y.session_seq = 1
     WHERE x.session_id = 'a' ORDER BY x.seq DESC LIMIT 1`,
  );
  const move = (from: number, to: number) => `UPDATE events SET seq = ${to} WHERE seq = ${from}`;
  const { one, other } = rows[0];
  expect(await after(move(one, -1), move(other, one), move(-1, other))).toContainEqual(
    expect.stringMatching(/^the checkpoint at event \d+ signed \d+ events in another order/),
  );
  await sql.end();
  await gateway.stop();
  await store.close();
  await drop();
}, 120_000);
