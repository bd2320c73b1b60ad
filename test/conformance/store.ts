// The suite every store must pass, whatever database is behind it. It knows only the port (src/core/ports.ts): writers
// may share a commit or run side by side, a unit may be tried again, ids and positions are the store's own business.
import { afterEach, beforeEach, describe } from 'vitest';
import type { Hash } from '../../src/core/digest.ts';
import type { Store } from '../../src/core/ports.ts';
import { describeClaims } from './store-claims.ts';
import { describeGrants } from './store-grants.ts';
import { describeHistory } from './store-history.ts';
import { describeLists } from './store-lists.ts';
import { describeLog } from './store-log.ts';
import { describeNotices } from './store-notices.ts';
import { describeRecords } from './store-records.ts';
import { hash } from './store-samples.ts';
import { describeThreads } from './store-threads.ts';
import { describeUnits } from './store-units.ts';

/** An empty database of its own for each test. Opening it again shows what was kept. */
export interface Place {
  open(hash: Hash): Promise<Store>;
  remove(): Promise<void>;
}

export interface Bed {
  readonly store: Store;
  /** Closes the store and opens the same database again. */
  reopen(): Promise<void>;
}

export function describeStore(name: string, makePlace: () => Promise<Place>): void {
  describe(`${name} as a store`, () => {
    let place: Place;
    let store: Store;
    const bed: Bed = {
      get store() {
        return store;
      },
      async reopen() {
        await store.close();
        store = await place.open(hash);
      },
    };
    beforeEach(async () => {
      place = await makePlace();
      store = await place.open(hash);
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    describeRecords(bed);
    describeGrants(bed);
    describeNotices(bed);
    describeUnits(bed);
    describeClaims(bed);
    describeLists(bed);
    describeLog(bed);
    describeHistory(bed);
    describeThreads(bed);
  });
}
