// Records that a unit has inserted or changed, and how they change what the database returns.
import type { Ask } from '../core/ask.ts';
import type { RecordKind, Records } from '../core/records.ts';
import type { RowChange } from './changes.ts';
import { KINDS } from './record-kinds.ts';

export interface OwnRecord<T> {
  value: T;
  isNew: boolean;
}

export class OwnRecords {
  readonly #kinds: { [Kind in RecordKind]?: Map<string, OwnRecord<Records[Kind]>> } = {};

  of<Kind extends RecordKind>(kind: Kind): Map<string, OwnRecord<Records[Kind]>> {
    this.#kinds[kind] ??= new Map() as never;
    return this.#kinds[kind] as Map<string, OwnRecord<Records[Kind]>>;
  }

  get<Kind extends RecordKind>(kind: Kind, key: string): Records[Kind] | undefined {
    return this.#kinds[kind]?.get(key)?.value;
  }

  put<Kind extends RecordKind>(kind: Kind, key: string, value: Records[Kind]): void {
    const records = this.of(kind);
    records.set(key, { value, isNew: records.get(key)?.isNew ?? false });
  }

  list(): RowChange[] {
    const rows: RowChange[] = [];
    for (const kind of KINDS)
      for (const { value: record, isNew } of this.#kinds[kind]?.values() ?? []) rows.push({ kind, record, isNew });
    return rows;
  }
}

const copyOfRecord = <T extends object>(record: T): T => ({ ...record });

/** Callers change an ask and its delivery, nothing below. */
export const copyOfAsk = <T extends Ask>(ask: T): T =>
  ask.status === 'pending' ? { ...ask } : { ...ask, delivery: { ...ask.delivery } };

/** Callers go on to change what they have read and written. */
export const copyOf = <Kind extends RecordKind>(kind: Kind, record: Records[Kind]): Records[Kind] =>
  kind === 'ask' ? (copyOfAsk(record as Ask) as Records[Kind]) : { ...record };

/** Stored records as this unit has changed them, with those that it has added, as copies. */
export function patched<T extends { id: string }>(
  stored: readonly T[],
  own: ReadonlyMap<string, OwnRecord<T>>,
  is: (record: T) => boolean,
  copy = copyOfRecord<T>,
): T[] {
  const found: T[] = [];
  const seen = new Set<string>();
  for (const record of stored) {
    seen.add(record.id);
    const current = own.get(record.id)?.value ?? record;
    if (is(current)) found.push(copy(current));
  }
  for (const [id, { value }] of own) if (!seen.has(id) && is(value)) found.push(copy(value));
  return found;
}
