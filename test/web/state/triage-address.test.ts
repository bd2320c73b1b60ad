// How a view of the inbox is written as an address, when a snooze ends, and what the palette finds.
// Covers: web/src/state/snooze.ts, web/src/state/palette.ts
import { expect, it } from 'vitest';
import { foundIn, PALETTE_COMMANDS } from '../../../web/src/state/palette.ts';
import { snoozeChoices } from '../../../web/src/state/snooze.ts';
import { triageOf, triageSearch } from '../../../web/src/state/triage-address.ts';

it('writes a view into the address and reads it back; nonsense is the default view', () => {
  const view = { q: 'agent:x -"a b"', sort: 'risk', group: 'project' } as const;
  expect(triageOf(triageSearch(view))).toEqual(view);
  expect(triageOf('?sort=nonsense&group=<b>')).toEqual({ q: '', sort: 'oldest', group: 'none' });
  expect(triageSearch({ q: ' ', sort: 'oldest', group: 'none' })).toBe('');
});

it('offers snoozes that end in the future, within 31 days', () => {
  for (let hour = 0; hour < 7 * 24; hour++) {
    const now = new Date(2026, 10, 16, hour, 30);
    for (const [, until] of snoozeChoices(now)) {
      expect(until).toBeGreaterThan(now.getTime());
      expect(until - now.getTime()).toBeLessThan(31 * 86_400_000);
    }
  }
});

it('finds commands by parts of their words, those that begin with it first', () => {
  expect(foundIn('SNOO', PALETTE_COMMANDS).map(({ command }) => command)).toEqual(['snooze']);
  expect(foundIn('sel req', PALETTE_COMMANDS).map(({ command }) => command)).toEqual(['mark']);
  expect(foundIn('s', PALETTE_COMMANDS)[0]?.label).toMatch(/^S/);
  expect(foundIn('no such command', PALETTE_COMMANDS)).toEqual([]);
});
