// Turns a unified diff into lines with numbers, and lays lines out side by side. Pure. compare-texts.ts makes the same lines
// from two texts.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note';
  text: string;
  /** Line numbers, where the line is in that text. */
  before?: number | undefined;
  after?: number | undefined;
}

export interface DiffBlock {
  head: string;
  lines: DiffLine[];
}

const IN_HUNK = /^(?:[ +\\-]|$)/;
const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/;

/** Shows a diff as the agent sent it, valid or not: lines outside of every hunk, by the hunk's own count, are notes. */
export function blocksOfPatch(patch: string): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  let block: DiffBlock | undefined;
  let before = 0;
  let after = 0;
  let left = { before: 0, after: 0 };
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    // Whatever its count says, a hunk ends at a line that cannot be in one.
    if (!IN_HUNK.test(line)) left = { before: 0, after: 0 };
    const isInside = left.before > 0 || left.after > 0 || line.startsWith('\\');
    const hunk = isInside ? null : HUNK.exec(line);
    if (hunk) {
      const [, fromBefore, countBefore = '1', fromAfter, countAfter = '1'] = hunk;
      before = Number(fromBefore);
      after = Number(fromAfter);
      left = { before: Number(countBefore), after: Number(countAfter) };
      block = { head: line, lines: [] };
      blocks.push(block);
      continue;
    }
    if (!isInside && (block === undefined || block.head !== '')) {
      block = { head: '', lines: [] };
      blocks.push(block);
    }
    const kind = isInside ? kindOf(line) : 'note';
    const shown: DiffLine = { kind, text: kind === 'note' ? line : line.slice(1) };
    if (kind === 'removed' || kind === 'same') {
      shown.before = before++;
      left.before -= 1;
    }
    if (kind === 'added' || kind === 'same') {
      shown.after = after++;
      left.after -= 1;
    }
    block?.lines.push(shown);
  }
  return blocks;
}

export function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('\\') ? 'note' : 'same';
}

type Pair = [left: DiffLine | undefined, right: DiffLine | undefined];

/** Pairs removed lines with the lines added in their place. */
export function sideBySide(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) pairs.push([removed[i], added[i]]);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}

/** Truncates the blocks to so many lines, and counts the rest. */
export function firstLines(blocks: readonly DiffBlock[], max: number): { blocks: DiffBlock[]; left: number } {
  let room = max;
  const shown = blocks.flatMap((block) => {
    const lines = block.lines.slice(0, Math.max(0, room));
    room -= block.lines.length;
    return lines.length > 0 ? [{ ...block, lines }] : [];
  });
  return { blocks: shown, left: Math.max(0, -room) };
}
