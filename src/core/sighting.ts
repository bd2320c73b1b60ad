// Who has seen an ask: one sighting for each person and surface, the first, while it is pending. Evidence for the log
// and a hint for the others who look; it decides nothing. Shown and stored as it is here.
import { type Ask, decide, type Surface } from './ask.ts';

export interface Sighting {
  by: string;
  surface: Surface;
  at_ms: number;
}

/** How many a view shows, the first ones; the log has all of them. */
export const SIGHTINGS_SHOWN = 20;

/** The ask with one more sighting; undefined where it adds nothing: known already, or the ask takes no answer any more. */
export function seen(ask: Ask, sighting: Sighting): Ask | undefined {
  if (decide(ask, 'answer', sighting.at_ms) !== 'end') return undefined;
  const isKnown = ask.seenBy.some(({ by, surface }) => by === sighting.by && surface === sighting.surface);
  return isKnown ? undefined : { ...ask, seenBy: [...ask.seenBy, sighting] };
}
