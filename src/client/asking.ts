// Raises one ask for an agent, waits for its end, acknowledges the answer and returns the outcome. The SDK and the worker
// both ask through here. An allow counts only after the server has accepted the digest of what is about to run.
import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { NamedFile } from '../core/ask.ts';
import type { RaiseApproval, RaiseQuestion } from '../core/bodies.ts';
import { approvalDigest } from '../core/digest.ts';
import type { ApprovalAskView, AskView, AskViewOf, EventView } from '../core/views.ts';
import type { Calls } from './client.ts';
import { type CommentHandler, type CommentReader, createCommentReader } from './comment-reader.ts';
import { HoldpointProblem } from './http.ts';
import {
  type ApprovalOutcome,
  type AskOutcome,
  approvalOutcome,
  type Ended,
  type Held,
  hasEnded,
  questionOutcome,
  refused,
} from './outcome.ts';
import { projectRulesIn } from './project-rules.ts';
import type { Waits } from './waits.ts';

export type QuestionBody = z.input<typeof RaiseQuestion>;
export type ApprovalBody = z.input<typeof RaiseApproval>;

export interface Asking {
  calls: Pick<Calls, 'asks'>;
  waits: Waits;
  runId: string;
  workFolder: string | undefined;
  signal?: AbortSignal | undefined;
  /** Hashes the files that an approval names as they are now. Without it they are not checked. */
  filesNow?: ((named: readonly NamedFile[]) => Promise<NamedFile[]>) | undefined;
  /** Reads an ask with its secret answers, where the caller's own token may not. */
  reveal?: ((ask: AskView) => Promise<AskView>) | undefined;
}

export interface AskOptions {
  /**
   * `later`: the caller acknowledges, once the answer has reached the agent. `sent`: so too, and the server is told first
   * that it is on its way; an end without an answer is sent nowhere and acknowledged now.
   */
  acknowledge?: 'now' | 'later' | 'sent' | undefined;
  /** Aborts the wait and leaves the ask open: the caller cannot take the answer any more, another process may. */
  signal?: AbortSignal | undefined;
  /** How long to wait for an ask that can be held without a process; then it is `held`. Without it, not at all. */
  patience?: AbortSignal | undefined;
  /** Judges the ask as it was stored, or found under its id. If it throws, the ask is not waited for. */
  check?: ((ask: AskView) => void) | undefined;
  /** Reads the ask that was raised before, instead of raising it. */
  stored?: (() => Promise<AskView>) | undefined;
  /** The agent reads comments of people while it waits, and this replies to one. Without it they are told that it cannot. */
  onComment?: CommentHandler | undefined;
  /** Called when the ask is stored, before its end is waited for. */
  raised?: ((askId: string) => void) | undefined;
}

type Ask<Body, Outcome> = (asking: Asking, body: Body, options?: AskOptions) => Promise<Outcome | Held>;

export const askQuestion: Ask<QuestionBody, AskOutcome> = async (asking, body, options) => {
  const ask = await endOf(asking, body, options);
  if (!hasEnded(ask)) return { status: 'held', ask_id: ask.ask_id };
  const whole = await revealed(asking, ask);
  if (options?.acknowledge !== 'later') await acknowledge(asking, ask, options);
  return questionOutcome(whole);
};

export const askApproval: Ask<ApprovalBody, ApprovalOutcome> = async (asking, body, options) => {
  const ask = await endOf(asking, await withProjectRules(body, asking.workFolder), options);
  if (!hasEnded(ask)) return { status: 'held', ask_id: ask.ask_id };
  const outcome = approvalOutcome(ask, body.input);
  if (options?.acknowledge === 'later') return outcome;
  try {
    const digest = outcome.allowed ? await digestToRun(asking, body, ask, outcome.input) : undefined;
    await acknowledge(asking, ask, options, digest);
  } catch (error) {
    if (!(error instanceof HoldpointProblem) || error.code !== 'ask_digest_mismatch') throw error;
    return refused(ask, body.input, error.detail);
  }
  return outcome;
};

/** With the rules of the folder in which it would run. */
export async function withProjectRules(body: ApprovalBody, workFolder: string | undefined): Promise<ApprovalBody> {
  const project_rules = await projectRulesIn(workFolder ?? body.work_folder);
  return project_rules ? { ...body, project_rules } : body;
}

/** What is about to run, digested from what the caller holds, not from what the server says about it. */
async function digestToRun(
  { workFolder, filesNow }: Asking,
  { work_folder }: ApprovalBody,
  { request }: ApprovalAskView,
  input: Record<string, unknown>,
): Promise<string> {
  const plain = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
  const { tool_name, files: shown } = request;
  const files = shown && filesNow ? await filesNow(shown) : shown;
  const action = { tool_name, input: plain, work_folder, files, reason: '', scope: '' };
  return approvalDigest(action, workFolder, (text) => hash('sha256', text, 'hex'));
}

async function acknowledge({ calls }: Asking, ask: Ended, options?: AskOptions, digest?: string): Promise<void> {
  const isOnItsWay = options?.acknowledge === 'sent' && (ask.status === 'answered' || ask.status === 'declined');
  await calls.asks[isOnItsWay ? 'sent' : 'delivered'](ask.ask_id, digest === undefined ? {} : { digest });
}

/** The ask at its end; or still open, where the agent does not wait for it in this process. */
async function endOf<B extends QuestionBody | ApprovalBody>(
  asking: Asking,
  body: B,
  options?: AskOptions,
): Promise<AskViewOf<B['kind']>> {
  const { calls, waits, runId } = asking;
  const signals = [asking.signal, options?.signal].filter((signal) => signal !== undefined);
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  const raising = waits.raising(runId);
  let end: Promise<AskViewOf<B['kind']>>;
  let comments: CommentReader | undefined;
  try {
    const stored = (await options?.stored?.()) as AskViewOf<B['kind']> | undefined;
    const raised = options?.onComment ? { ...body, takes_comments: true } : body;
    const ask = stored ?? (await calls.asks.raise(runId, raised, { signal }));
    comments = options?.onComment && createCommentReader(calls, ask.ask_id, options.onComment);
    if (!hasEnded(ask)) comments?.take(ask.comments);
    options?.check?.(ask);
    options?.raised?.(ask.ask_id);
    if (hasEnded(ask)) return ask;
    if (ask.mode !== 'blocking') {
      const { patience } = options ?? {};
      if (!patience || patience.aborted) return ask;
      const either = signal ? AbortSignal.any([signal, patience]) : patience;
      end = waits.until(waitFor(calls, ask, either, comments), raising).catch((error: unknown) => {
        if (signal?.aborted || !patience.aborted) throw error;
        return ask;
      });
    } else end = waits.until(waitFor(calls, ask, signal, comments), raising);
  } finally {
    raising.done();
  }
  try {
    const ended = await end;
    signal?.throwIfAborted();
    return ended;
  } finally {
    comments?.close();
  }
}

function waitFor<V extends AskView>(
  calls: Asking['calls'],
  ask: V,
  signal: AbortSignal | undefined,
  comments: CommentReader | undefined,
) {
  return {
    askId: ask.ask_id,
    signal,
    look: async (patienceMs: number, stop: AbortSignal): Promise<V | undefined> => {
      const seen = await calls.asks.wait(ask.ask_id, patienceMs, stop, comments?.read());
      const { status, answer, delivery } = seen;
      comments?.take(seen.comments);
      return answer && { ...ask, status, answer, delivery };
    },
    read: (event: EventView): V | undefined => {
      const answer = event.data.answer as AskView['answer'];
      if (event.type !== 'ask.claimed' || answer === undefined) return undefined;
      return { ...ask, status: answer.outcome, answer, delivery: { state: 'due', attempts: 0 } };
    },
  };
}

/** Secret answers travel in no event: they are fetched by the side that asked, once. */
async function revealed<V extends Ended>({ calls, reveal }: Asking, ask: V): Promise<V> {
  const isMissing = (a: { secret?: boolean | undefined; freeform_answer?: string | undefined }) =>
    a.secret === true && a.freeform_answer === undefined;
  if (!ask.answer.answers?.some(isMissing)) return ask;
  const { answer } = await (reveal ? reveal(ask) : calls.asks.get(ask.ask_id));
  return answer ? { ...ask, answer } : ask;
}
