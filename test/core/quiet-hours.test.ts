// Quiet hours: an instant inside them becomes their end, in the person's own time zone.
import { describe, expect, it } from 'vitest';
import { afterQuietHours, QuietHours } from '../../src/core/quiet-hours.ts';

const at = (text: string): number => Date.parse(text);
const NIGHT = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };

describe('quiet hours', () => {
  it('delay what falls into them to their end, over midnight too', () => {
    expect(afterQuietHours(at('2026-11-18T20:30:00Z'), NIGHT)).toBe(at('2026-11-18T20:30:00Z'));
    expect(afterQuietHours(at('2026-11-18T21:00:00Z'), NIGHT)).toBe(at('2026-11-19T06:00:00Z'));
    expect(afterQuietHours(at('2026-11-19T05:59:59Z'), NIGHT)).toBe(at('2026-11-19T06:00:00Z'));
    expect(afterQuietHours(at('2026-11-19T06:00:00Z'), NIGHT)).toBe(at('2026-11-19T06:00:00Z'));
    expect(afterQuietHours(5, undefined)).toBe(5);
  });

  it('end when the clock says so, also where clocks change in between', () => {
    // In Berlin at 03:00 back on 25 October 2026, at 02:00 forward on 28 March 2027.
    expect(afterQuietHours(at('2026-10-24T21:00:00Z'), NIGHT)).toBe(at('2026-10-25T06:00:00Z'));
    expect(afterQuietHours(at('2027-03-27T21:30:00Z'), NIGHT)).toBe(at('2027-03-28T05:00:00Z'));
    // By half an hour, on Lord Howe Island.
    const island = { ...NIGHT, time_zone: 'Australia/Lord_Howe' };
    expect(afterQuietHours(at('2026-10-03T12:30:00Z'), island)).toBe(at('2026-10-03T20:00:00Z'));
  });

  it('end late rather than early where no clock shows their end', () => {
    const skipped = { ...NIGHT, to: '02:30' };
    expect(afterQuietHours(at('2027-03-27T21:30:00Z'), skipped)).toBe(at('2027-03-28T01:30:00Z'));
  });

  it.each([
    { from: '24:00', to: '07:00', time_zone: 'UTC' },
    { from: '22:00', to: '22:00', time_zone: 'UTC' },
    { from: '22:00', to: '07:00', time_zone: 'Mars/Olympus' },
  ])('refuse $from to $to in $time_zone', (hours) => {
    expect(QuietHours.safeParse(hours).success).toBe(false);
  });
});
