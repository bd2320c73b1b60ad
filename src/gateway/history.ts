// Searches ended asks, newest first. There is no index, so writers pay nothing: a search reads range by range until it has
// a page or has reached the limit of one request, and returns how far back it searched.

import type { Ask } from '../core/ask.ts';
import { isFound, parseQuery, type QueryTerm } from '../core/ask-query.ts';
import { searchedAsk } from '../core/history.ts';
import type { PastFilter, Ports } from '../core/ports.ts';
import type { Session } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { originsOf, wantsOrigin } from './ask-origin.ts';
import { expireOverdue } from './expire.ts';
import type { Listed } from './inbox.ts';
import { sessionRecord } from './records.ts';
import { riskSigns } from './risk-signs.ts';
import { askView } from './views.ts';

/** Small enough not to delay other reads. */
const STRETCH = 500;
const MOST_STRETCHES = 40;
const ENOUGH_MS = 300;

export interface Search {
  query: string;
  filter: Omit<PastFilter, 'terms'>;
  before: number | undefined;
  limit: number;
}

export interface Found extends Listed<AskView> {
  /** The instant up to which was searched, when there are older asks. */
  searchedBackTo: number | undefined;
}

export async function searchHistory(ports: Ports, search: Search, actor: Actor): Promise<Found> {
  await expireOverdue(ports);
  const { sessionId } = search.filter;
  if (sessionId !== undefined) await ports.store.read((r) => sessionRecord(r, sessionId));
  const cursor = await ports.store.read((r) => r.lastSeq());
  const views: AskView[] = [];
  let before = search.before ?? Number.MAX_SAFE_INTEGER;
  let searchedBackTo: number | undefined;
  const began = ports.clock.now();
  for (let n = 0; n < MOST_STRETCHES && ports.clock.now() - began < ENOUGH_MS; n++) {
    const part = await searchStretch(ports, search, before, search.limit - views.length, actor);
    if (!part) return { views, next: undefined, cursor, searchedBackTo: undefined };
    views.push(...part.views);
    before = part.low;
    searchedBackTo = part.at;
    if (views.length >= search.limit) break;
    await new Promise(setImmediate);
  }
  return { views, next: before, cursor, searchedBackTo };
}

async function searchStretch(ports: Ports, search: Search, before: number, wanted: number, actor: Actor) {
  const terms = cheapestFirst(parseQuery(search.query));
  const words = terms.filter(({ field, isExcluded }) => field === 'any' && !isExcluded).map(({ text }) => text);
  return ports.store.read(async (r) => {
    // Without search terms every ask matches.
    const length = terms.length === 0 ? Math.min(STRETCH, wanted + 50) : STRETCH;
    const stretch = await r.stretch(before, length, search.filter.sessionId);
    if (!stretch) return undefined;
    const origins = originsOf(r);
    const views: AskView[] = [];
    for (const { at, value } of await r.pastAsks({ ...search.filter, terms: words }, stretch.low, before)) {
      const session = await r.get('session', value.sessionId);
      if (
        !session ||
        !isFound(
          terms,
          searchedAsk(value, session, () => risksOf(value, session)),
        )
      )
        continue;
      views.push(askView(value, undefined, wantsOrigin(actor) ? await origins(value) : undefined));
      if (views.length === wanted) return { views, low: at, at: value.createdAt };
    }
    return { views, ...stretch };
  });
}

/** A risk takes milliseconds to assess: only what every other term has found is. */
const cheapestFirst = (terms: readonly QueryTerm[]): QueryTerm[] => [
  ...terms.filter(({ field }) => field !== 'risk'),
  ...terms.filter(({ field }) => field === 'risk'),
];

const risksOf = (ask: Ask, { workFolder }: Session): string[] => riskSigns(ask, workFolder).map(({ risk }) => risk);
