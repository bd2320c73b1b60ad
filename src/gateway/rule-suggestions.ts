// Suggests rules for calls that people always allowed, from the newest approvals of a span. Decides nothing, stores nothing.
import { fail } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { createRuleSuggestions, type RuleSuggestion, type RuleSuggestionsView } from '../core/rule-suggestion.ts';
import { type Span, spanOf } from './insights.ts';
import { ruleSets } from './rule-sources.ts';
import { newSession } from './session.ts';

const STRETCH = 500;
const MOST_STRETCHES = 10;
const AT_LEAST = 10;
/** Fewer decisions say nothing about "always". */
const FEWEST = 3;

export async function suggestRules(
  ports: Ports,
  { atLeast = AT_LEAST, ...given }: Span & { atLeast?: number | undefined },
): Promise<RuleSuggestionsView> {
  if (atLeast < FEWEST) throw fail('invalid_request', `query.at_least: ${FEWEST} or more.`);
  const { from, to, first, last } = await spanOf(ports, given);
  const found = createRuleSuggestions(atLeast);
  let before = last;
  let countedFrom = from;
  for (let n = 0; before > first; n++) {
    if (n === MOST_STRETCHES || found.isFull()) break;
    const stretch = await ports.store.read(async (r) => {
      const next = await r.stretch(before, STRETCH);
      if (!next) return undefined;
      const low = Math.max(first, next.low);
      for (const { value: ask } of await r.pastAsks({ kind: 'approval', terms: [] }, low, before)) {
        if (ask.kind !== 'approval' || ask.createdAt < from || ask.createdAt >= to) continue;
        found.add(ask, (await r.get('session', ask.sessionId))?.workFolder);
      }
      return next;
    });
    before = stretch?.low ?? first;
    countedFrom = before > first && stretch ? Math.max(from, stretch.at) : from;
    await new Promise(setImmediate);
  }
  const sets = ruleSets(ports, newSession('none', { agent: 'none' }, 0));
  const suggestions: RuleSuggestion[] = [];
  for (const suggested of found.suggestions(sets)) {
    suggestions.push(...suggested);
    await new Promise(setImmediate);
  }
  return {
    from_ms: from,
    to_ms: to,
    counted_from_ms: countedFrom,
    is_complete: countedFrom <= from,
    looked_at: found.lookedAt(),
    at_least: atLeast,
    suggestions: suggestions.sort((a, b) => b.asked - a.asked),
  };
}
