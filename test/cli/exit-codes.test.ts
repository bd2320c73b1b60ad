// The exit codes that scripts rely on: the table in the documentation is the one in the code, and every refusal of the
// server has the code it should.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXIT, EXIT_MEANINGS, type ExitName, exitOfProblem } from '../../src/cli/exit-codes.ts';
import { Failure, report, told } from '../../src/cli/failure.ts';
import { createProgram, withDefault } from '../../src/cli/program.ts';
import { HoldpointProblem, HoldpointUnreachable } from '../../src/client/http.ts';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { problemOf } from '../../src/server/problem.ts';
import { root } from '../support/process.ts';

const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
const problem = (code: ErrorCode, more: object = {}) => {
  const document = problemOf({ code, detail: 'because' });
  return new HoldpointProblem(document.status, { ...document, ...more });
};

describe('the documentation', () => {
  it('has the table of exit codes that the code has', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \| (.+) \|$/gm)].map(([, code, name, means]) => [
      Number(code),
      name,
      means,
    ]);
    expect(rows).toEqual(Object.entries(EXIT).map(([name, code]) => [code, name, EXIT_MEANINGS[name as ExitName]]));
  });

  it('names every command', async () => {
    const program = await createProgram();
    const table = [...page.matchAll(/^\| `([\w-]+)(?: ([\w·-]+))?/gm)].map(([, name, below]) => [
      name,
      below?.split('·') ?? [],
    ]);
    const below = (command: Command) => command.commands.map((c) => c.name()).sort();
    for (const command of program.commands) {
      const row = table.find(([name]) => name === command.name());
      expect(row, command.name()).toBeDefined();
      if (command.commands.length > 0) expect([...(row?.[1] ?? [])].sort()).toEqual(below(command));
    }
  });
});

describe('a refusal of the server', () => {
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
  ])('%s exits %i', (code, exit) => expect(EXIT[exitOfProblem(problem(code))]).toBe(exit));

  it('of every code in the catalogue has an exit code other than 0 and 8', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[])
      expect([1, 2, 3, 4, 5, 6, 7], code).toContain(EXIT[exitOfProblem(problem(code))]);
  });

  it('because of an approval that expired exits 5 too', () => {
    const winner = { answered_by: 'system', surface: 'system', answered_at_ms: 1, outcome: 'expired' };
    expect(told(problem('approval_state_conflict', { winner }), 61_001)).toMatchObject({
      exit: 'expired',
      message: 'too late: it expired 1m 1s ago',
    });
  });
});

describe('a report', () => {
  const reported = (error: unknown, json: boolean) => {
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    const code = report(error, { json, write });
    return { code, text };
  };

  it('is one line and its advice, without anything that acts on a terminal', () => {
    const failure = new Failure('not_found', 'no \u001b[31msuch\u202e thing\nhere', 'try \u001b]0;x\u0007');
    expect(reported(failure, false)).toEqual({
      code: 3,
      text: 'holdpoint: no such<U+202E> thing here\n  try ␛]0;x␇\n',
    });
    expect(reported(new HoldpointUnreachable('http://x', new Error('gone')), false).code).toBe(7);
    expect(reported(new Error('oops'), false)).toEqual({ code: 1, text: 'holdpoint: oops\n' });
    expect(reported('a string', false)).toEqual({ code: 1, text: 'holdpoint: a string\n' });
  });

  it('is a document with --json', () => {
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
});

describe('without a command', () => {
  it.each([
    [[], ['serve']],
    [
      ['--port', '0'],
      ['serve', '--port', '0'],
    ],
    [['--help'], ['--help']],
    [['-V'], ['-V']],
    [
      ['questions', 'list'],
      ['questions', 'list'],
    ],
    [['serv'], ['serv']],
  ])('%j is %j', (given, run) => expect(withDefault(given)).toEqual(run));
});
