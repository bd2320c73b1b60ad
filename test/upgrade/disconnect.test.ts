// `holdpoint disconnect` of this version, of what `holdpoint connect` of an earlier release wrote into a person's settings.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import { apiOf } from './api.ts';
import { runCli } from './cli.ts';
import { CONNECTIONS, type Connection, connectionEnv, Fixture, RELEASES } from './fixture.ts';

afterAll(endEverything);

describe.each(readdirSync(RELEASES))('a connection made by release %s', (version) => {
  let fixture: Fixture;
  let server: Holdpoint;
  beforeAll(async () => {
    fixture = new Fixture(version);
    server = await startHoldpoint({ data: fixture.state, args: ['--no-worker'], env: { HOME: fixture.home } });
  });

  const disconnect = (connection: Connection) =>
    runCli(['disconnect', connection.agent, '--yes', '--json'], {
      ...connectionEnv(fixture.home, connection),
      HOLDPOINT_DATA: fixture.state,
      HOLDPOINT_URL: server.url,
    });
  const records = () => readdirSync(join(fixture.state, 'connections')).filter((name) => name.endsWith('.json'));
  const isTokenGood = async (connection: Connection) => {
    const [token] = /hp_[\w-]+/.exec(readFileSync(fixture.settings(connection), 'utf8')) ?? [];
    const hook = apiOf(server.url, token ?? '');
    return () =>
      hook.post(`/v1/hooks/claude`).then(
        () => true,
        () => false,
      );
  };

  it('is undone byte for byte, with nothing left beside the settings and the token revoked', async () => {
    fixture.restoreConnections(server.url);
    for (const [i, connection] of CONNECTIONS.entries()) {
      const path = fixture.settings(connection);
      const before = fixture.before(connection);
      const isGood = await isTokenGood(connection);
      if (connection.agent === 'claude') expect(await isGood()).toBe(true);
      const printed = await disconnect(connection);
      expect(printed).toMatchObject({ code: 0, stderr: '' });
      const token_revoked = connection.agent === 'claude' ? true : null;
      expect(JSON.parse(printed.stdout)).toMatchObject({ changed: true, restored: true, token_revoked });
      if (before) expect(readFileSync(path)).toEqual(before);
      if (before) expect(statSync(path).mode & 0o777).toBe(0o644);
      expect(existsSync(path)).toBe(before !== undefined);
      expect(readdirSync(join(path, '..'))).toHaveLength(before ? 1 : 0);
      if (connection.agent === 'claude') expect(await isGood()).toBe(false);
      expect(records()).toHaveLength(CONNECTIONS.length - i - 1);
    }
  });

  it('loses the hooks and nothing else where the person has changed the file since', async () => {
    fixture.restoreConnections(server.url);
    const edits = [
      ['"opus"', '"sonnet"'],
      undefined,
      ['"mine"', '"still mine"'],
      ['"matcher":"Bash"', '"matcher":"Bash|Write"'],
    ] as const;
    for (const [i, connection] of CONNECTIONS.entries()) {
      const [from, to] = edits[i] ?? [];
      if (from === undefined || to === undefined) continue;
      const path = fixture.settings(connection);
      const changed = readFileSync(path, 'utf8').replace(from, to);
      writeFileSync(path, changed);
      const printed = await disconnect(connection);
      expect(printed.code).toBe(0);
      expect(JSON.parse(printed.stdout)).toMatchObject({ changed: true, restored: false });
      expect(readFileSync(path, 'utf8')).toBe(fixture.before(connection)?.toString('utf8').replace(from, to));
    }
  });
});
