// The agents that workers offer now, as GET /v1/agents describes them.
import { expect, it } from 'vitest';
import { WorkerPresence } from '../../src/server/worker-presence.ts';

const offered = (...names: string[]) => ({
  worker_id: 'w1',
  agents: names.map((name) => ({ name, recovery: 'none' as const })),
});

it('lists agents in the order of this build, and says of each whether it can be connected', () => {
  const described = { takes: 'text' as const, settings: [] };
  const presence = new WorkerPresence([
    { name: 'own', title: 'Own', ...described, is_connectable: true },
    { name: 'hosted', title: 'Hosted', ...described, is_connectable: false },
  ]);
  presence.note('tok_1', offered('own', 'hosted', 'stranger'), 0);
  expect(presence.agents(0).map(({ name, title, is_connectable }) => [name, title, is_connectable])).toEqual([
    ['own', 'Own', true],
    ['hosted', 'Hosted', false],
    ['stranger', 'stranger', false],
  ]);
});

it('finding 25: remembers at most 500 workers of one token, and those of every other', () => {
  const presence = new WorkerPresence([]);
  presence.note('tok_honest', { ...offered('mine'), worker_id: 'honest' }, 0);
  for (let n = 0; n < 2000; n++) presence.note('tok_hostile', { ...offered(`a${n % 7}`), worker_id: `w${n}` }, 0);
  const workers = Object.fromEntries(presence.agents(0).map(({ name, workers: count }) => [name, count]));
  expect(workers.mine).toBe(1);
  expect(Object.values(workers).reduce((sum, count) => sum + count)).toBe(501);
  presence.noteBusy('tok_hostile', 'honest', 100_000);
  expect(presence.agents(100_000)).toEqual([]);
});
