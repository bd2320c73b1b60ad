// Finds the ask that a repeated call means, or raises it. Clients without call ids repeat a call as a new one: the call id is
// made from what is asked, so that servers which receive a call and its repeat at the same moment raise one ask.
import { hash } from 'node:crypto';
import { canonical } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import { askIdOf, PLAIN_CALL } from '../core/id.ts';
import type { Question } from '../core/question.ts';
import type { AskView } from '../core/views.ts';
import type { Backed, Call } from './calls.ts';

export interface Wanted {
  kind: AskView['kind'];
  mode: AskView['mode'];
  /** What is asked, without what only explains it. */
  content: unknown;
}

const MOST = 10_000;
const sha256 = (text: string): string => hash('sha256', text, 'hex');

export const wantedQuestions = (mode: AskView['mode'], questions: Question[], context?: string): Wanted => ({
  kind: 'question',
  mode,
  content: [questions, context ?? null],
});

export const wantedApproval = (asked: {
  tool_name: string;
  input: unknown;
  work_folder?: string | undefined;
  editable?: boolean | undefined;
}): Wanted => ({
  kind: 'approval',
  mode: 'blocking',
  content: [asked.tool_name, asked.input, asked.work_folder ?? null, ...(asked.editable === false ? ['as it is'] : [])],
});

const wantedBy = (ask: AskView): Wanted =>
  ask.kind === 'approval'
    ? { ...wantedApproval(ask.request), mode: ask.mode }
    : wantedQuestions(ask.mode, ask.request.questions, ask.request.context);

/** The ask that was raised for the same content, is not delivered, and that no other call waits for: as it is now. */
export async function repeated(
  backed: Backed,
  open: readonly AskView[],
  wanted: Wanted,
  call: Call,
): Promise<AskView | undefined> {
  const same = canonical(wanted);
  for (const ask of open) {
    if (canonical(wantedBy(ask)) !== same || (await isHeld(backed, ask, call))) continue;
    const found = await backed.backend.look(ask.ask_id, 0);
    if (isUnsettled(found)) return found;
  }
  return undefined;
}

/** For a client without call ids. */
export async function raiseOrJoin(
  backed: Backed,
  wanted: Wanted,
  call: Call,
  raise: (toolCallId: string) => Promise<AskView>,
): Promise<AskView> {
  const content = sha256(canonical(wanted)).slice(0, 16);
  for (let n = 1; n <= MOST; n++) {
    const toolCallId = `${PLAIN_CALL}${content}_${n}`;
    const ask = await raise(toolCallId).catch(async (error: unknown) => {
      if ((error as { code?: unknown }).code !== 'ask_identity_conflict') throw error;
      return backed.backend.look(askIdOf(await backed.backend.runId(), toolCallId, sha256), 0);
    });
    if (isUnsettled(ask) && !(await isHeld(backed, ask, call))) return ask;
  }
  throw fail('pending_asks_limit', `This run has asked the same ${MOST} times.`);
}

const isHeld = ({ backend, calls }: Backed, { ask_id }: AskView, call: Call): Promise<boolean> =>
  calls.waitsFor(ask_id, call, backend.isCancelled);

const isUnsettled = ({ delivery }: AskView): boolean => delivery.state === 'none' || delivery.state === 'due';
