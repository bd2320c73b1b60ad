// Tests what the page says where a decision was refused because the request had ended before.
import { expect, it } from 'vitest';
import { lateSentence } from '../../../web/src/state/refusal.ts';

const at = { answered_at_ms: Date.parse('2026-11-18T12:00:00Z'), surface: 'web', answered_by: 'mate' } as const;

it('names the person who answered first, and when, without an age that would grow old', () => {
  const text = lateSentence({ ...at, outcome: 'answered', behavior: 'deny' });
  expect(text).toMatch(
    /^Denied by mate from the web inbox at \d.*\. You were second, so your decision was not applied\.$/,
  );
  expect(text).not.toContain('ago');
});

it('says that a decision came too late where the request expired, and not that nobody decided', () => {
  const text = lateSentence({ ...at, outcome: 'expired', surface: 'system', answered_by: 'system' });
  expect(text).toMatch(/^Expired at \d.*\. Your decision came too late and was not applied\.$/);
});

it('calls nobody first where the agent withdrew the request', () => {
  const withdrawn = { outcome: 'cancelled', reason: 'withdrawn', surface: 'system', answered_by: 'system' } as const;
  expect(lateSentence({ ...at, ...withdrawn })).toMatch(/^Withdrawn by its agent: .*Your decision came too late/);
});
