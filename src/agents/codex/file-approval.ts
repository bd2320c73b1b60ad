// A change of files that Codex asks permission for, as an approval with the diff. The request names an item, the change
// is in the item. Pure translation. A change that is not known, or too long to be shown whole, is no approval: what
// nobody could look at is not allowed.
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { turnOf, type WantedApproval } from './approvals.ts';
import type { FileApproval, Item } from './protocol.ts';

/** Longer ones do not go into one ask. */
const DIFF_CHARACTERS = 400_000;
/** Of a file that goes away it is enough to see which one it is. */
const GONE_LINES = 200;

/** A text says why it cannot be shown. */
export function fileApproval(
  asked: z.infer<typeof FileApproval>,
  item: Item | undefined,
  folder: string | undefined,
): WantedApproval | string {
  if (!item?.changes?.length) return 'Codex did not say what it wants to change.';
  const changes = item.changes.map((change) => insideOf(folder, change));
  const diff = changes.map(unified).join('\n');
  if (diff.length > DIFF_CHARACTERS)
    return `The change is too long to be shown whole (over ${DIFF_CHARACTERS} characters): make it in smaller ones.`;
  const files = changes.map(({ path, kind, diff: change }) => ({
    path,
    change: kind.type,
    ...(kind.move_path && { moved_to: kind.move_path }),
    sha256: hash('sha256', change, 'hex'),
  }));
  return {
    kind: 'approval',
    itemId: asked.itemId,
    id: asked.itemId + turnOf(asked.turnId),
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
    answer: ({ allowed, suggestion_ids }) => ({
      decision: !allowed ? 'decline' : suggestion_ids.includes('session') ? 'acceptForSession' : 'accept',
    }),
  };
}

type Change = NonNullable<Item['changes']>[number];

/** Files of the work folder by their names in it, all others by their whole path. */
function insideOf(folder: string | undefined, { path, kind, diff }: Change): Change {
  const within = (name: string) =>
    folder !== undefined && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name;
  if (!kind.move_path) return { path: within(path), diff, kind };
  const [changed, note] = [diff.trimEnd(), `\n\nMoved to: ${kind.move_path}`];
  return {
    path: within(path),
    // Codex notes the new name below the change; it is no line of the file.
    diff: changed.endsWith(note) ? changed.slice(0, -note.length) : diff,
    kind: { ...kind, move_path: within(kind.move_path) },
  };
}

/** What is new or gone is there as a plain text; only what is changed comes as a diff, without the names of its files. */
function unified({ path, kind, diff }: Change): string {
  const text = diff.replace(/\n$/, '');
  const named = (side: string, name: string) => (name.startsWith('/') ? name : `${side}/${name}`);
  if (kind.type === 'update') {
    const head = /^(?:---|diff )/.test(text)
      ? ''
      : `--- ${named('a', path)}\n+++ ${named('b', kind.move_path ?? path)}\n`;
    return head + text;
  }
  const all = text === '' ? [] : text.split('\n');
  if (kind.type === 'add')
    return [`--- /dev/null\n+++ ${named('b', path)}`, `@@ -0,0 +1,${all.length} @@`, ...all.map((l) => `+${l}`)].join(
      '\n',
    );
  const lines = all.slice(0, GONE_LINES);
  const rest = all.length > lines.length ? [`\\ and ${all.length - lines.length} more lines`] : [];
  const names = `--- ${named('a', path)}\n+++ /dev/null`;
  return [names, `@@ -1,${lines.length} +0,0 @@`, ...lines.map((line) => `-${line}`), ...rest].join('\n');
}
