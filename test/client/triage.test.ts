// The order in which an inbox is worked through.
import { describe, expect, it } from 'vitest';
import { filtered } from '../../src/client/inbox-filter.ts';
import { arranged, isAsleep } from '../../src/client/triage.ts';
import type { AskView } from '../../src/core/views.ts';
import { approval, asked, entry, options, question, session } from './asks.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const at = (id: string, more: Partial<AskView> = {}) => approval({ command: id }, { ask_id: id, ...more } as object);
const risky = (risk: 'destructive' | 'network' | 'deadline') => ({ risk: [{ risk, why: 'why' }] });
const snoozed = (until_ms: number) => ({ snoozed: { by: 'lead', surface: 'web' as const, at_ms: NOW - 5, until_ms } });
const sessions = new Map([
  ['ses_1', session('ses_1', { title: 'Build', project_ids: ['shop'] })],
  ['ses_2', session('ses_2', { title: 'Docs', project_ids: [] })],
]);
const shown = (asks: AskView[], sort: Parameters<typeof arranged>[2]['sort'], group = 'none' as never) =>
  arranged(asks.map(entry), sessions, { sort, group }, NOW).map(({ title, entries }) => [
    title,
    entries.map(({ ask }) => ask.ask_id).join(' '),
  ]);

describe('arranged', () => {
  const asks = [
    at('a'),
    at('b', { expires_at_ms: NOW + 2 * 60 * MINUTE, session_id: 'ses_2' }),
    at('c', { ...risky('network'), expires_at_ms: NOW + MINUTE }),
    at('d', risky('destructive')),
    at('e', { ...risky('deadline'), expires_at_ms: NOW + 3 * 60 * MINUTE }),
  ];
  it.each([
    ['oldest', 'a b d e'],
    ['newest', 'e d b a'],
    ['deadline', 'b e a d'],
    ['risk', 'd b e a'],
  ] as const)(
    'puts what expires within two minutes first and says so, and sorts the others by %s: %s',
    (sort, order) => {
      expect(shown(asks, sort)).toEqual([
        ['Expiring', 'c'],
        ['Others', order],
      ]);
    },
  );

  it('groups by project, keeping the order inside and between groups', () => {
    expect(shown(asks, 'risk', 'project' as never)).toEqual([
      ['Expiring', 'c'],
      ['shop', 'd e a'],
      ['No project', 'b'],
    ]);
  });

  it('lists what is snoozed last, and everything is listed', () => {
    expect(shown([at('a', snoozed(NOW + 60 * MINUTE)), at('b')], 'oldest')).toEqual([
      ['', 'b'],
      ['Snoozed', 'a'],
    ]);
  });
});

describe('isAsleep', () => {
  const until = snoozed(NOW + 60 * MINUTE);
  const reply = { comment_id: 'c', role: 'agent' as const, by: 'claude', surface: 'api' as const, text: 'Because.' };
  it.each([
    ['a snooze that goes on', until, true],
    ['one that is over', snoozed(NOW), false],
    ['a deadline in ten minutes', { ...until, expires_at_ms: NOW + 10 * MINUTE }, false],
    ['a deadline in an hour', { ...until, expires_at_ms: NOW + 61 * MINUTE }, true],
    ['a reply of the agent since', { ...until, comments: [{ ...reply, at_ms: NOW }] }, false],
    ['a reply before it', { ...until, comments: [{ ...reply, at_ms: NOW - 10 }] }, true],
    ['an ask that has ended', { ...until, status: 'answered' as const }, false],
  ])('%s', (_, more, expected) => {
    expect(isAsleep(at('a', more), NOW)).toBe(expected);
  });
});

it('finds options, further questions and the contents of files in the inbox', () => {
  const all = [
    question([asked(), asked({ id: 'r', question: 'How?', options: options('Canary') })], { ask_id: 'ask_options' }),
    approval({ file_path: 'a.ts', new_string: 'BigInt(1)' }, { ask_id: 'ask_edit' }),
  ].map(entry);
  const found = (query: string) => filtered(all, sessions, query).map(({ ask }) => ask.ask_id);
  expect(found('canary')).toEqual(['ask_options']);
  expect(found('bigint')).toEqual(['ask_edit']);
  expect(found('-bigint')).toEqual(['ask_options']);
});
