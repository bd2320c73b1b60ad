// Declares what the store keeps of grants. Types only.
import type { Grant } from './grant.ts';
import type { MaybePromise, Page, Positioned } from './ports.ts';

export interface GrantReads {
  /** All, or those that were given in one session. */
  grants(filter: { sessionId?: string | undefined }, page: Page): MaybePromise<Positioned<Grant>[]>;
  /** The usable ones of a session: its own, of its project, and of the person whose token created it. */
  grantsFor(
    targets: { session: string; project: string | undefined; madeBy: string | undefined },
    now: number,
  ): MaybePromise<Grant[]>;
}
