// docs/archive.sql as published: old history is moved out, complete and verifiable; what is open, due or recent stays, and
// servers keep running.
// Covers: src/store/postgres.ts
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { logFault } from '../../src/core/event.ts';
import type { AskView, EventView, RunView } from '../../src/core/views.ts';
import { toEvent } from '../../src/store/tables.ts';
import { type Sent, send } from '../support/http.ts';
import { root, startHoldpoint } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const DAY_MS = 86_400_000;
const postgres = postgresForAll();

it('moves old ended sessions out of the database of a running server, and nothing else', async () => {
  const { url } = await postgres.database();
  const env = { HOLDPOINT_TOKEN: 'archivist-of-this-database', HOLDPOINT_DATABASE_URL: url };
  const server = await startHoldpoint({ via: 'main', env, args: ['--no-worker'] });
  const call = <T>(sent: Sent) => send<T>(server.url, { token: env.HOLDPOINT_TOKEN, ...sent });
  const database = new pg.Client({ connectionString: url });
  database.on('error', () => {});
  await database.connect();

  /** Each with an answered question; `acknowledged` and ended or not. */
  const make = async (session: string, acknowledged: boolean, ended: boolean): Promise<void> => {
    await call({ path: '/v1/sessions', body: { session_id: session, agent: 'external' } });
    const run = await call<RunView>({ path: `/v1/sessions/${session}/runs`, body: { input: { text: 'x' } } });
    const runPath = `/v1/runs/${run.body.run_id}`;
    const questions = [{ id: 'which', question: 'Which?' }];
    const ask = await call<AskView>({
      path: `${runPath}/asks`,
      body: { kind: 'question', tool_call_id: 't', questions },
    });
    const answers = [{ question_id: 'which', freeform_answer: 'this' }];
    const resolution = { request_id: ask.body.ask_id, answers };
    expect((await call({ path: `${runPath}/questions`, body: { resolution } })).status).toBe(202);
    if (acknowledged) await call({ path: `/v1/asks/${ask.body.ask_id}/delivered`, body: {} });
    await call({ path: `${runPath}/output`, body: { text: 'done' } });
    if (ended) expect((await call({ path: `/v1/sessions/${session}/end`, body: {} })).status).toBe(200);
  };
  await make('old', true, true);
  await make('old-but-due', false, true);
  await make('old-but-open', true, false);
  await make('young', true, true);
  const aged = Date.now() - 100 * DAY_MS;
  await database.query(`UPDATE sessions SET ended_at = $1 WHERE id LIKE 'old%' AND status = 'ended'`, [aged]);
  const eventsOf = async (session: string) =>
    (await call<EventView[]>({ path: `/v1/sessions/${session}/events?limit=500` })).body;
  const before = { young: await eventsOf('young'), old: await eventsOf('old') };

  const archive = readFileSync(join(root, 'docs', 'archive.sql'), 'utf8');
  await database.query(archive);
  await database.query(archive);

  const left = await call<{ session_id: string }[]>({ path: '/v1/sessions' });
  expect(left.body.map((session) => session.session_id).filter((id) => id !== 'system')).toEqual([
    'old-but-due',
    'old-but-open',
    'young',
  ]);
  expect(await eventsOf('young')).toEqual(before.young);
  const { rows } = await database.query('SELECT * FROM archive.events ORDER BY session_seq');
  expect(rows.map((row) => row.hash)).toEqual(before.old.map((event) => event.hash));
  const log = rows.map((row) => toEvent({ ...row, seq: Number(row.seq), at: Number(row.at) }));
  expect(logFault(log, (text) => hash('sha256', text, 'hex'))).toBeUndefined();
  for (const table of ['sessions', 'runs', 'asks', 'outputs'])
    expect((await database.query(`SELECT 1 FROM archive.${table}`)).rowCount).toBe(1);
  await make('after', true, true);
  expect((await eventsOf('after'))[0]?.seq).toBeGreaterThan(before.young.at(-1)?.seq ?? 0);
  await database.end();
  await server.end('SIGKILL');
}, 120_000);
