// Asks for a shell script: raises one ask, waits for its end, and turns the end into output and an exit code. Only an answer
// or an allow exits with 0. The same command again joins an ask that was never delivered and whose command has ended; while
// that one still waits, it asks separately. A delivered answer is never printed twice, unless the script names the ask.
import { basename, join } from 'node:path';
import { type Holdpoint, connect as open, type RaiseSpec } from '../client/holdpoint.ts';
import { HoldpointUnreachable } from '../client/http.ts';
import { serverUrl, stateFolder } from '../client/local.ts';
import { type ApprovalOutcome, type AskOutcome, type Ended, hasEnded, questionOutcome } from '../client/outcome.ts';
import type { Outcome } from '../client/read-outcome.ts';
import type { AskView } from '../core/views.ts';
import type { ServerFlags } from './command-flags.ts';
import { wholeNumber } from './command-flags.ts';
import { EXIT, type ExitName } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { type SessionRecord, takeRecord } from './mcp-session-record.ts';
import { limitFields, note, printJson } from './output.ts';
import { addressOf, probe, tokenOf } from './server-connection.ts';
import { interruptible } from './signals.ts';
import { oneLine } from './text/terminal-text.ts';

export interface ShellAskFlags extends ServerFlags {
  id?: string;
  title?: string;
  expiresAfterMs?: string;
  waitMs?: string;
}

/** Without what says who asks and from where. */
export type ShellSpec = RaiseSpec extends infer S
  ? S extends unknown
    ? Omit<S, 'id' | 'title' | 'work_folder'>
    : never
  : never;

/** Every field that --fields may name; an outcome has those that its end gives it. */
type FieldsOf<T> = (T extends unknown ? keyof T : never) | 'kind';
const COMMON = {
  kind: 1,
  ask_id: 1,
  status: 1,
  answered_by: 1,
  surface: 1,
  answered_at_ms: 1,
  justification: 1,
  reason: 1,
} as const;
const QUESTION = { ...COMMON, answer: 1, answers: 1, skipped: 1 } satisfies Record<FieldsOf<AskOutcome>, 1>;
const APPROVAL = { ...COMMON, allowed: 1, input: 1, edited: 1, suggestion_ids: 1 } satisfies Record<
  FieldsOf<ApprovalOutcome>,
  1
>;

const LONG_POLL_MS = 30_000;
const STAYS = 'The request stays open: the same command again takes its answer.';
/** While the server may already have it, and this command does not know. */
const MAY_STAY = 'If the request was already sent, it stays open: the same command again takes its answer.';

/** `print` writes what a script reads of an outcome that lets it continue. */
export function askFromShell(flags: ShellAskFlags, spec: ShellSpec, print: (outcome: Outcome) => void): Promise<void> {
  const expires_after_ms = wholeNumber('--expires-after-ms', flags.expiresAfterMs);
  const waitMs = wholeNumber('--wait-ms', flags.waitMs);
  // Until a person has answered or allowed, no way to leave this process is a yes: not even a closed standard output.
  process.exitCode = EXIT.unexpected;
  limitFields(Object.keys('tool_name' in spec ? APPROVAL : QUESTION));
  return interruptible('nothing was asked', async (interruption) => {
    const url = addressOf(flags.url ?? serverUrl(process.env));
    await interruption.or(probe(url));
    const holdpoint = open({ url, token: tokenOf(flags, process.env), surface: 'cli' });
    const folder = process.cwd();
    const whole = {
      ...spec,
      expires_after_ms,
      title: flags.title ?? basename(folder),
      work_folder: folder,
    } as RaiseSpec;
    interruption.message = MAY_STAY;
    const { ask, record } = await interruption.or(
      raise(holdpoint, whole, flags.id, [url, folder, JSON.stringify(spec)]),
    );
    interruption.message = STAYS;
    const ended = await interruption.or(endOf(holdpoint, ask, waitMs, interruption.signal)).catch((error) => {
      throw error instanceof HoldpointUnreachable ? new Failure('unreachable', error.message, STAYS) : error;
    });
    // A plain answer is printed before it is acknowledged, so that no kill in between can lose it.
    const isPlain = ended.kind === 'question' && !ended.request.questions.some(({ secret }) => secret);
    if (isPlain) report({ kind: 'question', ...questionOutcome(ended) }, flags, print);
    const outcome = await holdpoint.outcomeOf(ask.ask_id);
    if (outcome.status === 'pending') throw new Error(`${ask.ask_id} has an end and no outcome`);
    record?.drop();
    if (!isPlain) report(outcome, flags, print);
    conclude(outcome, flags);
  });
}

interface RaisedAsk {
  ask: AskView;
  record: SessionRecord | undefined;
}

/** Under the id of an earlier command with the same words that ended before it had the answer; else under a new one. */
async function raise(holdpoint: Holdpoint, spec: RaiseSpec, id: string | undefined, of: string[]): Promise<RaisedAsk> {
  const under = async (own: string) => {
    const { ask_id } = await holdpoint.raise({ ...spec, id: own });
    return holdpoint.api.asks.get(ask_id);
  };
  if (id !== undefined) return { ask: await under(id), record: undefined };
  const record = recordFor(of);
  const earlier = record?.sessionId === undefined ? undefined : await under(record.sessionId);
  if (earlier && earlier.delivery.state !== 'delivered') return { ask: earlier, record };
  const fresh = `shell_${crypto.randomUUID()}`;
  record?.keep(fresh);
  return { ask: await under(fresh), record };
}

function recordFor(of: readonly string[]): SessionRecord | undefined {
  try {
    return takeRecord(join(stateFolder(process.env), 'shell'), of);
  } catch (error) {
    note(`If this command is interrupted, its request cannot be found again: ${(error as Error).message}`);
    return undefined;
  }
}

async function endOf(
  { api }: Holdpoint,
  ask: AskView,
  waitMs: number | undefined,
  signal: AbortSignal,
): Promise<Ended> {
  const until = waitMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waitMs;
  for (let now: AskView = ask; ; ) {
    if (hasEnded(now)) return now;
    const left = until - Date.now();
    if (left <= 0) throw new Failure('away', `nobody has answered ${ask.ask_id} yet`, STAYS);
    now = await api.asks.wait(ask.ask_id, Math.min(LONG_POLL_MS, left), signal);
  }
}

function report(outcome: Outcome, { json }: ShellAskFlags, print: (outcome: Outcome) => void): void {
  if (json) printJson(outcome);
  else if (exitOf(outcome) === 'done') print(outcome);
}

/** Sets the exit code; throws for whatever is no answer and no allow. */
function conclude(outcome: Outcome, { json }: ShellAskFlags): void {
  const exit = exitOf(outcome);
  process.exitCode = EXIT[exit];
  if (exit === 'done') return;
  const { answered_by: by, reason } = outcome as { answered_by: string; reason: string };
  if (json) return;
  const how = exit === 'denied' ? `${outcome.kind === 'approval' ? 'denied' : 'declined'} by ${by}` : outcome.status;
  throw new Failure(exit, oneLine(reason && reason !== outcome.status ? `${how}: ${reason}` : how));
}

function exitOf(outcome: Outcome): ExitName {
  const isGiven = outcome.kind === 'approval' ? outcome.allowed : outcome.status === 'answered';
  if (isGiven) return 'done';
  if (outcome.status === 'answered' || outcome.status === 'declined') return 'denied';
  return outcome.status === 'expired' ? 'expired' : 'unfinished';
}
