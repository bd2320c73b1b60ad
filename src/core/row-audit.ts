// Compares the rows of a session, its runs, asks and grants, and of tokens, with what the session's log determines of them, and names each row
// and column that differs.
import { canonical, type Hash } from './digest.ts';
import type { Columns, Expected, SessionReplay } from './log-replay.ts';
import type { RecordView } from './views.ts';

export const RECORD_TABLES = ['sessions', 'runs', 'asks', 'grants', 'tokens'] as const;
export type RecordTable = (typeof RECORD_TABLES)[number];
export type Row = Record<string, string | number | null>;

/** Ends the name of what stands in the place of a large text that its reader is not shown. No row has both as columns. */
export const HASH_OF = '_hash';

const LONGEST = 80;

export class RowAudit {
  readonly #replay: SessionReplay;
  readonly #hash: Hash;
  readonly #seen = new Set<string>();

  constructor(replay: SessionReplay, hash: Hash) {
    this.#replay = replay;
    this.#hash = hash;
  }

  /** Of a record that was read when the session's log ended where the replay stands. */
  faults({ table, row, is_sealed, event_count = Number(row.head_seq) }: RecordView): string[] {
    const id = String(row.id);
    const where = `${table} row ${id}`;
    this.#seen.add(where);
    const expected = this.#expected(table, id);
    if (!expected) return [`${where}: the log has nothing of it`];
    const unsealed =
      is_sealed === false ? [`${where}: head_mac: the end of this log was not written by the server`] : [];
    const unlisted =
      table === 'sessions' && event_count !== row.head_seq
        ? [`${where}: ${event_count} events are found by its id, its log has ${row.head_seq}`]
        : [];
    return [
      ...Object.entries(expected).flatMap(([column, value]) => this.#fault(where, column, row, value)),
      ...unsealed,
      ...unlisted,
    ];
  }

  /** After the last record. */
  missing(): string[] {
    const { runIds, askIds, grantIds, tokenIds } = this.#replay;
    const all = [
      ...runIds.map((id) => `runs row ${id}`),
      ...askIds.map((id) => `asks row ${id}`),
      ...grantIds.map((id) => `grants row ${id}`),
      ...tokenIds.map((id) => `tokens row ${id}`),
    ];
    return all.filter((where) => !this.#seen.has(where)).map((where) => `${where} is missing`);
  }

  #expected(table: RecordTable, id: string): Columns | undefined {
    if (table === 'sessions') return this.#replay.headSeq > 0 ? this.#replay.session : undefined;
    const { run, ask, grant, token } = this.#replay;
    return { runs: run, asks: ask, grants: grant, tokens: token }[table](id);
  }

  #fault(where: string, column: string, row: Row, expected: Expected): string[] {
    const stored = row[column];
    if (stored === undefined && isText(expected) && row[`${column}${HASH_OF}`] === expected.text) return [];
    if (this.#matches(stored, expected)) return [];
    const said = typeof expected === 'object' && expected !== null ? 'something else' : shown(expected);
    return [`${where}: ${column} is ${shown(stored)}, the log says ${said}`];
  }

  #matches(stored: Row[string] | undefined, expected: Expected): boolean {
    if (typeof expected !== 'object' || expected === null) return stored === expected;
    if (typeof stored !== 'string') return false;
    return 'text' in expected ? this.#hash(stored) === expected.text : this.#isJson(stored, expected.json);
  }

  /** Another spelling of the same value was not written by the server either. */
  #isJson(stored: string, expected: string): boolean {
    try {
      const value = JSON.parse(stored);
      return JSON.stringify(value) === stored && this.#hash(canonical(value)) === expected;
    } catch {
      return false;
    }
  }
}

const isText = (expected: Expected): expected is { text: string } =>
  typeof expected === 'object' && expected !== null && 'text' in expected;

function shown(value: Row[string] | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
