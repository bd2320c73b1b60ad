// The rows and the log of a real gateway with a bit of every byte flipped: each flip of a stored event, and of each column that
// the log determines, is reported by the row or the event. Which columns the log does not determine is stated here.
// Covers: src/core/log-replay.ts, src/core/grant-replay.ts, src/core/token-replay.ts, src/gateway/audited-rows.ts, src/store/records.ts
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Audit } from '../../src/core/audit.ts';
import type { Event } from '../../src/core/event.ts';
import { SessionReplay } from '../../src/core/log-replay.ts';
import { type RecordTable, type Row, RowAudit } from '../../src/core/row-audit.ts';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import type { RecordView } from '../../src/core/views.ts';
import { listRows } from '../../src/gateway/audited-rows.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { hash, type OpenGateway, openGateway, person } from '../support/gateway.ts';
import { agent, COLOUR, gatewayCalls, lead } from '../support/gateway-calls.ts';

vi.setConfig({ testTimeout: 120_000 });

let open: OpenGateway;
let log: Event[];
const replays = new Map<string, SessionReplay>();
const records: RecordView[] = [];

beforeAll(async () => {
  open = await openGateway();
  await story();
  await signLog(open.ports);
  log = await open.store.read((r) => r.events({}, 0, 1000));
  for (const event of log) {
    const replay = replays.get(event.sessionId) ?? new SessionReplay(event.sessionId, hash);
    replay.take(event);
    replays.set(event.sessionId, replay);
  }
  for (const id of replays.keys()) records.push(...(await listRows(open.ports, id, { limit: 500 })).views);
});
afterAll(() => open.close());

/** Asks of every kind, mode and end, in runs that end in every way. */
async function story(): Promise<void> {
  const { gateway } = open;
  const calls = gatewayCalls(() => open);
  const body = { title: 'Ünïcode', work_folder: '/w', project_ids: ['p'], task_id: 7, labels: [] };
  await gateway.createSession({ session_id: 'parent', agent: 'external', ...body });
  const run = await calls.start('parent');
  const allowed = await calls.approvalFor(run, { expires_after_ms: 60_000 });
  await gateway.seeAsk(allowed, person('mate', 'web'));
  await calls.allow(run, allowed);
  await gateway.acknowledge({ askId: allowed, state: 'delivered' });
  await gateway.acknowledge({ askId: await answered(run, 'blocking'), state: 'undeliverable', reason: 'gone' });
  const granted = await calls.approvalFor(run, {
    tool_call_id: 'granted',
    input: { command: 'ls' },
    files: [{ path: '/w/a', sha256: 'a'.repeat(64) }],
  });
  const always = { scope: 'project' as const, uses: 3, expires_after_ms: 60_000 };
  const resolutions = [{ request_id: granted, behavior: 'allow' as const, always }];
  await gateway.approveForRun({ runId: run, resolutions, actor: lead });
  const { views: grants } = await gateway.listGrants('parent', { limit: 1 });
  await gateway.revokeGrant(String(grants[0]?.grant_id), lead);
  await gateway.postOutput({ runId: run, body: { text: 'said' }, actor: agent });
  await answered(run, 'form');
  await gateway.createSession({ session_id: 'child', agent: 'external', parent_session_id: 'parent' });
  const asking = await calls.start('child');
  const questions = [{ question: 'Why?' }];
  await gateway.clarify({ runId: asking, body: { tool_call_id: 'c', questions }, actor: agent });
  await calls.askFor(asking, 'deferred', { tool_call_id: 'open' });
  await gateway.createSession({
    session_id: 'free',
    agent: 'external',
    permissions: 'autonomous',
    rules: [{ tool: 'é', action: 'ask' }],
  });
  await calls.approvalFor(await calls.start('free'));
  await gateway.postToThread({ threadId: 'thr_free', body: { content: [{ type: 'text', text: 'one' }] }, actor: lead });
  await gateway.postToThread({ threadId: 'thr_free', body: { content: [{ type: 'text', text: 'two' }] }, actor: lead });
  await gateway.endSession({ sessionId: 'free', actor: lead });

  await gateway.presetToken('preset', 'worker', 'built in');
  await gateway.createToken({ scope: 'worker', name: 'gpu', labels: ['gpu', 'linux'], expires_after_ms: 60_000 });
  const { view: revoked } = await gateway.createToken({ scope: 'agent', session_id: 'parent' });
  await gateway.revokeToken(revoked.token_id);
  const { view: link } = await gateway.offerSignIn({ scope: 'viewer' }, 'lead');
  await gateway.signIn({ code: link.code, name: 'mate' }, undefined);

  async function answered(runId: string, mode: 'blocking' | 'form'): Promise<string> {
    const askId = await calls.askFor(runId, mode, { questions: COLOUR });
    await calls.answer(runId, askId);
    return askId;
  }
}

/** A text or number with one bit of each of its bytes changed in turn, as a driver would read it. */
function* flips(value: string | number | null): Generator<string | number> {
  if (value === null) return yield* ['x', 0];
  if (typeof value === 'number') {
    for (let byte = 0; byte < 6; byte++) yield Number(BigInt(value) ^ (1n << BigInt(8 * byte + (byte % 8))));
    return;
  }
  const bytes = Buffer.from(value);
  for (const [at, byte] of bytes.entries()) {
    bytes[at] = byte ^ (1 << (at % 8));
    yield bytes.toString();
    bytes[at] = byte;
  }
  yield `${value}\0`;
}

const columnsOf = (): Record<RecordTable, Set<string>> => ({
  sessions: new Set(),
  runs: new Set(),
  asks: new Set(),
  grants: new Set(),
  tokens: new Set(),
});

const NOT_DETERMINED: Record<RecordTable, string[]> = {
  // The seal of a session's log is the server's to check.
  sessions: ['bytes_day', 'bytes_stored', 'head_mac', 'kept_count'],
  runs: ['lease_epoch', 'lease_holder', 'lease_until', 'lease_worker', 'permissions', 'recovery'],
  // Of an ended ask: how often it was sent, and when it was sent last. Of any ask: which token raised it.
  asks: ['attempts', 'delivered_at', 'raised_by'],
  // Uses are counted in the logs of the sessions that used it.
  grants: ['uses'],
  tokens: [],
};

describe('the audit of rows', () => {
  const faultsOf = (record: RecordView, row: Row): string[] => {
    const owner = { sessions: record.row.id, tokens: SYSTEM_SESSION }[record.table as string] ?? record.row.session_id;
    const replay = replays.get(String(owner));
    if (!replay) throw new Error('a row of no session');
    return new RowAudit(replay, hash).faults({ ...record, row });
  };

  it('reports nothing of rows that nobody touched', () => {
    expect(records.flatMap((record) => faultsOf(record, record.row))).toEqual([]);
    const tables = Object.groupBy(records, ({ table }) => table);
    expect(tables.sessions?.length).toBe(4);
    expect(new Set(tables.asks?.map(({ row }) => `${row.kind} ${row.mode} ${row.status} ${row.delivery}`)).size).toBe(
      5,
    );
  });

  it('names the row and the column of every flipped byte, in every column but those that are listed', () => {
    const unseen: Record<string, Set<string>> = columnsOf();
    const seen: Record<string, Set<string>> = columnsOf();
    let flipped = 0;
    for (const record of records)
      for (const [column, value] of Object.entries(record.row))
        for (const flip of flips(value)) {
          flipped += 1;
          const [fault] = faultsOf(record, { ...record.row, [column]: flip });
          const isNamed =
            fault?.startsWith(`${record.table} row `) && (column === 'id' || fault.includes(`: ${column} is `));
          (isNamed ? seen : unseen)[record.table]?.add(column);
        }
    expect(flipped).toBeGreaterThan(5000);
    const sorted = Object.fromEntries(Object.entries(unseen).map(([table, columns]) => [table, [...columns].sort()]));
    expect(sorted).toEqual(NOT_DETERMINED);
    // Of an ask that is pending, or was delivered, these two are determined as well.
    expect([...(seen.asks ?? [])]).toEqual(expect.arrayContaining(['attempts', 'delivered_at']));
  });

  it('compares the hash of an input that its reader is not shown', () => {
    const run = records.find(({ table, row }) => table === 'runs' && typeof row.input === 'string');
    if (!run) throw new Error('no run');
    const { input, ...row } = run.row;
    expect(faultsOf(run, { ...row, input_hash: hash(String(input)) })).toEqual([]);
    expect(faultsOf(run, { ...row, input_hash: hash('else') })).toHaveLength(1);
    expect(faultsOf(run, { ...row, input: null, input_hash: hash(String(input)) })).toHaveLength(1);
  });

  it('reports a row that the log does not know, and one that is missing', () => {
    const [ask] = records.filter(({ table }) => table === 'asks');
    if (!ask) throw new Error('no ask');
    expect(faultsOf(ask, { ...ask.row, id: 'ask_other' })).toEqual(['asks row ask_other: the log has nothing of it']);
    const replay = replays.get('child') as SessionReplay;
    const audit = new RowAudit(replay, hash);
    expect(audit.missing()).toEqual([
      ...replay.runIds.map((id) => `runs row ${id} is missing`),
      ...replay.askIds.map((id) => `asks row ${id} is missing`),
    ]);
  });
});

describe('the audit of events', () => {
  const faultsOf = (at: number, changed: Event): string[] => {
    const audit = new Audit(hash, verifySignature);
    for (const [i, event] of log.entries()) audit.add(i === at ? changed : event);
    return audit.report().faults;
  };

  it('reports every flipped byte of every column of a signed event, of its data every eleventh', () => {
    const unseen: string[] = [];
    let flipped = 0;
    for (const [i, event] of log.entries())
      for (const [column, value] of Object.entries(event)) {
        // The number of the last checkpoint is signed by the next one.
        if (column === 'seq' && i === log.length - 1) continue;
        const step = column === 'data' ? 11 : 1;
        for (const flip of [...flips(value ?? null)].filter((_, at) => at % step === i % step)) {
          flipped += 1;
          if (faultsOf(i, { ...event, [column]: flip } as Event).length === 0)
            unseen.push(`${event.seq} ${column} ${flip}`);
        }
      }
    expect(flipped).toBeGreaterThan(3000);
    expect(unseen).toEqual([]);
  });
});
