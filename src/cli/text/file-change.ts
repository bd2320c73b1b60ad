// Renders a file change as a diff: the unified diff that an agent sent, or one computed from the old and new text in the
// input of its tool. A comparison that takes too long shows both texts in full.
import { diffLines } from 'diff';
import { type FileChange, fileChangeOf } from '../../client/file-change.ts';
import { type Line, line, type Style, span } from './spans.ts';
import { exact } from './terminal-text.ts';

const COMPARE_MS = 200;
const MOST_EDITS = 2000;
const CONTEXT_LINES = 3;

/** The diff, and the fields of the input that it covers. */
export function inputDiff(input: Record<string, unknown>): { keys: string[]; lines: Line[] } | undefined {
  const change = fileChangeOf(input);
  if (!change) return undefined;
  const { file, keys, changes } = change;
  const head = file === undefined ? [] : [line(span(exact(file).replaceAll('\n', '␊'), 'bold'))];
  return { keys, lines: [...head, ...changes.flatMap(changeLines)] };
}

function changeLines({ before, after }: FileChange['changes'][number]): Line[] {
  const parts = diffLines(before, after, { timeout: COMPARE_MS, maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return parts.flatMap((part, i) => {
    const sign = part.added ? '+' : part.removed ? '-' : ' ';
    const style: Style = part.added ? 'added' : part.removed ? 'removed' : 'plain';
    const texts = part.value.replace(/\n$/, '').split('\n').map(exact);
    const lines = part.value === '' ? [] : texts.map((text) => line(span(sign + text, style)));
    return part.added || part.removed ? lines : shortened(lines, i === 0, i === parts.length - 1);
  });
}

/** Unchanged lines, reduced to those next to a change. */
function shortened(lines: Line[], isFirst: boolean, isLast: boolean): Line[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const left = lines.length - head - tail;
  if (left <= 1) return lines;
  return [...lines.slice(0, head), line(span(`⋮ ${left} unchanged lines`, 'dim')), ...lines.slice(lines.length - tail)];
}

/** Colours a unified diff without parsing it. */
export function unifiedDiff(diff: string): Line[] {
  const texts = diff.replace(/\n$/, '').split('\n').map(exact);
  return texts.map((text) => line(span(text, styleOf(text))));
}

function styleOf(text: string): Style {
  if (/^(?:---|\+\+\+|diff |index )/.test(text)) return 'bold';
  if (text.startsWith('@@')) return 'hunk';
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'plain';
}
