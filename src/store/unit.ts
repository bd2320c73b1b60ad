// A unit of work: what session-unit.ts and ask-unit.ts do, and every other record. Those have no version: where two units
// must not both change one, a lock of this process, a unique key or a comparison at the commit decides. Look-ups that no
// unit makes after a change of its own are answered by the database.
import type { Ask } from '../core/ask.ts';
import type { Grant } from '../core/grant.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import type { Message } from '../core/mailbox.ts';
import type { Notice } from '../core/notice.ts';
import type { Output } from '../core/output.ts';
import type { Page, Positioned, Reader, Tx } from '../core/ports.ts';
import type { Forgotten, KeyOf, RecordKind, Records, Removed, Saved } from '../core/records.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { AskUnit } from './ask-unit.ts';
import type { Database } from './database.ts';
import { copyOf } from './own-records.ts';
import { FORGOTTEN, RECORD_KINDS } from './record-kinds.ts';
import { NOTICE, type Tables } from './tables.ts';

const REPLACED = RECORD_KINDS.notice.changes as typeof NOTICE.columns;
const REPLACED_VALUES = NOTICE.values([...REPLACED, 'id']);
const REPLACE_NOTICE = `UPDATE notices SET ${REPLACED.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ? AND state = ? AND attempts = ?`;
const MOVE_CURSOR = `UPDATE notice_cursor SET seq = ? WHERE name = 'events' AND seq = ?`;
const SET_CURSOR = `INSERT INTO notice_cursor (name, seq) VALUES ('events', ?)
  ON CONFLICT (name) DO UPDATE SET seq = EXCLUDED.seq`;
const MOST_OUTPUTS = 100;

/** Reads that the database answers as they are. */
type Passed = Omit<Reader, keyof Unit>;

export class Unit extends AskUnit {
  readonly #replaced = new Map<string, Notice>();

  // Writes, of any kind

  async insert<Kind extends RecordKind>(kind: Kind, record: Records[Kind]): Promise<boolean> {
    const { keyOf, taken } = RECORD_KINDS[kind];
    const key = keyOf(record).join(' ');
    if (isOfSession(kind, record)) await this.touch(record.sessionId);
    if (taken && (this.own.get(kind, key) ?? (await taken(this.reader, record)))) return false;
    this.own.of(kind).set(key, { value: copyOf(kind, record), isNew: true });
    return true;
  }

  async update<Kind extends RecordKind>(kind: Kind, record: Records[Kind]): Promise<void> {
    if (isOfSession(kind, record)) await this.touch(record.sessionId);
    if (kind === 'session') await this.touch((record as Session).id);
    if (kind === 'ask') await this.updateAsk(record as Ask);
    else this.own.put(kind, RECORD_KINDS[kind].keyOf(record).join(' '), copyOf(kind, record));
  }

  save<Kind extends Saved>(kind: Kind, record: Records[Kind]): void {
    this.change(...RECORD_KINDS[kind].save(record));
  }

  remove<Kind extends Removed>(kind: Kind, ...key: KeyOf<Kind>): void {
    this.change(`DELETE ${RECORD_KINDS[kind].byKey}`, key);
  }

  async forget(kind: Forgotten, until: number): Promise<number> {
    const rows = FORGOTTEN[kind];
    const [found] = await this.context.database.sql.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${rows}`, [until]);
    if (found?.n) this.change(`DELETE FROM ${rows}`, [until]);
    return found?.n ?? 0;
  }

  // Idempotency keys

  /** A key that no unit of this server uses is taken to be new at the first attempt; the commit compares. */
  async lockKey(scope: string): Promise<StoredResponse | undefined> {
    const { database, isFresh, lock } = this.context;
    const waited = await lock(`key ${scope}`);
    const isRead = database.isSole || isFresh || waited;
    const stored = isRead ? await this.get('response', scope) : this.known('response', scope);
    if (!stored) this.changes.expects.newKeys.push(scope);
    return stored;
  }

  // Outputs and messages

  async outputs(runId: string, bytes?: number): Promise<Output[]> {
    const own = Array.from(this.own.of('output').values(), ({ value }) => value).filter((o) => o.runId === runId);
    const stored = await this.reader.outputs(runId, bytes);
    return own.length === 0 ? stored : newest([...stored, ...own], bytes);
  }

  async messages(sessionId: string, which: 'open' | 'dead', page: Page): Promise<Positioned<Message>[]> {
    for (let { after } = page; ; ) {
      const stored = await this.reader.messages(sessionId, which, { ...page, after });
      const found = stored
        .map(({ value, ...at }) => ({ ...at, value: this.own.get('message', value.id) ?? value }))
        .filter(({ value }) => (which === 'open') === (value.deadAt === undefined && value.ackedAt === undefined));
      if (found.length > 0 || stored.length < page.limit) return found;
      after = stored.at(-1)?.at;
    }
  }

  // Grants

  /** Sessions of one project use a grant at once: it is compared at the commit. */
  async lockGrants(ids: readonly string[]): Promise<Grant[]> {
    const found: Grant[] = [];
    for (const id of [...ids].sort()) {
      await this.context.lock(`grant ${id}`);
      const grant = await this.get('grant', id);
      if (!grant) continue;
      const { uses, revokedAt } = grant;
      if (!this.own.get('grant', id)) this.changes.expects.grants.push({ id, uses, revokedAt });
      found.push(grant);
    }
    return found;
  }

  // Notices: what the unit has found of one must still be so at the commit

  protected override known<Kind extends RecordKind>(kind: Kind, key: string): Records[Kind] | undefined {
    const replaced = kind === 'notice' ? (this.#replaced.get(key) as Records[Kind] | undefined) : undefined;
    return replaced ?? super.known(kind, key);
  }

  async replaceNotice(before: Notice, after: Notice): Promise<boolean> {
    await this.context.lock(`notice ${before.id}`);
    const current = await this.get('notice', before.id);
    if (current?.state !== before.state || current.attempts !== before.attempts) return false;
    this.#replaced.set(after.id, after);
    this.change(REPLACE_NOTICE, [...REPLACED_VALUES(after), before.state, before.attempts], true);
    return true;
  }

  async moveNoticeCursor(from: number | undefined, to: number): Promise<boolean> {
    if (from === undefined) {
      this.change(SET_CURSOR, [to]);
      return true;
    }
    await this.context.lock('notice cursor');
    if ((await this.reader.noticeCursor()) !== from) return false;
    this.change(MOVE_CURSOR, [to, from], true);
    return true;
  }

  // Facts

  async keepFact(name: string, value: string): Promise<string> {
    const [row] = await this.context.database.sql.all<Tables['facts']>(`SELECT * FROM facts WHERE name = ?`, [name]);
    if (row) return row.value;
    this.change(`INSERT INTO facts (name, value) VALUES (?, ?)`, [name, value]);
    return value;
  }
}

const isOfSession = (kind: RecordKind, record: Records[RecordKind]): record is Run | Ask =>
  kind === 'run' || kind === 'ask';

/** A class whose units read this database. */
export function unitsOf({ reader }: Database): new (...given: ConstructorParameters<typeof Unit>) => Unit & Tx {
  class DatabaseUnit extends Unit {}
  for (const [name, read] of Object.entries(reader as unknown as Record<string, unknown>))
    if (!(name in Unit.prototype)) Object.defineProperty(DatabaseUnit.prototype, name, { value: read });
  return DatabaseUnit as unknown as new (
    ...given: ConstructorParameters<typeof Unit>
  ) => Unit & Passed & Tx;
}

/** The newest of these, up to the one with which they reach the size; in order. */
function newest(outputs: readonly Output[], bytes = Number.MAX_SAFE_INTEGER): Output[] {
  let newer = 0;
  const within = outputs
    .slice(-MOST_OUTPUTS)
    .reverse()
    .filter((output) => {
      const before = newer;
      newer += Buffer.byteLength(JSON.stringify(output.content));
      return before < bytes;
    });
  return within.reverse();
}
