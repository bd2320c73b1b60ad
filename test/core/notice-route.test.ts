// Which route applies to an ask, and whom it means.
// Covers: src/core/notice-views.ts
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../src/core/ask.ts';
import type { Contact } from '../../src/core/notice.ts';
import {
  compileRoutes,
  contactsOf,
  durationMs,
  NoticeRoutes,
  planFor,
  unknownNames,
} from '../../src/core/notice-route.ts';
import { AddDevice, AddWebhook } from '../../src/core/notice-views.ts';

const tell = [{ who: 'lead' }];
const routes = compileRoutes([
  { match: { tool: 'Bash', matches: { command: 'rm *' } }, tell, urgent: true },
  { match: { agent: 'cla*', project: 'shop' }, tell, after: { '30m': tell, '5m': tell }, digest: '10m', seen: 'stops' },
  { match: { kind: 'question' }, tell },
]);
const session = { agent: 'codex', projectIds: [] as string[], workFolder: '/srv' };
const bash = (command: string) =>
  ({ kind: 'approval', content: { tool_name: 'Bash', input: { command }, reason: '', scope: '' } }) as unknown as Ask;
const question = { kind: 'question', content: { questions: [] } } as unknown as Ask;
const positionOf = (ask: Ask, of: Partial<typeof session> = {}) => planFor(routes, ask, { ...session, ...of }).position;

describe('routes', () => {
  it('apply to what they match, the first one, and to what could match', () => {
    expect(positionOf(bash('rm -rf build'))).toBe(1);
    expect(positionOf(bash('cd x && rm -rf build'))).toBe(1);
    expect(positionOf(bash('$CMD'))).toBe(1);
    expect(positionOf(bash('ls'))).toBeUndefined();
    expect(positionOf(bash('ls'), { agent: 'claude', projectIds: ['shop'] })).toBe(2);
    expect(positionOf(bash('ls'), { agent: 'claude', projectIds: ['other'] })).toBeUndefined();
    expect(positionOf(question)).toBe(3);
  });

  it('have their steps in order, and by default tell everyone who has a device', () => {
    const plan = planFor(routes, bash('ls'), { ...session, agent: 'claude', projectIds: ['shop'] });
    expect(plan).toMatchObject({ digestMs: 600_000, seenStops: true, isUrgent: false });
    expect(plan.steps.map(({ afterMs }) => afterMs)).toEqual([300_000, 1_800_000]);
    const twice = compileRoutes([{ tell, after: { '60s': tell, '1m': [{ who: 'ops' }] } }]);
    expect(planFor(twice, question, session).steps).toEqual([{ afterMs: 60_000, tell: [...tell, { who: 'ops' }] }]);
    expect(planFor([], question, session).tell).toEqual([{ who: 'everyone', by: ['push'] }]);
    expect(['30s', '5m', '2h', '1d'].map(durationMs)).toEqual([30_000, 300_000, 7_200_000, 86_400_000]);
  });

  it('mean people by name, by the channels they name, and everyone only where there is a device', () => {
    const contact = (id: string, name: string, channel: string, endedAt?: number) =>
      ({ id, name, channel, endedAt }) as Contact;
    const all = [
      contact('1', 'lead', 'push'),
      contact('2', 'lead', 'push', 5),
      contact('3', 'ops', 'webhook'),
      contact('4', 'ana', 'push'),
    ];
    const ids = (...people: { who: string; by?: string[] }[]) => contactsOf(people, all).map(({ id }) => id);
    expect(ids({ who: 'lead' })).toEqual(['1']);
    expect(ids({ who: 'lead', by: ['webhook'] }, { who: 'ops' })).toEqual(['3']);
    expect(ids({ who: 'everyone' }, { who: 'lead' })).toEqual(['1', '4']);
    expect(unknownNames(compileRoutes([{ tell: [{ who: 'ghost' }, { who: 'lead' }] }]), all)).toEqual(['ghost']);
  });

  it.each([
    { routes: [{ tell: [] }] },
    { routes: [{ tell, after: { soon: tell } }] },
    { routes: [{ tell, digest: '10 minutes' }] },
    { routes: [{ tell, match: { tool: '' } }] },
    { routes: [{ tell, wait: true }] },
  ])('refuse %j', (given) => {
    expect(NoticeRoutes.safeParse(given).success).toBe(false);
  });
});

describe('what a device and a webhook may say', () => {
  it('refuses keys that are none, names that deceive and events that are not sent', () => {
    const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) };
    const device = (more: object) =>
      AddDevice.safeParse({ subscription: { endpoint: 'https://x', keys, ...more }, label: 'x' }).success;
    expect([
      device({}),
      device({ keys: { ...keys, auth: 'short' } }),
      device({ keys: { ...keys, p256dh: '' } }),
    ]).toEqual([true, false, false]);
    const hook = (more: object) => AddWebhook.safeParse({ url: 'https://x', name: 'ops', ...more }).success;
    expect([hook({}), hook({ name: 'o\u202eps' }), hook({ events: ['test'] }), hook({ format: 'html' })]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
