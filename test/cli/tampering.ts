// Changes the SQLite file of a stopped server as somebody would who knows how the log is made: links events again, puts the
// heads of sessions right and, with the keys, signs and seals again.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Checkpoint, signedText, statementOf } from '../../src/core/checkpoint.ts';
import { canonical } from '../../src/core/digest.ts';
import { type Event, FIRST_PREV_HASH, hashInput } from '../../src/core/event.ts';
import type { Sealer } from '../../src/core/ports.ts';
import { seal } from '../../src/gateway/head-seal.ts';
import { EVENT, SESSION } from '../../src/store/tables.ts';
import { hash } from '../support/gateway.ts';

type Values = Record<string, string | number | null>;

export class Tampering {
  readonly db: DatabaseSync;

  constructor(folder: string) {
    this.db = new DatabaseSync(join(folder, 'holdpoint.db'));
  }

  run(text: string, ...values: (string | number | null)[]): void {
    const { changes } = this.db.prepare(text).run(...values);
    if (changes === 0) throw new Error(`changed nothing: ${text}`);
  }

  events(): Event[] {
    const rows = this.db.prepare('SELECT * FROM events ORDER BY seq').all() as (Values & { seq: number })[];
    return rows.map((row) => ({ seq: row.seq, ...EVENT.read(row as never) }));
  }

  checkpoints(): Event[] {
    return this.events().filter(({ type }) => type === 'audit.checkpoint');
  }

  /** Replaces a text in the data of an event. */
  edit({ seq, data }: Event, from: string, to: string): void {
    if (!data.includes(from)) throw new Error(`${from} is not in ${data}`);
    this.run('UPDATE events SET data = ? WHERE seq = ?', data.replaceAll(from, to), seq);
  }

  relink(): void {
    const heads = new Map<string, { seq: number; hash: string }>();
    for (const event of this.events()) {
      const head = heads.get(event.sessionId) ?? { seq: 0, hash: FIRST_PREV_HASH };
      const linked = { ...event, sessionSeq: head.seq + 1, prevHash: head.hash };
      const id = `evt_${event.sessionId}_${linked.sessionSeq}`;
      const own = hash(hashInput({ ...linked, id }));
      this.run(
        'UPDATE events SET session_seq = ?, id = ?, prev_hash = ?, hash = ? WHERE seq = ?',
        linked.sessionSeq,
        id,
        head.hash,
        own,
        event.seq,
      );
      heads.set(event.sessionId, { seq: linked.sessionSeq, hash: own });
    }
    for (const [id, head] of heads)
      this.run('UPDATE sessions SET head_seq = ?, head_hash = ? WHERE id = ?', head.seq, head.hash, id);
  }

  /** With the signing key: every checkpoint states what the log says now. */
  signAgain(signer: Pick<Sealer, 'sign' | 'publicKey'>): void {
    let previous = FIRST_PREV_HASH;
    for (const { seq } of this.checkpoints()) {
      this.relink();
      const events = this.events();
      const { after_seq, through_seq } = JSON.parse(events.find((e) => e.seq === seq)?.data ?? '') as Checkpoint;
      const range = events.filter((event) => event.seq > after_seq && event.seq <= through_seq);
      const statement = statementOf(range, after_seq, previous, signer.publicKey, hash);
      const data = canonical({ ...statement, signature: signer.sign(signedText(statement)) });
      this.run('UPDATE events SET data = ? WHERE seq = ?', data, seq);
      previous = hash(data);
    }
    this.relink();
  }

  /** With the sealing key. */
  sealAgain(sealer: Sealer): void {
    for (const row of this.db.prepare('SELECT * FROM sessions').all()) {
      const session = SESSION.read(row as never);
      seal(sealer, session, true);
      this.run('UPDATE sessions SET head_mac = ? WHERE id = ?', session.headMac ?? null, session.id);
    }
  }

  close(): void {
    this.db.close();
  }
}
