// Decides approvals in batches and reports the result of each: one atomic batch for each run, under its own idempotency
// key, so that a repeat of the whole command repeats nothing. A refused batch does not hold back the others; the exit
// code is that of the first one refused.
import { hash } from 'node:crypto';
import type { ApprovalBatch } from '../client/approval-groups.ts';
import type { Client } from '../client/client.ts';
import type { RunView } from '../core/views.ts';
import type { MutationFlags, WaitFlags } from './command-flags.ts';
import { EXIT } from './exit-codes.ts';
import { reportOf } from './failure.ts';
import { note, print, printJson, terminalWidth } from './output.ts';
import { setExitCode, waitForRun } from './run-wait.ts';
import { once } from './server-connection.ts';
import type { Interruption } from './signals.ts';
import { PAST_TENSE } from './text/answer-text.ts';
import { folderSuffix, summary } from './text/ask-text.ts';
import { crop } from './text/layout.ts';
import { runStatusLines } from './text/run-text.ts';
import { line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

export type Behavior = 'allow' | 'deny';
type BatchResult = ApprovalBatch & ({ run: RunView; error?: undefined } | { run?: undefined; error: unknown });

const MAX_KEY_BYTES = 256;

interface Decision {
  behavior: Behavior;
  batches: readonly ApprovalBatch[];
  flags: WaitFlags;
  /** The person named one ask: its refusal is the command's, and as JSON its run is the whole document. */
  isSingle: boolean;
}

export async function decideBatches(client: Client, decision: Decision, interruption: Interruption): Promise<void> {
  const { behavior, batches, flags, isSingle } = decision;
  const results: BatchResult[] = [];
  for (const batch of batches) {
    interruption.signal.throwIfAborted();
    results.push({ ...batch, ...(await decide(client, batch, flags)) });
    interruption.message = `stopped; decided for ${results.length} of ${batches.length} runs`;
  }
  const refused = results.find((result) => result.error !== undefined);
  if (refused && isSingle) throw refused.error;
  if (!flags.json) for (const result of results) printDecision(behavior, result);
  if (flags.wait)
    for (const result of results)
      if (result.run) {
        result.run = await waitForRun(client, result.run, flags, interruption);
        setExitCode(result.run);
      }
  if (refused) process.exitCode = EXIT[reportOf(refused.error).exit];
  if (flags.json) return printJson(isSingle ? results[0]?.run : results.map((result) => documentOf(behavior, result)));
  for (const { run } of results) if (run) print(...runStatusLines(run));
}

async function decide(client: Client, { runId, resolutions }: ApprovalBatch, flags: MutationFlags) {
  const key = flags.idempotencyKey;
  const keyed = key === undefined ? flags : { ...flags, idempotencyKey: keyOfRun(key, runId) };
  try {
    return { run: await once(keyed, (options) => client.approvals.decideRun(runId, { resolutions }, options)) };
  } catch (error) {
    return { error };
  }
}

/** Deterministic; a key that would be too long is replaced by its hash. */
export function keyOfRun(key: string, runId: string): string {
  const whole = `${key}:${runId}`;
  return Buffer.byteLength(whole) <= MAX_KEY_BYTES ? whole : `${hash('sha256', key, 'hex')}:${runId}`;
}

function printDecision(behavior: Behavior, { runId, asks, resolutions, run, error }: BatchResult): void {
  if (run) {
    const done = span(`${PAST_TENSE[behavior]} `, behavior === 'allow' ? 'good' : 'warn');
    for (const [i, { request, asked_from: from }] of asks.entries()) {
      const folder = span(folderSuffix(request, from?.work_folder), 'dim');
      const input = resolutions[i]?.updated_input;
      const asked = span(input ? `  instead of ${summary(request)}` : '', 'dim');
      print(crop(line(done, summary(input ? { ...request, input } : request), folder, asked), terminalWidth()));
    }
    return;
  }
  const { message, advice, problem } = reportOf(error);
  const isOne = asks.length === 1;
  const none = isOne ? 'not decided' : `none of its ${asks.length} approvals was decided`;
  const which = !isOne && problem?.requestId ? `${problem.requestId} ` : '';
  note(`${runId}: ${none}: ${which}${oneLine(message)}`);
  for (const text of advice) process.stderr.write(`  ${text}\n`);
}

function documentOf(behavior: Behavior, { runId, asks, run, error }: BatchResult) {
  const base = { run_id: runId, request_ids: asks.map((ask) => ask.ask_id), behavior };
  if (run) return { ...base, done: true, run };
  const { exit, message, problem } = reportOf(error);
  const more = problem && { code: problem.code, domain: problem.domain, winner: problem.winner };
  return { ...base, done: false, error: { exit_code: EXIT[exit], message, ...more } };
}
