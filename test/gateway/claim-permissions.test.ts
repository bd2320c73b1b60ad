// Whether an approval is asked: the permission of the session decides, then that of the worker, then the default. What a
// permission allows is recorded in its name and never shown as pending.
// Covers: src/gateway/claim.ts, src/core/policy.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import type { Permissions } from '../../src/core/session.ts';
import { openServer, type Server } from '../support/server.ts';
import { BASH, TestBed } from '../support/test-bed.ts';
import { chat } from '../support/thread.ts';

let server: Server;
let bed: TestBed;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  await bed.worker({ labels: ['free'], permissions: 'autonomous' });
  await bed.worker({ labels: ['strict'], permissions: 'approval' });
  await bed.worker();
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

const script: Step[] = [
  { do: 'approve', id: 'p', ...BASH },
  { do: 'complete', text: 'done' },
];
type Case = [own: Permissions | undefined, worker: string | undefined, isAsked: boolean];
const CASES: Case[] = [
  [undefined, undefined, true],
  [undefined, 'strict', true],
  [undefined, 'free', false],
  ['approval', 'free', true],
  ['autonomous', 'strict', false],
  ['autonomous', undefined, false],
];

it.each(CASES)(
  'with the permission %s of the session and a worker labelled %s, asks a person: %s',
  async (permissions, label, isAsked) => {
    const from = permissions ? 'session' : label ? 'worker' : 'default';
    const run = await bed.play(script, { ...(permissions && { permissions }), ...(label && { labels: [label] }) });
    if (isAsked) {
      const [ask] = await bed.pending(run.session_id);
      const shown = await bed.api.sessions.get(run.session_id);
      expect(shown).toMatchObject({ permissions: 'approval', permissions_from: from });
      if (ask) await bed.decide(ask, { behavior: 'deny', reason: 'not now' });
      expect(bed.heard(await bed.over(run.run_id))).toEqual(['p: answered: not now']);
      return;
    }
    expect((await bed.over(run.run_id)).status).toBe('completed');
    const idle = await bed.api.sessions.get(run.session_id);
    expect(idle.permissions_from).toBe(permissions ? 'session' : 'default');
    const [ask] = (await bed.api.asks.list({ run_id: run.run_id })).items;
    expect(ask?.answer).toMatchObject({ behavior: 'allow', answered_by: 'policy:autonomous', surface: 'system' });
    expect(ask?.delivery.state).toBe('delivered');
    expect(await bed.events(run.session_id, 'waiting_for_approval')).toEqual([]);
    expect(await chat(server, run.session_id)).toEqual([
      'operator: play',
      'p: answered: allowed {"command":"npm install"}',
      'done',
      'end completed',
    ]);
  },
);

it('gives a child session the permission of its parent, whatever that of the worker', async () => {
  const parent = await bed.api.sessions.create({ agent: 'mock', permissions: 'approval' });
  const of = { parent_session_id: parent.session_id, labels: ['free'] };
  const run = await bed.play(script, of);
  const [ask] = await bed.pending(run.session_id);
  expect(ask?.kind).toBe('approval');
  const wanted = bed.api.sessions.create({ agent: 'mock', ...of, permissions: 'autonomous' });
  await expect(wanted).rejects.toMatchObject({ code: 'session_conflict' });
});
