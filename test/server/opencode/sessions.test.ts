// Sessions at the door, with the published SDK: their ids, their conversations, and what a client reads at its start.
import { expect, it } from 'vitest';
import { allow, decide, held, newSession, ok, raiseApproval, startRun } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { sdk } from './test-bed.ts';

const server = serverForAll();

it('shows the conversation with ids that sort as it went and stay, however little of it is asked for', async () => {
  const h = await held(server, { kind: 'approval' });
  for (const text of ['one', 'two', 'three']) await ok(server.post(`/v1/runs/${h.runId}/output`, { text }));
  await ok(decide(server, h.runId, allow(h.ask.ask_id)));
  await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
  await raiseApproval(server, h.runId);
  const client = await sdk(server);
  const all = (await client.session.messages({ sessionID: h.sessionId })).data ?? [];
  const ids = all.map(({ info }) => info.id);
  expect(ids).toEqual([...ids].sort());
  const texts = all.flatMap(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text.split('\n')[0] : part.type)),
  );
  expect(texts).toEqual(['❓ Approve?', '✓ Answered: Approve', 'one', 'two', 'three', '❓ Approve?', 'tool']);
  const last = (await client.session.messages({ sessionID: h.sessionId, limit: 2 })).data ?? [];
  expect(last.map(({ info }) => info.id)).toEqual(ids.slice(-2));
});

it('maps ids of every form to OpenCode and back', async () => {
  for (const id of ['claude.3f2a', 'ses_.odd', 'plain']) {
    const session = await newSession(server, { session_id: id, work_folder: '/srv/ids' });
    const run = await startRun(server, id);
    await raiseApproval(server, run.run_id);
    const client = await sdk(server, { directory: '/srv/ids' });
    const { data } = await client.permission.list();
    const own = data?.find(({ sessionID }) => sessionID === `ses_.${id}`);
    expect(own?.id).toMatch(/^per_/);
    const shown = await client.session.get({ sessionID: `ses_.${id}` });
    expect(shown.data).toMatchObject({ id: `ses_.${id}`, slug: session.session_id });
    expect((await client.session.get({ sessionID: id })).response?.status).toBe(404);
  }
});

it('answers what a client reads at its start', async () => {
  const client = await sdk(server);
  const read = await Promise.all([
    client.global.health(),
    client.config.get(),
    client.config.providers(),
    client.provider.list(),
    client.app.agents(),
    client.command.list(),
    client.path.get({ directory: '/srv/a' }),
    client.project.current(),
    client.session.status(),
    client.vcs.get(),
  ]);
  expect(read.map(({ response }) => response?.status)).toEqual(read.map(() => 200));
  expect(read[6].data).toMatchObject({ directory: '/srv/a' });
});
