// What became of each batch of approvals: one report for each run, as text or JSON, and the exit code of the first that
// was refused.
import type { BatchResult } from './approval-batches.ts';
import { EXIT } from './exit-codes.ts';
import { told } from './failure.ts';
import { print, printJson, terminalWidth } from './output.ts';
import { setExitOf } from './run-wait.ts';
import { placeText, summary } from './text/ask-text.ts';
import { crop } from './text/layout.ts';
import { runStatusLines } from './text/run-text.ts';
import { line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

const DONE = { allow: 'allowed', deny: 'denied' } as const;

export function reportBatches(
  behavior: 'allow' | 'deny',
  results: readonly BatchResult[],
  flags: { json?: boolean; wait?: boolean },
): void {
  if (flags.json) printJson(results.map((result) => document(behavior, result)));
  else for (const result of results) printResult(behavior, result);
  for (const { run } of results) if (run && flags.wait) setExitOf(run);
  const refused = results.find((result) => result.error !== undefined);
  if (refused) process.exitCode = EXIT[told(refused.error).exit];
}

function document(behavior: 'allow' | 'deny', { runId, asks, run, error }: BatchResult) {
  const base = { run_id: runId, request_ids: asks.map((ask) => ask.ask_id), behavior };
  if (run) return { ...base, done: true, run };
  const { exit, message, problem } = told(error);
  const more = problem && { code: problem.code, domain: problem.domain, winner: problem.winner };
  return { ...base, done: false, error: { exit_code: EXIT[exit], message, ...more } };
}

function printResult(behavior: 'allow' | 'deny', { runId, asks, run, error }: BatchResult): void {
  if (run) {
    const done = span(`${DONE[behavior]} `, behavior === 'allow' ? 'good' : 'warn');
    for (const { request, asked_from: from } of asks) {
      const place = span(placeText(request, from?.work_folder), 'dim');
      print(crop(line(done, summary(request), place), terminalWidth()));
    }
    print(...runStatusLines(run));
    return;
  }
  const { message, advice } = told(error);
  const many = asks.length > 1 ? `none of its ${asks.length} was decided` : 'not decided';
  process.stderr.write(`holdpoint: ${runId}: ${many}: ${oneLine(message)}\n`);
  for (const text of advice) process.stderr.write(`  ${text}\n`);
}
