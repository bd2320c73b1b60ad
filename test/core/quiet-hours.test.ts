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

  it('are never shorter than the person said when the clocks change', () => {
    // On 25 October 2026 the clocks go back at 03:00.
    expect(afterQuietHours(at('2026-10-24T21:00:00Z'), NIGHT)).toBe(at('2026-10-25T06:00:00Z'));
  });

  it.each([
    { from: '24:00', to: '07:00', time_zone: 'UTC' },
    { from: '22:00', to: '22:00', time_zone: 'UTC' },
    { from: '22:00', to: '07:00', time_zone: 'Mars/Olympus' },
  ])('refuse $from to $to in $time_zone', (hours) => {
    expect(QuietHours.safeParse(hours).success).toBe(false);
  });
});
