// The exit codes that scripts rely on: documented as they are, and one for every refusal of the server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT, EXIT_MEANINGS, type ExitName, exitOfProblem } from '../../src/cli/exit-codes.ts';
import { HoldpointProblem } from '../../src/client/http.ts';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { problemOf } from '../../src/server/problem.ts';
import { root } from '../support/process.ts';

const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
const problem = (code: ErrorCode) => {
  const document = problemOf({ code, detail: 'because' });
  return new HoldpointProblem(document.status, document);
};

it('documents the exit codes as they are', () => {
  const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \| (.+) \|$/gm)].map(([, code, name, means]) => [
    Number(code),
    name,
    means,
  ]);
  expect(rows).toEqual(Object.entries(EXIT).map(([name, code]) => [code, name, EXIT_MEANINGS[name as ExitName]]));
});

describe('the exit code of a refusal', () => {
  it.each<[ErrorCode, number]>([
    ['question_expired', 5],
    ['question_state_conflict', 4],
    ['question_resolution_conflict', 4],
    ['approval_state_conflict', 4],
    ['idempotency_conflict', 4],
    ['session_ended', 4],
    ['ask_not_found', 3],
    ['session_not_found', 3],
    ['question_request_mismatch', 3],
    ['approval_request_not_pending', 3],
    ['question_option_not_found', 2],
    ['question_answer_missing', 2],
    ['invalid_request', 2],
    ['body_too_large', 2],
    ['unauthenticated', 6],
    ['scope_forbidden', 6],
    ['rate_limited', 6],
    ['shutting_down', 7],
    ['store_unavailable', 7],
    ['internal', 1],
  ])('for %s is %i', (code, exit) => expect(EXIT[exitOfProblem(problem(code))]).toBe(exit));

  it('is neither 0 nor 8 for any code in the catalogue', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[])
      expect([1, 2, 3, 4, 5, 6, 7], code).toContain(EXIT[exitOfProblem(problem(code))]);
  });
});
