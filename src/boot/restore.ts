// Restores a backup of SQLite into a state folder: stages it, has its log verified, and only then makes it the database.
// The caller verifies, as `audit verify` does for a server; here is only where the log and the rows come from.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { MaybePromise, Reader, Sealer } from '../core/ports.ts';
import type { RecordView } from '../core/views.ts';
import { listRows } from '../gateway/audited-rows.ts';
import { KEY_FACT, keyMark } from '../gateway/check-secret-key.ts';
import { hasChainedCheckpoint } from '../gateway/head-seal.ts';
import type { Listed } from '../gateway/inbox.ts';
import { createReader } from '../store/reader.ts';
import { createSealer } from '../store/sealer.ts';
import { type OpenBackup, openBackup, stageBackup } from '../store/sqlite-restore.ts';
import { prepareOnce, sqlOver } from '../store/sqlite-statements.ts';
import { openAuditKeys } from './audit-keys.ts';
import type { Settings } from './server.ts';
import { openStateFolder, secretKey } from './state-folder.ts';

const PAGE = 500;

/** Where a server would look for its database and its keys. */
type Place = Pick<Settings, 'data' | 'secretKey' | 'auditKey'>;

export interface BackupLog {
  /** It is a copy of a server's own file, which may lack its newest changes. */
  isCopy: boolean;
  events(): AsyncGenerator<Event>;
  /** A sentence where they cannot be compared with the log here. */
  rows: BackupRows | string;
  /** Whether a server in this folder could sign with the key; undefined without the secret key. */
  canSignWith: ((publicKey: string) => boolean) | undefined;
}

interface BackupRows {
  sessionIds(): string[];
  records(sessionId: string): AsyncGenerator<RecordView>;
}

/** `verify` throws where the log is not sound; nothing has changed then. */
interface Restoring<T> {
  replace: boolean;
  verify(log: BackupLog): Promise<T>;
}

/** Reads the backup as it is and changes nothing. */
export async function checkBackup<T>(place: Place, file: string, verify: (log: BackupLog) => Promise<T>): Promise<T> {
  const open = openBackup(file);
  try {
    return await verify(await logOf(open, place));
  } finally {
    open.db.close();
  }
}

/** Returns where the database before it is kept, if there was one. */
export async function restoreBackup<T>(
  place: Place,
  file: string,
  { replace, verify }: Restoring<T>,
): Promise<{ verified: T; replaced: string | undefined }> {
  openStateFolder(place.data);
  const staged = stageBackup(place.data, file, replace);
  try {
    if (!hasKey(place))
      throw fail(
        'store_unavailable',
        `No server could use it here: put the secret.key of the server that made it into ${place.data} first (mode 600), or set HOLDPOINT_SECRET_KEY to its content.`,
      );
    const verified = await checkBackup(place, staged.path, verify);
    return { verified, replaced: staged.install(Date.now()) };
  } finally {
    staged.close();
  }
}

/** Opening a key that does not exist would make one, which fits no backup. */
const hasKey = ({ data, secretKey: given }: Place): boolean =>
  given !== undefined || existsSync(join(data, 'secret.key'));

async function logOf(open: OpenBackup, place: Place): Promise<BackupLog> {
  const sealer = hasKey(place) ? createSealer(secretKey(place.secretKey, place.data)) : undefined;
  if (sealer) refuseOtherKey(open, sealer, place);
  const reader = createReader(sqlOver(prepareOnce(open.db)));
  return {
    isCopy: open.isCopy,
    events: () => eventsOf(reader),
    rows: await rowsOf(open, reader, sealer),
    canSignWith: sealer && ((key) => signers(place, sealer).includes(key)),
  };
}

function refuseOtherKey({ db }: OpenBackup, sealer: Sealer, { data, secretKey: given }: Place): void {
  const kept = db.prepare('SELECT value FROM facts WHERE name = ?').get(KEY_FACT)?.value;
  if (kept === undefined || kept === keyMark(sealer)) return;
  const source = given === undefined ? join(data, 'secret.key') : 'HOLDPOINT_SECRET_KEY';
  throw fail(
    'store_unavailable',
    `The backup belongs to another secret key than ${source}. Put the key of the server that made it there.`,
  );
}

async function* eventsOf(reader: Reader): AsyncGenerator<Event> {
  for (let after = 0; ; ) {
    const page = await reader.events({}, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

async function rowsOf(open: OpenBackup, reader: Reader, sealer: Sealer | undefined): Promise<BackupLog['rows']> {
  if (!sealer) return 'the secret key is not here';
  if (!open.isCurrent) return 'an earlier release made it';
  if ((await reader.lastSeq()) === 0) return 'it is empty';
  if ((await reader.unsealedSessions(1)).length > 0 && !(await hasChainedCheckpoint(reader)))
    return 'no server of this release has started on it';
  const store = { read: async <T>(unit: (r: Reader) => MaybePromise<T>) => unit(reader) };
  return {
    sessionIds: () =>
      open.db
        .prepare('SELECT id FROM sessions')
        .all()
        .map(({ id }) => String(id)),
    async *records(sessionId) {
      if (!(await reader.get('session', sessionId))) return;
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page: Listed<RecordView> = await listRows({ store, sealer }, sessionId, { after, limit: PAGE });
        yield* page.views;
        after = page.next;
      }
    },
  };
}

function signers({ auditKey, data }: Place, derived: Sealer): string[] {
  const isStored = existsSync(auditKey ?? join(data, 'audit.key'));
  return [derived.publicKey, ...(isStored ? [openAuditKeys(auditKey, data, derived).preferred().publicKey] : [])];
}
