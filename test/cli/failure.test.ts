// Failures as they are reported to a person and to a script.
import { describe, expect, it } from 'vitest';
import { Failure, report, reportOf } from '../../src/cli/failure.ts';
import { HoldpointProblem, HoldpointUnreachable } from '../../src/client/http.ts';
import { timeOfDay } from '../../src/client/times.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { problemOf } from '../../src/server/problem.ts';

const problem = (code: ErrorCode, more: object = {}) => {
  const document = problemOf({ code, detail: 'because' });
  return new HoldpointProblem(document.status, { ...document, ...more });
};

describe('a failure', () => {
  const reported = (error: unknown, json: boolean) => {
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    const code = report(error, { json, write });
    return { code, text };
  };

  it('is reported as one line with its advice, safe for a terminal', () => {
    const failure = new Failure('not_found', 'no \u001b[31msuch\u202e thing\nhere', 'try \u001b]0;x\u0007');
    expect(reported(failure, false)).toEqual({
      code: 3,
      text: 'holdpoint: no such<U+202E> thing here\n  try ␛]0;x␇\n',
    });
    expect(reported(new HoldpointUnreachable('http://x', new Error('gone')), false).code).toBe(7);
    expect(reported(new Error('oops'), false)).toEqual({ code: 1, text: 'holdpoint: oops\n' });
    expect(reported('a string', false)).toEqual({ code: 1, text: 'holdpoint: a string\n' });
  });

  it('is reported as a JSON document with --json', () => {
    const { code, text } = reported(problem('ask_not_found'), true);
    expect(code).toBe(3);
    expect(JSON.parse(text)).toEqual({
      error: {
        exit_code: 3,
        exit: 'not_found',
        message: 'because',
        code: 'ask_not_found',
        domain: 'asks',
        status: 404,
      },
    });
  });

  it('of an ask that its agent was lost with says why, and where it is asked now', () => {
    const ended = { answered_by: 'worker', surface: 'api', answered_at_ms: 1, outcome: 'cancelled' };
    const winner = { ...ended, undelivered: 'restarted; the terminal goes on asking' };
    expect(reportOf(problem('approval_state_conflict', { winner }), 2001)).toMatchObject({
      message: 'too late: cancelled by worker (api) 2s ago: restarted; the terminal goes on asking',
    });
  });

  it('of an approval that has expired says when', () => {
    const winner = { answered_by: 'system', surface: 'system', answered_at_ms: 1, outcome: 'expired' };
    expect(reportOf(problem('approval_state_conflict', { winner }), 61_001)).toMatchObject({
      exit: 'expired',
      message: `too late: it expired at ${timeOfDay(1)}, 1m 1s ago`,
    });
  });
});
