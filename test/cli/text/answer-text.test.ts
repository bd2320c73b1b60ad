// How an ask ended, in one sentence.
import { expect, it } from 'vitest';
import { endText } from '../../../src/cli/text/answer-text.ts';
import { answer } from '../../client/asks.ts';

it.each([
  [{}, 'allowed by mate (cli)'],
  [{ updated_input: { command: 'ls build' } }, 'changed to "ls build" and allowed by mate (cli)'],
  [{ behavior: 'deny', reason: 'too risky' }, 'denied by mate (cli): too risky'],
  [{ behavior: undefined, justification: 'because' }, 'answered by mate (cli): because'],
  [{ outcome: 'declined', behavior: undefined }, 'declined by mate (cli)'],
  [{ answered_by: 'rule: allow reads', surface: 'system' }, 'allowed by rule: allow reads'],
  [
    { outcome: 'expired', answered_by: 'system', surface: 'system', reason: 'expired' },
    'expired before anyone answered',
  ],
  [{ outcome: 'failed', answered_by: 'system', surface: 'system', reason: 'no disk' }, 'ended with its run: no disk'],
  [
    { outcome: 'cancelled', reason: 'withdrawn', justification: 'answered there' },
    'withdrawn by its agent: answered there',
  ],
] as const)('describes the end %j as: %s', (more, text) => expect(endText(answer(more as object))).toBe(text));
