// Collects the changes of one session in one transaction, and writes its events and its row together at the end. Holding a
// ledger means holding the session's lock.
import { fail } from '../core/errors.ts';
import { type EventDraft, type EventType, isOnlyLooking } from '../core/event.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { type Session, SYSTEM_SESSION } from '../core/session.ts';
import { isSealed, seal } from './head-seal.ts';

export interface Ledger {
  readonly ports: Ports;
  readonly tx: Tx;
  readonly session: Session;
  readonly now: number;
  /** The number that the next event will have in the session's log. */
  readonly nextSeq: number;
  note(type: EventType, data: Record<string, unknown>, runId?: string, askId?: string): void;
  /** Appends the events and saves the session. Call it once, last; without events it does nothing. */
  close(): Promise<void>;
}

export function ledgerOf(ports: Ports, tx: Tx, session: Session, now: number = ports.clock.now()): Ledger {
  const drafts: EventDraft[] = [];
  return {
    ports,
    tx,
    session,
    now,
    get nextSeq() {
      return session.headSeq + drafts.length + 1;
    },
    note(type, data, runId, askId) {
      drafts.push({ type, data, runId, askId });
    },
    async close() {
      if (drafts.length === 0) return;
      if (!drafts.every(({ type }) => isOnlyLooking(type))) session.updatedAt = now;
      const wasSealed = isSealed(ports.sealer, session);
      await tx.appendEvents(session, drafts, now);
      seal(ports.sealer, session, wasSealed);
      await tx.update('session', session);
    },
  };
}

export async function openSession(ports: Ports, tx: Tx, id: string): Promise<Ledger> {
  const session = await tx.lockSession(id);
  if (!session) throw fail('session_not_found', `There is no session "${id}".`);
  return ledgerOf(ports, tx, session);
}

/** For work and its end: the system session takes no work and never ends. */
export function openForWork(ports: Ports, tx: Tx, id: string): Promise<Ledger> {
  if (id === SYSTEM_SESSION) throw fail('invalid_request', `Session "${id}" holds the server's own events, no work.`);
  return openSession(ports, tx, id);
}

export async function openRun(ports: Ports, tx: Tx, id: string) {
  const locked = await tx.lockRun(id);
  if (!locked) throw fail('run_not_found', `There is no run "${id}".`);
  return { ledger: ledgerOf(ports, tx, locked.session), run: locked.value };
}

export async function openAsk(ports: Ports, tx: Tx, id: string) {
  const locked = await tx.lockAsk(id);
  if (!locked) throw fail('ask_not_found', `There is no ask "${id}".`);
  return { ledger: ledgerOf(ports, tx, locked.session), ask: locked.value };
}
