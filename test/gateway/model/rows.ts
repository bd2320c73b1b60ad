// The rows of a database held against its log, as `audit verify` does over the API.
import { SessionReplay } from '../../../src/core/log-replay.ts';
import type { Ports } from '../../../src/core/ports.ts';
import { RowAudit } from '../../../src/core/row-audit.ts';
import { listRows } from '../../../src/gateway/audited-rows.ts';

const ALL = 10_000;

export async function rowFaults(ports: Ports, sessionIds: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const id of sessionIds) {
    const replay = new SessionReplay(id, ports.hash);
    for (const event of await ports.store.read((r) => r.events({ sessionId: id }, 0, ALL))) replay.take(event);
    const audit = new RowAudit(replay, ports.hash);
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Awaited<ReturnType<typeof listRows>> = await listRows(ports, id, { after, limit: ALL });
      for (const record of page.views) faults.push(...audit.faults(record));
      after = page.next;
    }
    faults.push(...audit.missing());
  }
  return faults;
}
