// Binds an approval to the content of the files that it names: an allow counts only while they are unchanged since it was
// asked. If one has changed, the answer is marked undeliverable and the same action is asked again with the difference.
// After the second change a file is no longer watched, and the ask says so; otherwise it would be asked for ever.
import { createTwoFilesPatch } from 'diff';
import { callIdOf, nthId } from '../agents/kit/ask-ids.ts';
import { type ApprovalBody, type Asking, type AskOptions, askApproval } from '../client/asking.ts';
import { every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { ApprovalOutcome, Held } from '../client/outcome.ts';
import { boundFiles, type NamedFile } from '../core/ask.ts';
import { ASKED_AGAIN } from '../core/asked-again.ts';
import { canonical } from '../core/digest.ts';
import { credentialsIn } from '../core/risk/paths.ts';
import { storable } from '../core/text-limit.ts';
import type { ApprovalAskView } from '../core/views.ts';
import { type FileRead, isGone, isUnseen, namedFiles, readAgain } from './named-files.ts';

const MAX_CHANGES = 2;
const MAX_REASON_CHARACTERS = 20_000;
const MAX_DIFF_CHARACTERS = 200_000;
/** Computing a larger difference would block the process for long. */
const MAX_DIFFERENT_LINES = 1000;

/** `isBound`: the outcome is for the files as they are now, so it cannot be reused later. */
export async function askBoundApproval(
  asking: Asking,
  body: ApprovalBody,
  manner?: AskOptions,
): Promise<(ApprovalOutcome & { isBound?: boolean }) | Held> {
  const folder = body.work_folder ?? asking.workFolder;
  const changes = new Map<string, number>();
  const isUnwatched = (path: string) => (changes.get(path) ?? 0) >= MAX_CHANGES;
  for (let asked = body; ; ) {
    const named = await namedFiles(body.input, folder);
    const files = named.filter(({ path }) => !isUnwatched(path));
    const { outcome, changed } = await askOnce(asking, asked, files, manner, asked !== body);
    if (outcome?.status === 'held') return outcome;
    if (outcome && (outcome.status !== 'failed' || changed.length === 0))
      return { ...outcome, isBound: named.length > 0 || (await namedFiles(outcome.input, folder)).length > 0 };
    const why = changed.map(changeText).join(' ');
    for (const { now } of changed) changes.set(now.path, (changes.get(now.path) ?? 0) + 1);
    if (outcome) await asking.calls.asks.undeliverable(outcome.ask_id, { reason: why }, { signal: asking.signal });
    const unwatched = [...changes.keys()].filter(isUnwatched);
    asked = (await findRepeated(asking, body)) ?? repeated(body, why, changed, unwatched);
  }
}

/** Without an outcome, the answer was marked undeliverable before. A repeated ask has `files` even if none is watched. */
async function askOnce(
  asking: Asking,
  body: ApprovalBody,
  files: readonly FileRead[],
  manner: AskOptions | undefined,
  isRepeated: boolean,
) {
  let changed: Change[] = [];
  let isRaised = false;
  const watching: Asking = {
    ...asking,
    async filesNow(shown) {
      const now = await readAgain(shown, body.work_folder ?? asking.workFolder);
      changed = shown.flatMap((before, at) => {
        const known = files.find(({ path, sha256 }) => path === before.path && sha256 === before.sha256);
        return now[at] && now[at].sha256 !== before.sha256 ? [{ before: known ?? before, now: now[at] }] : [];
      });
      return boundFiles(now);
    },
  };
  const raising: AskOptions = {
    ...manner,
    raised(askId) {
      isRaised = true;
      manner?.raised?.(askId);
    },
  };
  const bound = { ...body, ...((files.length > 0 || isRepeated) && { files: files.map(requestFile) }) };
  const outcome = await askApproval(watching, bound, raising).catch((error: unknown) => {
    if (!isRaised || !isUndeliverable(error)) throw error;
    return undefined;
  });
  return { outcome, changed };
}

/** Only of what the action runs or replaces is the text sent: a file that it reads may hold secrets. */
const requestFile = ({ path, sha256, text, isShown }: FileRead): NamedFile => ({
  path,
  sha256,
  ...(isShown && { text }),
});

/** Raising the call again returned an ask whose answer was marked undeliverable because of a change. */
const isUndeliverable = (error: unknown): boolean =>
  error instanceof HoldpointProblem && error.code === 'ask_state_conflict';

/** The repeated ask that an earlier process raised, or a call that was held, and whose answer is still to be used. */
async function findRepeated({ calls, runId }: Asking, body: ApprovalBody): Promise<ApprovalBody | undefined> {
  let found: ApprovalAskView | undefined;
  for await (const ask of every((page) => calls.asks.list({ run_id: runId, limit: 500, ...page }))) {
    if (ask.kind !== 'approval' || !REPEATED.test(ask.tool_call_id) || callIdOf(ask) !== callIdOf(body)) continue;
    // Without files nothing would be compared; a program in the run may raise asks, too.
    if (ask.raised_by === 'agent' || ask.request.files === undefined) continue;
    const isUnused = ask.status === 'pending' || ask.delivery.state === 'due';
    const { tool_name, input } = ask.request;
    if (isUnused && tool_name === body.tool_name && canonical(input) === canonical(body.input)) found = ask;
  }
  if (!found) return undefined;
  const { reason, diff } = found.request;
  return { ...body, tool_call_id: found.tool_call_id, mode: found.mode as ApprovalBody['mode'], reason, diff };
}

/** Its id has a time behind it, not a count: how often the call has asked before is unknown. Release 0.1.0 wrote `#`. */
const REPEATED = /[~#]\d{13,}$/;

function repeated(
  body: ApprovalBody,
  why: string,
  changed: readonly Change[],
  unwatched: readonly string[],
): ApprovalBody {
  const patches = changed.map(patchOf);
  const unshown = changed.filter(({ now }, at) => patches[at] === undefined && !isGone(now));
  const reasons = [
    `${ASKED_AGAIN}${why || 'what was allowed before was given up.'}`,
    ...unwatched.map((path) => `${path} keeps changing: what it holds is not looked at any more.`),
    ...unshown.map(
      ({ now }) => `What has changed in ${now.path} cannot be shown here: look at it before you allow this.`,
    ),
    body.reason,
  ];
  const diff = [...patches, body.diff].filter((part) => part !== undefined).join('\n');
  return {
    ...body,
    tool_call_id: nthId(callIdOf(body), Date.now()),
    reason: storable(reasons.filter(Boolean).join('\n\n').slice(0, MAX_REASON_CHARACTERS)),
    ...(diff !== '' && { diff: storable(diff.slice(0, MAX_DIFF_CHARACTERS)) }),
  };
}

interface Change {
  before: FileRead;
  now: FileRead;
}

function changeText({ before: { path }, now }: Change): string {
  if (isGone(now)) return `${path} is gone since this was asked.`;
  if (isUnseen(now)) return `${path} is no file any more that can be looked at.`;
  return `${path} has changed since this was asked.`;
}

/** Never of a file that may hold secrets. */
function patchOf({ before, now }: Change): string | undefined {
  if (credentialsIn([now.path]) !== undefined) return undefined;
  if (before.text === undefined || (now.text === undefined && !isGone(now))) return undefined;
  return createTwoFilesPatch(before.path, now.path, before.text, now.text ?? '', 'when it was asked', 'now', {
    maxEditLength: MAX_DIFFERENT_LINES,
  });
}
