// Looks up records by id for every verb, and refuses with the catalogue's code where one does not exist or is of another
// kind. Takes no lock and changes nothing; ledger.ts opens a session for writing.
import type { ApprovalAsk, Ask, QuestionAsk } from '../core/ask.ts';
import { type ErrorCode, fail } from '../core/errors.ts';
import type { MaybePromise, Reader } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import { type Session, sessionIdOfThread } from '../core/session.ts';

export const sessionRecord = (r: Reader, id: string) =>
  must(r.get('session', id), 'session_not_found', `session "${id}"`);
export const runRecord = (r: Reader, id: string) => must(r.get('run', id), 'run_not_found', `run "${id}"`);
export const askRecord = (r: Reader, id: string) => must(r.get('ask', id), 'ask_not_found', `ask "${id}"`);

async function must<T>(value: MaybePromise<T | undefined>, code: ErrorCode, what: string): Promise<T> {
  const found = await value;
  if (found === undefined) throw fail(code, `There is no ${what}.`);
  return found;
}

export async function sessionOfThread(r: Reader, threadId: string): Promise<string> {
  const id = sessionIdOfThread(threadId);
  const session = id === undefined ? undefined : await r.get('session', id);
  if (!session) throw fail('thread_not_found', `There is no thread "${threadId}".`);
  return session.id;
}

export const activeRun = (r: Reader, { activeRunId }: Session): MaybePromise<Run | undefined> =>
  activeRunId === undefined ? undefined : r.get('run', activeRunId);

/** The run that raised the ask. */
export async function runOfAsk(r: Reader, ask: Ask): Promise<Run> {
  const run = await r.get('run', ask.runId);
  if (!run) throw fail('run_not_found', `The run of ${ask.id} is gone.`);
  return run;
}

/** The run that raised the request, if it belongs to this session; else the run that has the slot. */
export async function runOfRequest(r: Reader, session: Session, requestId: string): Promise<Run | undefined> {
  const ask = await r.get('ask', requestId);
  const runId = ask?.sessionId === session.id ? ask.runId : session.activeRunId;
  return runId === undefined ? undefined : r.get('run', runId);
}

export async function questionOf(r: Reader, run: Run, requestId: string): Promise<QuestionAsk> {
  const ask = await r.get('ask', requestId);
  if (ask?.runId === run.id) {
    if (ask.kind === 'question') return ask;
    throw fail('question_state_conflict', `${requestId} is an approval; use the approvals endpoints.`);
  }
  const open = await pendingIds(r, run, 'question');
  if (open.length === 0)
    throw fail('question_state_conflict', `This run waits for no answer to a question; its status is ${run.status}.`);
  throw fail('question_request_mismatch', `"${requestId}" is not pending on this run. Pending: ${open.join(', ')}.`);
}

export async function approvalOf(r: Reader, run: Run, requestId: string): Promise<ApprovalAsk> {
  const ask = await r.get('ask', requestId);
  if (ask?.runId === run.id) {
    if (ask.kind === 'approval') return ask;
    throw fail('approval_state_conflict', `"${requestId}" is a question; use the questions endpoints.`);
  }
  const open = (await pendingIds(r, run, 'approval')).join(', ') || 'none';
  throw fail('approval_request_not_pending', `"${requestId}" was never raised by run ${run.id}. Pending: ${open}.`);
}

const pendingIds = async (r: Reader, run: Run, kind: Ask['kind']): Promise<string[]> =>
  (await r.pendingHeads(run.id)).filter((ask) => ask.kind === kind).map(({ id }) => id);
