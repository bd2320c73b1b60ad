// A file change as a diff: from the diff an agent sent along, or from the old and new texts in the input of its tool.
// Owns which shapes of input are file changes. A comparison that would take too long shows both texts whole.
import { diffLines } from 'diff';
import { type Line, line, type Style, span } from './spans.ts';
import { exact } from './terminal-text.ts';

interface Change {
  keys: string[];
  before: string;
  after: string;
}

const COMPARE_MS = 200;
const MOST_EDITS = 2000;
const CONTEXT_LINES = 3;

/** The keys of an input that are shown as a diff, and the diff. */
export function inputDiff(input: Record<string, unknown>): { keys: string[]; lines: Line[] } | undefined {
  const fileKey = ['file_path', 'path', 'file'].find((key) => typeof input[key] === 'string');
  const file = fileKey === undefined ? undefined : textOf(input[fileKey]);
  const head = file === undefined ? [] : [line(span(exact(file).replaceAll('\n', '␊'), 'bold'))];
  const titleKeys = fileKey === undefined ? [] : [fileKey];
  const one = changeOf(input, file);
  if (one) return { keys: [...titleKeys, ...one.keys], lines: [...head, ...changeLines(one)] };
  const edits = Array.isArray(input.edits) ? input.edits : [];
  const several = edits.map((edit) => changeOf(Object(edit) as Record<string, unknown>, undefined));
  if (several.length === 0 || several.some((c) => c === undefined)) return undefined;
  // What else an edit says has to be seen too: then the edits are shown beside their diff.
  const saysMore = several.some((c, i) => Object.keys(Object(edits[i])).length > (c?.keys.length ?? 0));
  return {
    keys: saysMore ? titleKeys : [...titleKeys, 'edits'],
    lines: [...head, ...several.flatMap((c) => (c ? changeLines(c) : []))],
  };
}

/** An old and a new text; or the whole content of a file. */
function changeOf(input: Record<string, unknown>, file: string | undefined): Change | undefined {
  for (const [before, after] of [
    ['old_string', 'new_string'],
    ['old_str', 'new_str'],
    ['oldText', 'newText'],
  ] as const) {
    const old = textOf(input[before]);
    const fresh = textOf(input[after]);
    if (old !== undefined && fresh !== undefined) return { keys: [before, after], before: old, after: fresh };
  }
  const content = textOf(input.content);
  if (content === undefined || file === undefined) return undefined;
  return { keys: ['content'], before: '', after: content };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function changeLines({ before, after }: Change): Line[] {
  const parts = diffLines(before, after, { timeout: COMPARE_MS, maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return parts.flatMap((part, i) => {
    const sign = part.added ? '+' : part.removed ? '-' : ' ';
    const style: Style = part.added ? 'added' : part.removed ? 'removed' : 'plain';
    const texts = exact(part.value).replace(/\n$/, '').split('\n');
    const lines = part.value === '' ? [] : texts.map((text) => line(span(sign + text, style)));
    return part.added || part.removed ? lines : shortened(lines, i === 0, i === parts.length - 1);
  });
}

/** Of what stays as it is, only the lines next to a change. */
function shortened(lines: Line[], isFirst: boolean, isLast: boolean): Line[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const left = lines.length - head - tail;
  if (left <= 1) return lines;
  return [...lines.slice(0, head), line(span(`⋮ ${left} lines stay`, 'dim')), ...lines.slice(lines.length - tail)];
}

/** A unified diff as the agent sent it. */
export function unifiedDiff(diff: string): Line[] {
  return exact(diff.replace(/\n$/, ''))
    .split('\n')
    .map((text) => line(span(text, styleOf(text))));
}

function styleOf(text: string): Style {
  if (/^(?:---|\+\+\+|diff |index )/.test(text)) return 'bold';
  if (text.startsWith('@@')) return 'hunk';
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'plain';
}
