// The part of a unit that works on asks. Look-ups of open asks are answered from memory where the state of their session
// has all of them, else by the database and what this unit has changed.
import type { Ask, EndedAsk, PendingAsk } from '../core/ask.ts';
import type { AskFilter, Locked, Page, Positioned } from '../core/ports.ts';
import { copyOfAsk, patched } from './own-records.ts';
import { isCarriedOn } from './session-states.ts';
import { SessionUnit } from './session-unit.ts';

export class AskUnit extends SessionUnit {
  async lockAsk(id: string): Promise<Locked<Ask> | undefined> {
    const state = await this.open('ask', id);
    return this.locked(state, state && (await this.get('ask', id)));
  }

  /** May take a stored ask for a new one at the first attempt: the commit then finds it, and the unit runs again. */
  async askUnlessNew(id: string): Promise<Ask | undefined> {
    if (this.context.isFresh || this.known('ask', id)) return this.get('ask', id);
    this.changes.expects.newAskIds.push(id);
    return undefined;
  }

  async endAsk(ask: EndedAsk): Promise<boolean> {
    await this.touch(ask.sessionId);
    const before = await this.get('ask', ask.id);
    if (before?.status !== 'pending') return false;
    this.own.put('ask', ask.id, copyOfAsk({ ...ask, seenBy: before.seenBy, activity: before.activity }));
    return true;
  }

  /** Only `endAsk` ends an ask, and nothing undoes its end. */
  protected async updateAsk(ask: Ask): Promise<void> {
    const before = await this.get('ask', ask.id);
    if (!before) return;
    const hasEnded = before.status !== 'pending';
    const isEnded = ask.status !== 'pending';
    const { seenBy, activity } = ask;
    this.own.put('ask', ask.id, copyOfAsk(hasEnded === isEnded ? ask : { ...before, seenBy, activity }));
  }

  async asks(filter: AskFilter, page: Page): Promise<Positioned<Ask>[]> {
    const { status, kind, runId, agent } = filter;
    const sessionId = filter.sessionId ?? (runId === undefined ? undefined : (await this.get('run', runId))?.sessionId);
    const state = status === 'pending' && agent === undefined ? this.complete(sessionId) : undefined;
    const is = (ask: Ask) =>
      (status === undefined || (status === 'ended' ? ask.status !== 'pending' : ask.status === status)) &&
      (kind === undefined || ask.kind === kind) &&
      (runId === undefined || ask.runId === runId) &&
      (filter.sessionId === undefined || ask.sessionId === filter.sessionId) &&
      (filter.delivery === undefined || (ask.status !== 'pending' && ask.delivery.state === filter.delivery));
    const stored = state ? [] : await this.reader.asks(filter, page);
    const rows = state ? [...state.asks.values()] : stored.map(({ value }) => value);
    const found = patched(rows, this.own.of('ask'), is, copyOfAsk).slice(0, page.limit);
    return found.map((value, i) => ({ at: stored[i]?.at ?? 0, value }));
  }

  /** Asks of a run that are open in some way; from memory where all are there. */
  async #asksOf<T extends Ask>(runId: string, is: (ask: Ask) => boolean, read: () => Promise<Ask[]> | Ask[]) {
    const state = this.complete((await this.get('run', runId))?.sessionId);
    const stored = state ? [...state.asks.values()] : await read();
    return patched(stored, this.own.of('ask'), (ask) => ask.runId === runId && is(ask), copyOfAsk) as T[];
  }

  pendingOfRun(runId: string): Promise<PendingAsk[]> {
    return this.#asksOf(
      runId,
      (ask) => ask.status === 'pending',
      () => this.reader.pendingOfRun(runId),
    );
  }

  async pendingHeads(runId: string): Promise<Pick<PendingAsk, 'id' | 'kind' | 'mode'>[]> {
    if (this.complete((await this.get('run', runId))?.sessionId)) return (await this.pendingOfRun(runId)).map(headOf);
    const isPending = (ask: Ask) => ask.runId === runId && ask.status === 'pending';
    const stored = (await this.reader.pendingHeads(runId)).filter(({ id }) => !this.own.of('ask').has(id));
    const own = [...this.own.of('ask').values()].map(({ value }) => value).filter(isPending);
    return [...stored, ...own.map(headOf)];
  }

  async pendingBytes(sessionId: string): Promise<number> {
    return this.reader.pendingBytes(sessionId);
  }

  async dueOfRun(runId: string): Promise<EndedAsk[]> {
    const isDue = (ask: Ask) => ask.runId === runId && ask.status !== 'pending' && ask.delivery.state === 'due';
    return patched<Ask>(await this.reader.dueOfRun(runId), this.own.of('ask'), isDue, copyOfAsk) as EndedAsk[];
  }

  async toHandOver(runId: string): Promise<EndedAsk | undefined> {
    const stored = async () => {
      const found = await this.reader.toHandOver(runId);
      return found ? [found] : [];
    };
    const [first] = await this.#asksOf<EndedAsk>(runId, isCarriedOn, stored);
    return first;
  }
}

const headOf = ({ id, kind, mode }: Ask) => ({ id, kind, mode });
