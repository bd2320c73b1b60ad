// An approval that is bound to what the files it names hold: an allow counts only while they are as they were when it was
// asked. Where they have changed meanwhile the answer is given up, and the same action asked again with the difference.
// A file that never holds still would be asked for ever: after the second change it is named as one that is not looked at.
import { createTwoFilesPatch } from 'diff';
import { type ApprovalBody, type Asking, askApproval, type Manner } from '../client/asking.ts';
import { every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { ApprovalOutcome, Held } from '../client/outcome.ts';
import type { NamedFile } from '../core/ask.ts';
import { canonical } from '../core/digest.ts';
import { storable } from '../core/text-limit.ts';
import type { ApprovalRequest, AskView } from '../core/views.ts';
import { type FileRead, isGone, isUnseen, namedFiles, readAgain } from './named-files.ts';

const CHANGES_LOOKED_AT = 2;
const REASON_CHARACTERS = 20_000;
const DIFF_CHARACTERS = 200_000;
/** Files that differ in more lines are not compared: that would hold up everything else for long. */
const MOST_DIFFERENT_LINES = 1000;

interface Change {
  before: FileRead;
  now: FileRead;
}

/** The outcome says with `isBound` that it holds for files as they are now, and so for no later time. */
export async function askBoundApproval(
  asking: Asking,
  body: ApprovalBody,
  manner?: Manner,
): Promise<(ApprovalOutcome & { isBound?: boolean }) | Held> {
  const folder = body.work_folder ?? asking.workFolder;
  const changes = new Map<string, number>();
  const isRestless = (path: string) => (changes.get(path) ?? 0) >= CHANGES_LOOKED_AT;
  for (let asked = body; ; ) {
    const named = await namedFiles(body.input, folder);
    const files = named.filter(({ path }) => !isRestless(path));
    const { outcome, changed } = await askOnce(asking, asked, files, manner);
    if (outcome?.status === 'held') return outcome;
    if (outcome && (outcome.status !== 'failed' || changed.length === 0))
      return { ...outcome, isBound: named.length > 0 || (await namedFiles(outcome.input, folder)).length > 0 };
    const why = changed.map(inWords).join(' ');
    for (const { now } of changed) changes.set(now.path, (changes.get(now.path) ?? 0) + 1);
    if (outcome) await asking.calls.asks.undeliverable(outcome.ask_id, { reason: why }, { signal: asking.signal });
    const restless = [...changes.keys()].filter(isRestless);
    asked = (await alreadyAskedAgain(asking, body)) ?? askedAgain(body, why, changed, restless);
  }
}

/** No outcome: what was answered had been given up before. */
async function askOnce(asking: Asking, body: ApprovalBody, files: readonly FileRead[], manner: Manner | undefined) {
  let changed: Change[] = [];
  let isRaised = false;
  const looking: Asking = {
    ...asking,
    async filesNow(shown) {
      const now = await readAgain(shown, body.work_folder ?? asking.workFolder);
      changed = shown.flatMap((before, at) => {
        const known = files.find(({ path, sha256 }) => path === before.path && sha256 === before.sha256);
        return now[at] && now[at].sha256 !== before.sha256 ? [{ before: known ?? before, now: now[at] }] : [];
      });
      return now.map(markOf);
    },
  };
  const raising: Manner = {
    ...manner,
    raised(askId) {
      isRaised = true;
      manner?.raised?.(askId);
    },
  };
  const bound = { ...body, ...(files.length > 0 && { files: files.map(markOf) }) };
  const outcome = await askApproval(looking, bound, raising).catch((error: unknown) => {
    if (!isRaised || !isGivenUp(error)) throw error;
    return undefined;
  });
  return { outcome, changed };
}

const markOf = ({ path, sha256 }: FileRead): NamedFile => ({ path, sha256 });

/** An answer that was given up because of a change: whoever raises the same call again finds it used up. */
const isGivenUp = (error: unknown): boolean => error instanceof HoldpointProblem && error.code === 'ask_state_conflict';

/** As it was asked again before, by a process that is gone, or by a call that was held: that ask is still to be used. */
async function alreadyAskedAgain({ calls, runId }: Asking, body: ApprovalBody): Promise<ApprovalBody | undefined> {
  const isIt = ({ kind, tool_call_id, status, delivery, request }: AskView) => {
    if (!tool_call_id.startsWith(`${ownId(body)}#`) || (status !== 'pending' && delivery.state !== 'due')) return false;
    if (kind !== 'approval') return false;
    return request.tool_name === body.tool_name && canonical(request.input) === canonical(body.input);
  };
  let found: AskView | undefined;
  for await (const ask of every((page) => calls.asks.list({ run_id: runId, limit: 500, ...page })))
    if (isIt(ask)) found = ask;
  if (!found) return undefined;
  const { reason, diff } = found.request as ApprovalRequest;
  return { ...body, tool_call_id: found.tool_call_id, mode: found.mode as ApprovalBody['mode'], reason, diff };
}

function askedAgain(
  body: ApprovalBody,
  why: string,
  changed: readonly Change[],
  restless: readonly string[],
): ApprovalBody {
  const unwatched = restless.map((path) => `${path} keeps changing: what it holds is not looked at any more.`);
  const patches = changed.map(patchOf);
  const unshown = changed.filter(({ now }, at) => patches[at] === undefined && !isGone(now));
  const blind = unshown.map(
    ({ now }) => `What has changed in ${now.path} cannot be shown here: look at it before you allow this.`,
  );
  const again = why === '' ? 'Asked again: what was allowed before was given up.' : `Asked again: ${why}`;
  const diff = [...patches, body.diff].filter((part) => part !== undefined).join('\n');
  return {
    ...body,
    // A time that never was before: an id that was used has an answer already.
    tool_call_id: `${ownId(body)}#${Date.now()}`,
    reason: storable(
      [again, ...unwatched, ...blind, body.reason].filter(Boolean).join('\n\n').slice(0, REASON_CHARACTERS),
    ),
    ...(diff !== '' && { diff: storable(diff.slice(0, DIFF_CHARACTERS)) }),
  };
}

const ownId = ({ tool_call_id }: ApprovalBody): string => tool_call_id.replace(/#\d+$/, '');

function inWords({ before: { path }, now }: Change): string {
  if (isGone(now)) return `${path} is gone since this was asked.`;
  if (isUnseen(now)) return `${path} is no file any more that can be looked at.`;
  return `${path} has changed since this was asked.`;
}

function patchOf({ before, now }: Change): string | undefined {
  if (before.text === undefined || (now.text === undefined && !isGone(now))) return undefined;
  return createTwoFilesPatch(before.path, now.path, before.text, now.text ?? '', 'when it was asked', 'now', {
    maxEditLength: MOST_DIFFERENT_LINES,
  });
}
