// The list of a session's events in SQLite, which follows the log in strides: readers find every event of a session, and no
// other, whether it is listed or not, after a commit that failed, and after the file was opened again.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { append, keep, sessionOf } from '../conformance/store-samples.ts';
import { sqliteFolder } from './sqlite-folder.ts';

const bed = sqliteFolder();
const SESSIONS = ['s1', 's2', 's3'];
/** More than twice what is left unlisted. */
const ROUNDS = 70;
const TEXTS = Array.from({ length: 10 }, (_, i) => `t${i}`);

/** A session's events are those of the whole log that name it: on every page, counted, and looked for from the end. */
async function expectSame(store: Store): Promise<void> {
  await store.read(async (r) => {
    const log = await r.events({}, 0, 10_000, Number.MAX_SAFE_INTEGER);
    for (const sessionId of SESSIONS) {
      const own = log.filter((event) => event.sessionId === sessionId);
      const found = [];
      for (let after = 0; ; ) {
        const page = await r.events({ sessionId }, after, 97);
        found.push(...page);
        if (page.length < 97) break;
        after = page.at(-1)?.seq ?? 0;
      }
      expect(found).toEqual(own);
      expect(await r.eventCount(sessionId)).toBe(own.length);
      const middle = own[own.length >> 1]?.seq ?? 0;
      const before = own.filter(({ seq }) => seq < middle).reverse();
      expect(await r.latest(sessionId, 'output', middle, 300)).toEqual(before.slice(0, 300));
    }
  });
}

function unlisted(): number {
  const file = new DatabaseSync(join(bed.folder, 'holdpoint.db'), { readOnly: true });
  const row = file.prepare('SELECT COUNT(*) AS n FROM events WHERE seq > (SELECT seq FROM listed_through)').get();
  file.close();
  return Number(row?.n);
}

async function fill(store: Store): Promise<void> {
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(SESSIONS.map((sessionId) => append(store, sessionId, TEXTS)));
}

describe('the list of events', () => {
  it('finds every event of a session, listed or not, also when the file is opened again', async () => {
    const store = await bed.open();
    await keep(store, { sessions: SESSIONS.map((id) => sessionOf(id)) });
    await append(store, 's1', TEXTS);
    await expectSame(store);
    await fill(store);
    expect(unlisted()).toBeLessThan(1000);
    expect(unlisted()).toBeGreaterThan(0);
    await expectSame(store);
    await store.close();
    const again = await bed.open();
    await expectSame(again);
    await fill(again);
    expect(unlisted()).toBeLessThan(1000);
    await expectSame(again);
  });

  it('lists again what a commit that failed had listed', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await bed.open();
    await keep(store, { sessions: SESSIONS.map((id) => sessionOf(id)) });
    const writing = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN IMMEDIATE')];
    exec.mockRestore();
    const commits = vi.spyOn(writing as DatabaseSync, 'exec');
    let failing = 0;
    let most = 0;
    commits.mockImplementation(function (this: DatabaseSync, sql: string) {
      most = Math.max(most, unlisted());
      if (sql === 'COMMIT' && most > 980 && failing++ < 3)
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      return DatabaseSync.prototype.exec.call(this, sql);
    });
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++)
      for (const sessionId of SESSIONS) await append(store, sessionId, TEXTS).catch(() => refused++);
    expect(refused).toBeGreaterThan(0);
    expect(most).toBeLessThan(1000);
    await expectSame(store);
  });
});
