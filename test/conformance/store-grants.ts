// Store suite: grants are found by session, project and person while they are usable, and counted under their lock.
import { describe, expect, it } from 'vitest';
import type { Grant } from '../../src/core/grant.ts';
import type { MaybePromise, Reader } from '../../src/core/ports.ts';
import type { Bed } from './store.ts';
import { AWKWARD, LATEST, tokenOf } from './store-samples.ts';

export function describeGrants(bed: Bed): void {
  const read = <T>(unit: (r: Reader) => MaybePromise<T>) => bed.store.read(unit);

  describe('grants', () => {
    it('stores grants and finds the usable ones of a session, its project and its person', async () => {
      const grant = (id: string, more: Partial<Grant> = {}): Grant => ({
        id,
        askId: 'ask_1',
        sessionId: 's1',
        scope: 'session',
        target: 'session:s1',
        workFolder: undefined,
        tool: `tool ${AWKWARD}`,
        matches: undefined,
        files: undefined,
        uses: 0,
        mostUses: undefined,
        expiresAt: undefined,
        givenBy: 'ana',
        createdAt: 1,
        revokedAt: undefined,
        revokedBy: undefined,
        ...more,
      });
      const matches = { command: ['git *', AWKWARD], force: true };
      const usable = [
        grant('grt_1', { matches, workFolder: '/srv', files: [{ path: 'a', sha256: 'b' }] }),
        grant('grt_2', { target: 'folder:x', mostUses: 2, uses: 1, expiresAt: LATEST }),
        grant('grt_3', { target: 'person:ana', sessionId: 's2' }),
      ];
      const over = [
        grant('grt_4', { expiresAt: 100 }),
        grant('grt_5', { mostUses: 1, uses: 1 }),
        grant('grt_6', { revokedAt: 2, revokedBy: 'ben' }),
        grant('grt_7', { target: 'person:ben' }),
        grant('grt_8', { target: 'session:s2' }),
      ];
      await bed.store.write(async (tx) => {
        await tx.insert('token', tokenOf('tok_ana', { name: 'a name', person: 'ana' }));
        for (const each of [...usable, ...over]) await tx.insert('grant', each);
      });
      const targets = { session: 'session:s1', project: 'folder:x', madeBy: 'tok_ana' };
      expect(await read((r) => r.grantsFor(targets, 100))).toEqual(usable);
      const alone = { session: 'session:s1', project: undefined, madeBy: undefined };
      expect(await read((r) => r.grantsFor(alone, 100))).toEqual([usable[0]]);
      expect((await read((r) => r.grants({}, { limit: 10 }))).map(({ value }) => value)).toEqual([...usable, ...over]);
      const ofSession = await read((r) => r.grants({ sessionId: 's2' }, { limit: 10 }));
      expect(ofSession.map(({ value }) => value.id)).toEqual(['grt_3']);
      const revoked = grant('grt_3', { target: 'person:ana', sessionId: 's2', uses: 4, revokedAt: 5, revokedBy: 'x' });
      await bed.store.write((tx) => tx.update('grant', revoked));
      expect(await read((r) => r.get('grant', 'grt_3'))).toEqual(revoked);
    });

    it('counts the uses of a grant once each under its lock, however many sessions use it at once', async () => {
      const one = { id: 'grt_9', askId: 'a', sessionId: 's', scope: 'project' as const, target: 't', tool: 'x' };
      const none = { workFolder: undefined, matches: undefined, files: undefined, expiresAt: undefined };
      const rest = { uses: 0, mostUses: 5, givenBy: 'a', createdAt: 1, revokedAt: undefined, revokedBy: undefined };
      await bed.store.write((tx) => tx.insert('grant', { ...one, ...none, ...rest }));
      const use = () =>
        bed.store.write(async (tx) => {
          const [grant] = await tx.lockGrants(['grt_9', 'grt_unknown']);
          if (!grant || grant.uses >= (grant.mostUses ?? 0)) return false;
          await tx.update('grant', { ...grant, uses: grant.uses + 1 });
          return true;
        });
      const used = await Promise.all(Array.from({ length: 12 }, use));
      expect(used.filter(Boolean)).toHaveLength(5);
      expect((await read((r) => r.get('grant', 'grt_9')))?.uses).toBe(5);
    });
  });
}
