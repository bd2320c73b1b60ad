// Holds stored rows against their log: replays every session, and compares the rows of the session, its runs, asks and grants,
// and of tokens, with the result. A server may be at work meanwhile: each page of rows says where its session's log ended, and
// the replay is brought there first.
import type { Hash } from '../core/digest.ts';
import type { Event } from '../core/event.ts';
import { SessionReplay } from '../core/log-replay.ts';
import { RowAudit } from '../core/row-audit.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { RecordView } from '../core/views.ts';

/** Where the rows are: a server, or a backup. */
export interface RowSource {
  sessionIds(): string[] | Promise<string[]>;
  /** Nothing where the session has no row. */
  records(sessionId: string): AsyncIterable<RecordView>;
  /** What the session has logged after an event, where that may be more than was read before. */
  laterEvents?(sessionId: string, after: number): AsyncIterable<Event>;
}

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

  async check(source: RowSource): Promise<CheckedRows> {
    const ids = new Set([SYSTEM_SESSION, ...this.#sessions.keys(), ...(await source.sessionIds())]);
    const checked: CheckedRows = { rows: 0, faults: [] };
    for (const id of ids) {
      await this.#checkSession(source, id, checked);
      this.#sessions.delete(id);
    }
    return checked;
  }

  async #checkSession(source: RowSource, id: string, checked: CheckedRows): Promise<void> {
    const progress = this.#progressOf(id);
    const audit = new RowAudit(progress.replay, this.#hash);
    let isStored = false;
    for await (const record of source.records(id)) {
      if (record.table === 'sessions') await this.#catchUp(source, id, progress, record);
      isStored = true;
      checked.rows += 1;
      checked.faults.push(...audit.faults(record));
    }
    checked.faults.push(...(isStored ? audit.missing() : [`sessions row ${id} is missing`]));
  }

  /** Replays what the session has logged since, up to where its row says that the log ended. */
  async #catchUp(source: RowSource, id: string, progress: Progress, { row }: RecordView): Promise<void> {
    const end = Number(row.head_seq);
    if (progress.replay.headSeq >= end) return;
    for await (const event of source.laterEvents?.(id, progress.seq) ?? []) {
      if (event.sessionSeq > end) return;
      this.add(event);
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
