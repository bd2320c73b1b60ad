// An approval that is bound to what the files it names hold: an allow counts only while they are as they were when it was
// asked. Where they have changed meanwhile the answer is given up, and the same action asked again with the difference.
// A file that never holds still would be asked for ever: after the second change it is named as one that is not looked at.
import { createTwoFilesPatch } from 'diff';
import { type ApprovalBody, type Asking, askApproval, type Manner } from '../client/asking.ts';
import type { ApprovalOutcome, Held } from '../client/outcome.ts';
import { tellable } from '../core/tellable.ts';
import { type FileRead, isGone, namedFiles, readAgain } from './named-files.ts';

const CHANGES_LOOKED_AT = 2;
const REASON_CHARACTERS = 20_000;
const DIFF_CHARACTERS = 200_000;

interface Change {
  before: FileRead;
  now: FileRead;
}

export async function askBoundApproval(
  asking: Asking,
  body: ApprovalBody,
  manner?: Manner,
): Promise<ApprovalOutcome | Held> {
  const folder = body.work_folder ?? asking.workFolder;
  const changes = new Map<string, number>();
  let asked = body;
  for (;;) {
    const named = await namedFiles(body.input, folder);
    const files = named.filter(({ path }) => (changes.get(path) ?? 0) < CHANGES_LOOKED_AT);
    let changed: Change[] = [];
    const looking: Asking = {
      ...asking,
      async filesNow(shown) {
        const now = await readAgain(shown);
        changed = shown.flatMap((before, at) => {
          const known = files.find(({ path, sha256 }) => path === before.path && sha256 === before.sha256);
          return now[at] && now[at].sha256 !== before.sha256 ? [{ before: known ?? before, now: now[at] }] : [];
        });
        return now.map(({ path, sha256 }) => ({ path, sha256 }));
      },
    };
    const marks = files.map(({ path, sha256 }) => ({ path, sha256 }));
    const outcome = await askApproval(looking, { ...asked, ...(marks.length > 0 && { files: marks }) }, manner);
    if (outcome.status !== 'failed' || changed.length === 0) return outcome;
    for (const { before } of changed) changes.set(before.path, (changes.get(before.path) ?? 0) + 1);
    const restless = [...changes].flatMap(([path, count]) => (count >= CHANGES_LOOKED_AT ? [path] : []));
    const why = changed.map(inWords).join(' ');
    await asking.calls.asks.undeliverable(outcome.ask_id, { reason: why }, { signal: asking.signal });
    asked = askedAgain(body, why, changed, restless);
  }
}

function askedAgain(
  body: ApprovalBody,
  why: string,
  changed: readonly Change[],
  restless: readonly string[],
): ApprovalBody {
  const unwatched = restless.map((path) => `${path} keeps changing: what it holds is not looked at any more.`);
  const reason = [`Asked again: ${why}`, ...unwatched, body.reason].filter(Boolean).join('\n\n');
  const diff = [...changed.map(patchOf), body.diff].filter((part) => part !== undefined).join('\n');
  return {
    ...body,
    // A time that never was before: an id that was used has an answer already.
    tool_call_id: `${body.tool_call_id.replace(/#\d+$/, '')}#${Date.now()}`,
    reason: tellable(reason.slice(0, REASON_CHARACTERS)),
    ...(diff !== '' && { diff: tellable(diff.slice(0, DIFF_CHARACTERS)) }),
  };
}

const inWords = ({ before, now }: Change): string =>
  `${before.path} ${isGone(now) ? 'is gone' : 'has changed'} since this was asked.`;

function patchOf({ before, now }: Change): string | undefined {
  if (before.text === undefined || (now.text === undefined && !isGone(now))) return undefined;
  return createTwoFilesPatch(before.path, now.path, before.text, now.text ?? '', 'when it was asked', 'now');
}
