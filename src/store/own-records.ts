// Records that a unit has inserted or changed, and how they change what the database returns.

export interface OwnRecord<T> {
  value: T;
  isNew: boolean;
}

export type OwnRecords<T> = ReadonlyMap<string, OwnRecord<T>>;

export function put<T extends { id: string }>(records: Map<string, OwnRecord<T>>, value: T): void {
  records.set(value.id, { value, isNew: records.get(value.id)?.isNew ?? false });
}

export function split<T>(records: OwnRecords<T>, inserted: T[], updated: T[], each: (value: T) => void): void {
  for (const { value, isNew } of records.values()) {
    (isNew ? inserted : updated).push(value);
    each(value);
  }
}

/** Stored records as this unit has changed them, with those that it has added, as copies. */
export function patched<T extends { id: string }>(
  stored: readonly T[],
  own: OwnRecords<T>,
  is: (record: T) => boolean,
  copy: (record: T) => T,
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
