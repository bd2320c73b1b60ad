// Tests what a card says about earlier decisions, deliveries and people who have seen an ask.
import { expect, it } from 'vitest';
import { earlierSentence, seenByOthers } from '../../../web/src/text/answer-text.ts';
import { approval } from '../../client/asks.ts';

it('says what was decided before the worker was lost, and asks to decide again', () => {
  const before = { ask_id: 'ask_1', behavior: 'deny', answered_by: 'mate\u202e', answered_at_ms: 1 } as const;
  const sentence = 'Before its worker was lost, mateU+202E denied this. Decide again.';
  expect(earlierSentence(before)).toBe(sentence);
  expect(earlierSentence({ ...before, reason: 'approval denied' })).toBe(sentence);
  expect(earlierSentence({ ...before, behavior: 'allow', reason: 'once' })).toContain('allowed this (once).');
});

it('names each other person who has seen an ask once, with the first time', () => {
  const by = (name: string, at_ms: number, surface: 'web' | 'cli' = 'web') => ({ by: name, surface, at_ms });
  const ask = approval();
  const seen = { ...ask, seen_by: [by('lead', 1), by('mate', 2), by('mate', 3, 'cli')] };
  expect(seenByOthers(seen, 'lead')).toEqual([by('mate', 2)]);
  expect(seenByOthers(ask, 'lead')).toEqual([]);
});
