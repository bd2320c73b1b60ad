// A request whose ask ended without an answer is declined, unless its run is over: then the agent gets no reply at all.
import { expect, it } from 'vitest';
import { ended, endOf, isAnswer, reportDeclined } from '../../../src/agents/kit/unanswered.ts';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AskOutcome } from '../../../src/client/outcome.ts';

const expired = { status: 'expired', ask_id: 'ask_1', reason: 'nobody was there' } as AskOutcome;
const refusedWith = (code: string) => ({ output: () => Promise.reject(problem(code)) });
const problem = (code: string) => new HoldpointProblem(409, { code, detail: code });

it('is declined, and the run says why', async () => {
  const said: (string | undefined)[] = [];
  const context = { output: async (text: string | undefined) => void said.push(text) };
  expect(await reportDeclined(context, 'Toy', expired)).toBe(true);
  expect(said).toEqual([
    'What Toy had asked was declined, because it ended without an answer (expired: nobody was there).',
  ]);
});

it.each([
  ['run_state_conflict', false],
  ['lease_lost', false],
  ['rate_limited', true],
])('where the output is refused with %s: declined %s', async (code, isDeclined) => {
  expect(await reportDeclined(refusedWith(code), 'Toy', expired)).toBe(isDeclined);
});

it('is not declined where the server cannot be reached', async () => {
  const context = { output: () => Promise.reject(new Error('ECONNREFUSED')) };
  expect(await reportDeclined(context, 'Toy', expired)).toBe(false);
});

it('is no answer, and names its end once', () => {
  expect(isAnswer(expired)).toBe(false);
  expect(endOf({ ...expired, reason: 'expired' } as AskOutcome)).toBe('it ended without an answer (expired)');
  expect(() => ended({ status: 'held' } as never)).toThrow('a blocking ask was held');
});
