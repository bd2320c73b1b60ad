// The database of an earlier release, copied into PostgreSQL by this version: the same views, log and due answers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startHoldpoint } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';
import { apiOf, asksOf } from './api.ts';
import { auditFaults, runCli } from './cli.ts';
import { Fixture, RELEASES } from './fixture.ts';
import { expectSameLists, expectSameThreads } from './same-views.ts';

const postgres = postgresForAll();

it.each(readdirSync(RELEASES))('shows what release %s had stored after a copy to PostgreSQL', async (version) => {
  const fixture = new Fixture(version);
  const { url: HOLDPOINT_DATABASE_URL } = await postgres.database();
  const kept = (name: string) => readFileSync(join(fixture.state, name), 'utf8').trim();
  const env = { HOME: fixture.home, HOLDPOINT_DATABASE_URL, HOLDPOINT_SECRET_KEY: kept('secret.key') };
  const where = { ...env, HOLDPOINT_DATA: fixture.state };
  expect(await runCli(['db', 'copy'], where)).toMatchObject({ code: 0 });
  const server = await startHoldpoint({ data: fixture.state, args: ['--no-worker'], env });
  const api = apiOf(server.url, server.token);
  await expectSameLists(api, fixture.views);
  await expectSameThreads(api, fixture.views);
  expect(await auditFaults({ ...where, HOLDPOINT_URL: server.url })).toEqual([]);
  const due = await asksOf(apiOf(server.url, kept('worker.token')), 'external-due', '&delivery=due');
  expect(due).toHaveLength(3);
  const secret = due.find(({ tool_call_id }) => tool_call_id === 'secret');
  const bound = { scope: 'agent', session_id: 'external-due' };
  const agent = apiOf(server.url, (await api.post<{ token: string }>('/v1/tokens', bound)).token);
  const whole = await agent.get(`/v1/asks/${secret?.ask_id}`);
  expect(JSON.stringify(whole)).toContain('open sesame');
});
