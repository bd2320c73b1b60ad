// The agents that workers offer now, as GET /v1/agents describes them.
import { expect, it } from 'vitest';
import { WorkerPresence } from '../../src/server/worker-presence.ts';

const offered = (...names: string[]) => ({
  worker_id: 'w1',
  agents: names.map((name) => ({ name, recovery: 'none' as const })),
});

it('says of each agent whether it can be connected, and of an unknown one that it cannot', () => {
  const described = { takes: 'text' as const, settings: [] };
  const presence = new WorkerPresence([
    { name: 'own', title: 'Own', ...described, is_connectable: true },
    { name: 'hosted', title: 'Hosted', ...described, is_connectable: false },
  ]);
  presence.note(offered('own', 'hosted', 'stranger'), 0);
  expect(presence.agents(0).map(({ name, title, is_connectable }) => [name, title, is_connectable])).toEqual([
    ['hosted', 'Hosted', false],
    ['own', 'Own', true],
    ['stranger', 'stranger', false],
  ]);
});
