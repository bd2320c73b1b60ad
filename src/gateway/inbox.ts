// Reads lists and single records. No reader sees an ask as open after its deadline: overdue ones are expired first.
import type { Ask } from '../core/ask.ts';
import type {
  AskFilter,
  MaybePromise,
  Page,
  Ports,
  Positioned,
  Reader,
  RunFilter,
  SessionFilter,
} from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import { type Origins, originsOf, wantsOrigin } from './ask-origin.ts';
import { LONGEST_PAGE } from './event-page.ts';
import { expireOverdue } from './expire.ts';
import { clarificationAsk } from './hold.ts';
import { askRecord, runRecord, sessionRecord } from './records.ts';
import { askView, messageView, pendingView, runView, sessionView, tokenView } from './views.ts';

export interface Listed<T> {
  views: T[];
  /** Position to continue after, when there is more. */
  next: number | undefined;
  /** The log position of this list: following the events after it misses nothing. */
  cursor: number;
}

/** Reads one more than asked for, to know whether there is another page. */
export async function listed<R, T>(
  ports: Ports,
  page: Page,
  rows: (r: Reader, page: Page) => MaybePromise<Positioned<R>[]>,
  view: (r: Reader, value: R) => MaybePromise<T>,
): Promise<Listed<T>> {
  await expireOverdue(ports);
  return ports.store.read(async (r) => {
    const found = await rows(r, { ...page, limit: page.limit + 1, bytes: LONGEST_PAGE });
    const isCut = found.reduce((sum, { bytes = 0 }) => sum + bytes, 0) >= LONGEST_PAGE;
    const views: T[] = [];
    let size = 0;
    for (const { value } of found.slice(0, page.limit)) {
      if (size > LONGEST_PAGE) break;
      const shown = await view(r, value);
      size += JSON.stringify(shown).length;
      views.push(shown);
    }
    const next = isCut || found.length > views.length ? found[views.length - 1]?.at : undefined;
    return { views, next, cursor: await r.lastSeq() };
  });
}

export async function showSession(ports: Ports, id: string) {
  await expireOverdue(ports);
  return ports.store.read(async (r) => sessionView(r, await sessionRecord(r, id)));
}

export async function showRun(ports: Ports, id: string) {
  await expireOverdue(ports);
  return ports.store.read(async (r) => {
    const run = await runRecord(r, id);
    return runView(r, await sessionRecord(r, run.sessionId), run);
  });
}

export async function loadAsk(ports: Ports, id: string): Promise<Ask> {
  const { ask, isLate } = await ports.store.read(async (r) => {
    const found = (await r.get('ask', id)) ?? (await queuedClarification(ports, r, id)) ?? (await askRecord(r, id));
    // Any overdue ask may end this one too: its run ends with the question that expires.
    return { ask: found, isLate: found.status === 'pending' && (await r.overdueAsks(ports.clock.now(), 1)).length > 0 };
  });
  if (!isLate) return ask;
  await expireOverdue(ports);
  return ports.store.read((r) => askRecord(r, id));
}

/** A clarification whose run waits for the slot of its parent's session: pending, and shown to people when it has it. */
async function queuedClarification({ hash }: Ports, r: Reader, id: string): Promise<Ask | undefined> {
  const run = await r.clarificationRun(id);
  return run?.status === 'queued' && run.clarification
    ? clarificationAsk(run, run.clarification, hash, run.submittedAt)
    : undefined;
}

export async function isAskOf(r: Reader, askId: string, sessionId: string): Promise<boolean> {
  if ((await r.get('ask', askId))?.sessionId === sessionId) return true;
  return (await r.clarificationRun(askId))?.clarification?.requesterSessionId === sessionId;
}

export const listSessions = (ports: Ports, filter: SessionFilter, page: Page) =>
  listed(ports, page, (r, p) => r.sessions(filter, p), sessionView);

/** A list about something that does not exist is not an empty list. */
async function mustKnow(r: Reader, filter: { sessionId?: string | undefined; runId?: string | undefined }) {
  if (filter.sessionId !== undefined) await sessionRecord(r, filter.sessionId);
  if (filter.runId !== undefined) await runRecord(r, filter.runId);
}

export const listRuns = (ports: Ports, filter: RunFilter, page: Page) =>
  listed(
    ports,
    page,
    async (r, p) => {
      await mustKnow(r, filter);
      return r.runs(filter, p);
    },
    async (r, run) => runView(r, await sessionRecord(r, run.sessionId), run),
  );

/** Secrets are in a list only for the agent whose session it is. */
export function listAsks(ports: Ports, filter: AskFilter, page: Page, actor?: Actor) {
  let origins: Origins | undefined;
  return listed(
    ports,
    page,
    async (r, p) => {
      await mustKnow(r, filter);
      return r.asks(filter, p);
    },
    async (r, ask) => {
      if (!wantsOrigin(actor)) return askView(ask, actor?.scope === 'agent' ? ports.sealer : undefined);
      origins ??= originsOf(r);
      return askView(ask, undefined, await origins(ask));
    },
  );
}

export async function listPending(ports: Ports, kind: Ask['kind'], sessionId: string | undefined, page: Page) {
  if (sessionId !== undefined) await ports.store.read((r) => sessionRecord(r, sessionId));
  return listed(
    ports,
    page,
    (r, p) => r.asks({ status: 'pending', kind, sessionId }, p),
    async (r, ask) => pendingView(await sessionRecord(r, ask.sessionId), await runRecord(r, ask.runId), ask),
  );
}

export async function listMessages(ports: Ports, sessionId: string, which: 'open' | 'dead', page: Page) {
  await ports.store.read((r) => sessionRecord(r, sessionId));
  return listed(
    ports,
    page,
    (r, p) => r.messages(sessionId, which, p),
    (_, message) => messageView(message),
  );
}

export const listTokens = (ports: Ports, page: Page) =>
  listed(
    ports,
    page,
    (r, p) => r.tokens(p),
    (_, token) => tokenView(token),
  );
