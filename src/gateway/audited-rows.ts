// Lists the rows of a session as they are stored, so that `audit verify` can hold them against the session's log. Every page
// begins with the row of the session, read in the same snapshot: it says where the log ended then. Its runs, asks and grants
// follow, and after the system session's those of tokens, with a proof in the place of what their secrets are compared with.
import type { Page, Ports, Reader, Store } from '../core/ports.ts';
import { HASH_OF, type Row } from '../core/row-audit.ts';
import type { Actor } from '../core/token.ts';
import type { RecordView } from '../core/views.ts';
import { LONGEST_PAGE } from './event-page.ts';
import { isSealed } from './head-seal.ts';
import type { Listed } from './inbox.ts';
import { sessionRecord } from './records.ts';
import { tokenProof } from './token.ts';

const FEW = 20;

/** Of a server, or of a database that no server has open. */
export interface RowSource {
  store: Pick<Store, 'read'>;
  sealer: Ports['sealer'];
}

export function listRows(ports: RowSource, sessionId: string, page: Page): Promise<Listed<RecordView>> {
  return ports.store.read(async (r) => {
    const session = await sessionRecord(r, sessionId);
    const [own] = await r.records('sessions', sessionId, 0, 1);
    const { views, next } = await readPage(ports, r, sessionId, page);
    const first: RecordView = {
      table: 'sessions',
      row: withoutPlace(own),
      is_sealed: isSealed(ports.sealer, session),
      event_count: await r.eventCount(sessionId),
    };
    return { views: [first, ...views], next, cursor: await r.lastSeq() };
  });
}

/**
 * As their reader may see them: the input of a run may hold the credentials of its program, and with its hash a viewer can
 * still hold it against the log.
 */
export async function showRows(
  ports: Ports,
  sessionId: string,
  page: Page,
  reader: Actor,
): Promise<Listed<RecordView>> {
  const { views, ...listed } = await listRows(ports, sessionId, page);
  return { ...listed, views: reader.scope === 'viewer' ? views.map((view) => withoutInput(ports, view)) : views };
}

function withoutInput({ hash }: Ports, view: RecordView): RecordView {
  const { input, ...columns } = view.row;
  if (view.table !== 'runs' || typeof input !== 'string') return view;
  return { ...view, row: { ...columns, [`input${HASH_OF}`]: hash(input) } };
}

/** In this order. A position in the list is one in a table times their number, plus the table's place here. */
const TABLES = ['runs', 'asks', 'grants', 'tokens'] as const;

/** A few at a time, because one row may hold a megabyte. */
async function readPage(ports: RowSource, r: Reader, sessionId: string, { after: position = 0, limit }: Page) {
  const views: RecordView[] = [];
  let size = 0;
  for (let at = position; ; ) {
    if (views.length >= limit || size >= LONGEST_PAGE) return { views, next: at };
    const place = at % TABLES.length;
    const table = TABLES[place] ?? 'runs';
    const position = Math.floor(at / TABLES.length);
    const rows = await r.records(table, sessionId, position, Math.min(FEW, limit - views.length));
    for (const row of rows) size += sizeOf(row);
    views.push(...rows.map((row) => ({ table, row: shownRow(ports, table, row) }) as const));
    const last = rows.at(-1);
    if (!last && place === TABLES.length - 1) return { views, next: undefined };
    at = last ? TABLES.length * Number(last.n) + place : place + 1;
  }
}

/** What a token's secret is compared with stays here. */
function shownRow(ports: RowSource, table: string, row: Row): Row {
  const { hash, ...columns } = withoutPlace(row);
  if (table !== 'tokens') return withoutPlace(row);
  return { ...columns, hash: tokenProof(ports, String(columns.id), String(hash)) };
}

function withoutPlace(row: Row | undefined): Row {
  const { n: _, ...columns } = row ?? {};
  return columns;
}

const sizeOf = (row: Row): number =>
  Object.values(row).reduce<number>((size, value) => size + (typeof value === 'string' ? value.length : 8), 0);
