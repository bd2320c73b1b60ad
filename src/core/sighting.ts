// Defines sightings of a pending ask: the first of each person and surface. Evidence for the log and a hint for other
// people; it decides nothing.
import { type Ask, decide, type Surface } from './ask.ts';

export interface Sighting {
  by: string;
  surface: Surface;
  at_ms: number;
}

/** How many a view shows; the log has all of them. */
export const SIGHTINGS_SHOWN = 20;

/** The ask with one more sighting; undefined for a repeat, or where the ask takes no answer any more. */
export function seen(ask: Ask, sighting: Sighting): Ask | undefined {
  if (decide(ask, 'answer', sighting.at_ms) !== 'end') return undefined;
  const isKnown = ask.seenBy.some(({ by, surface }) => by === sighting.by && surface === sighting.surface);
  return isKnown ? undefined : { ...ask, seenBy: [...ask.seenBy, sighting] };
}
