// Tests the words for an ask and for how it ended.
import { describe, expect, it } from 'vitest';
import {
  earlierSentence,
  endSentence,
  heading,
  reasonOf,
  seenByOthers,
  summary,
  undeliverableSentence,
} from '../../../web/src/text/ask-text.ts';
import { answer, approval, asked, question } from '../../client/asks.ts';

describe('the summary of an ask', () => {
  it('has hidden characters spelled out', () => {
    expect(summary(approval({ command: 'ls \u202e\u200b' }).request)).toBe('ls U+202EU+200B');
    expect(heading(question([asked({ header: 'Tar\u200bget' })]).request)).toBe('TarU+200Bget');
  });
});

describe('the sentence for the end of an ask', () => {
  it('names the decision, the person and the surface', () => {
    expect(endSentence(answer({ behavior: 'deny' }))).toBe('Denied by mate from the command line');
    expect(endSentence(answer({ surface: 'system' }))).toBe('Allowed by mate');
    expect(endSentence(answer({ surface: 'opencode' }))).toBe('Allowed by mate from opencode');
    expect(endSentence(answer({ outcome: 'expired' }))).toBe('Expired');
  });

  it('of an ask that its agent withdrew gives the reason of the agent, which is no reason of a person', () => {
    const withdrawn = { outcome: 'cancelled', reason: 'withdrawn', justification: 'settled at the terminal' } as const;
    expect(endSentence(answer(withdrawn))).toBe('Withdrawn by its agent: settled at the terminal');
    expect(reasonOf(answer(withdrawn))).toBeUndefined();
  });

  it('of a denial is not changed by a person who writes “withdrawn” as the reason', () => {
    const written = answer({ behavior: 'deny', reason: 'withdrawn' });
    expect(endSentence(written)).toBe('Denied by mate from the command line');
    expect(reasonOf(written)).toBe('withdrawn');
  });
});

it('says what was decided before the worker was lost, and asks to decide again', () => {
  const before = { ask_id: 'ask_1', behavior: 'deny', answered_by: 'mate\u202e', answered_at_ms: 1 } as const;
  const sentence = 'Before its worker was lost, mateU+202E denied this. Decide again.';
  expect(earlierSentence(before)).toBe(sentence);
  expect(earlierSentence({ ...before, reason: 'approval denied' })).toBe(sentence);
  expect(earlierSentence({ ...before, behavior: 'allow', reason: 'once' })).toContain('allowed this (once).');
});

it('says why an answer could not be delivered', () => {
  expect(undeliverableSentence('Codex was not\nseen to do it')).toBe(
    'the agent did not take it: Codex was not seen to do it',
  );
  expect(undeliverableSentence(undefined)).toBe('the agent can no longer take it');
});

it('names each other person who has seen an ask once, with the first time', () => {
  const by = (name: string, at_ms: number, surface: 'web' | 'cli' = 'web') => ({ by: name, surface, at_ms });
  const ask = approval();
  const seen = { ...ask, seen_by: [by('lead', 1), by('mate', 2), by('mate', 3, 'cli')] };
  expect(seenByOthers(seen, 'lead')).toEqual([by('mate', 2)]);
  expect(seenByOthers(ask, 'lead')).toEqual([]);
});
