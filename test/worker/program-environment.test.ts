// The environment of hosted programs: nothing of Holdpoint itself is in it.
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const load = () => import('../../src/worker/program-environment.ts');

describe('finding 25: the environment of hosted programs', () => {
  const VARIABLES = {
    HOLDPOINT_TOKEN: 'hp_x',
    PGPASSWORD: 'hunter2',
    PGSERVICEFILE: '/etc/pg',
    DATABASE_URL: 'postgres://holdpoint:p%40ss-word@db.example/holdpoint',
    BACKUP_OF: 'p@ss-word',
    PAGER: 'less',
  };

  it('lacks the credentials of the database that the same process serves', async () => {
    for (const [name, value] of Object.entries(VARIABLES)) vi.stubEnv(name, value);
    const { inherited, withholdDatabase } = await load();
    withholdDatabase(VARIABLES.DATABASE_URL);
    const given = inherited();
    for (const name of ['HOLDPOINT_TOKEN', 'PGPASSWORD', 'PGSERVICEFILE', 'DATABASE_URL', 'BACKUP_OF'])
      expect(given).not.toHaveProperty(name);
    expect(given.PAGER).toBe('less');
  });

  it("keeps the person's own database settings where the process serves none", async () => {
    for (const [name, value] of Object.entries(VARIABLES)) vi.stubEnv(name, value);
    const given = (await load()).inherited();
    expect(given).toMatchObject({ PGPASSWORD: 'hunter2', DATABASE_URL: VARIABLES.DATABASE_URL });
    expect(given).not.toHaveProperty('HOLDPOINT_TOKEN');
  });
});
