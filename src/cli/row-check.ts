// Holds the rows of a server against its log: replays every session, and compares the rows of the session, its runs, asks and
// grants, and of tokens, with the result. The server may be at work meanwhile: each page of rows says where its session's log ended, and the
// replay is brought there first.
import { type Client, every, PAGE_SIZE } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { eventOf } from '../core/audit.ts';
import type { Hash } from '../core/digest.ts';
import type { Event } from '../core/event.ts';
import { SessionReplay } from '../core/log-replay.ts';
import { RowAudit } from '../core/row-audit.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { RecordView } from '../core/views.ts';
import { eventPages, listSessions } from './paging.ts';

interface Progress {
  replay: SessionReplay;
  /** The number of its last event in the whole log. */
  seq: number;
}

export interface CheckedRows {
  rows: number;
  faults: string[];
}

export class RowCheck {
  readonly #sessions = new Map<string, Progress>();
  readonly #hash: Hash;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  /** The next event of the log. */
  add(event: Event): void {
    const progress = this.#progressOf(event.sessionId);
    progress.replay.take(event);
    progress.seq = event.seq;
  }

  async check(client: Client): Promise<CheckedRows> {
    const listed = (await listSessions(client, { all: true })).map(({ session_id }) => session_id);
    const ids = new Set([SYSTEM_SESSION, ...this.#sessions.keys(), ...listed]);
    const checked: CheckedRows = { rows: 0, faults: [] };
    for (const id of ids) {
      await this.#checkSession(client, id, checked);
      this.#sessions.delete(id);
    }
    return checked;
  }

  async #checkSession(client: Client, id: string, checked: CheckedRows): Promise<void> {
    const progress = this.#progressOf(id);
    const audit = new RowAudit(progress.replay, this.#hash);
    try {
      for await (const record of every((page) => client.sessions.records(id, { ...page, limit: PAGE_SIZE }))) {
        if (record.table === 'sessions') await this.#catchUp(client, id, progress, record);
        checked.rows += 1;
        checked.faults.push(...audit.faults(record));
      }
      checked.faults.push(...audit.missing());
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.status !== 404) throw error;
      checked.faults.push(`sessions row ${id} is missing`);
    }
  }

  /** Replays what the session has logged since, up to where its row says that the log ended. */
  async #catchUp(client: Client, id: string, progress: Progress, { row }: RecordView): Promise<void> {
    const end = Number(row.head_seq);
    if (progress.replay.headSeq >= end) return;
    const page = async (after: number) => (await client.events.ofSession(id, { after, limit: PAGE_SIZE })).items;
    for await (const view of eventPages(page, progress.seq)) {
      if (view.session_seq > end) return;
      this.add(eventOf(view));
    }
  }

  #progressOf(id: string): Progress {
    const known = this.#sessions.get(id);
    if (known) return known;
    const progress = { replay: new SessionReplay(id, this.#hash), seq: 0 };
    this.#sessions.set(id, progress);
    return progress;
  }
}
