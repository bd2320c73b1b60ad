// Translates a file change that Codex wants to make into an approval with its diff. The request names an item, and the
// change is in the item. Pure. A change that is unknown, or too long to be shown whole, becomes no approval.
import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { ApprovalAsk } from './approvals.ts';
import { type FileApproval, type Item, idInTurn } from './protocol.ts';

/** One ask takes no more. */
const MAX_DIFF_CHARACTERS = 400_000;
/** Enough of a deleted file to recognise it. */
const MAX_DELETED_LINES = 200;

/** Returns the reason where it cannot be shown. */
export function fileApproval(
  asked: z.infer<typeof FileApproval>,
  item: Item | undefined,
  folder: string | undefined,
): ApprovalAsk | string {
  if (!item?.changes?.length) return 'Codex did not say what it wants to change.';
  const changes = item.changes.map((change) => relativeTo(folder, change));
  const diff = changes.map(unifiedDiff).join('\n');
  if (diff.length > MAX_DIFF_CHARACTERS)
    return `The change is too long to be shown whole (over ${MAX_DIFF_CHARACTERS} characters): make it in smaller ones.`;
  const files = changes.map(({ path, kind, diff: change }) => ({
    path,
    change: kind.type,
    ...(kind.move_path && { moved_to: kind.move_path }),
    sha256: hash('sha256', change, 'hex'),
  }));
  return {
    kind: 'approval',
    itemId: asked.itemId,
    id: idInTurn(asked.itemId, asked.turnId),
    spec: {
      tool_name: 'apply_patch',
      input: {
        ...(files.length === 1 && { path: files[0]?.path }),
        files,
        ...(asked.grantRoot && { grant_root: asked.grantRoot }),
      },
      reason: asked.reason ?? undefined,
      diff,
      suggestions: [{ id: 'session', label: 'Do not ask again for changes to these files while this Codex runs' }],
    },
    responseTo: ({ allowed, suggestion_ids }) => ({
      decision: !allowed ? 'decline' : suggestion_ids.includes('session') ? 'acceptForSession' : 'accept',
    }),
  };
}

type Change = NonNullable<Item['changes']>[number];

/** Paths in the work folder become relative to it; others stay absolute. */
function relativeTo(folder: string | undefined, { path, kind, diff }: Change): Change {
  const relative = (name: string) =>
    folder !== undefined && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name;
  if (!kind.move_path) return { path: relative(path), diff, kind };
  // Codex appends a note about the new path to the diff.
  const note = `\n\nMoved to: ${kind.move_path}`;
  const text = diff.trimEnd();
  return {
    path: relative(path),
    diff: text.endsWith(note) ? text.slice(0, -note.length) : diff,
    kind: { ...kind, move_path: relative(kind.move_path) },
  };
}

/** Codex sends an added or deleted file as plain text, and an update as a diff without file names. */
function unifiedDiff({ path, kind, diff }: Change): string {
  const text = diff.replace(/\n$/, '');
  const named = (side: string, name: string) => (name.startsWith('/') ? name : `${side}/${name}`);
  const header = (from: string, to: string) => `--- ${from}\n+++ ${to}`;
  if (kind.type === 'update') {
    if (/^(?:---|diff )/.test(text)) return text;
    return `${header(named('a', path), named('b', kind.move_path ?? path))}\n${text}`;
  }
  const lines = text === '' ? [] : text.split('\n');
  if (kind.type === 'add') {
    const added = lines.map((line) => `+${line}`);
    return [header('/dev/null', named('b', path)), `@@ -0,0 +1,${lines.length} @@`, ...added].join('\n');
  }
  const shown = lines.slice(0, MAX_DELETED_LINES).map((line) => `-${line}`);
  const rest = lines.length > shown.length ? [`\\ and ${lines.length - shown.length} more lines`] : [];
  return [header(named('a', path), '/dev/null'), `@@ -1,${shown.length} +0,0 @@`, ...shown, ...rest].join('\n');
}
