// Shows changes of files like a pull request: each file under a header that stays in view, with counts, folding and a mark
// for what was reviewed. Computed here from two texts, or as the agent sent it. A chunk of its own, loaded with the first
// change.
import { Columns2, Rows3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { MAX_LINES } from '../state/action-parts.ts';
import { blocksOfChange } from '../text/compare-texts.ts';
import { type DiffFile, diffFiles } from '../text/diff-files.ts';
import { type DiffBlock, type DiffLine, firstLines } from '../text/diff-lines.ts';
import { ShowRest } from './code.tsx';
import { FileDiff } from './file-diff.tsx';
import './diff.css';

export interface DiffProps {
  /** The name where the texts are given, and where a diff names no file. */
  file: string;
  /** Either the texts, or a unified diff. */
  changes: readonly { before: string; after: string }[] | undefined;
  patch: string | undefined;
  /** The text is a whole file: one that is replaced, or one of which it is not known whether it exists. */
  whole?: 'replaced' | 'written' | undefined;
  /** Render all of it, however long. */
  isWhole: boolean;
  onWhole: () => void;
  /** Where a line can be commented on: the note becomes part of the reason of a denial. */
  onNote?: ((place: string, note: string) => void) | undefined;
}

const LAYOUT_KEY = 'holdpoint-diff';

export default function Diff({ file, changes, patch, whole, isWhole, onWhole, onNote }: DiffProps) {
  const [layout, setLayout] = useState(() => localStorage.getItem(LAYOUT_KEY) ?? 'unified');
  const [viewed, setViewed] = useState<ReadonlySet<number>>(new Set());
  const files = useMemo(
    () =>
      patch === undefined
        ? [{ name: file, blocks: (changes ?? []).flatMap(whole === 'written' ? blocksOfText : blocksOfChange) }]
        : diffFiles(patch),
    [patch, changes, file, whole],
  );
  // Line numbers of a replaced passage are those of the passage, not of the file.
  const isPassage = whole === undefined && (changes?.some(({ before }) => before !== '') ?? false);
  const { shown, left } = truncated(files, isWhole ? Number.POSITIVE_INFINITY : MAX_LINES);
  const isSplit = layout === 'split';
  const choose = () => {
    const next = isSplit ? 'unified' : 'split';
    localStorage.setItem(LAYOUT_KEY, next);
    setLayout(next);
  };
  const view = (at: number, isViewed: boolean) => {
    const next = new Set(viewed);
    if (isViewed) next.add(at);
    else next.delete(at);
    setViewed(next);
  };
  const label = isSplit ? 'Show in one column' : 'Show side by side';
  const toggle = (
    <button type="button" className="button quiet small wide-only" onClick={choose} aria-label={label} title={label}>
      {isSplit ? <Rows3 className="icon" /> : <Columns2 className="icon" />}
    </button>
  );
  return (
    <div className="diffs">
      {files.length > 1 && (
        <p className="diff-total small">
          <strong>{files.length} files</strong> <Counts blocks={files.flatMap(({ blocks }) => blocks)} />
          <span className="muted">
            {viewed.size} of {files.length} viewed
          </span>
        </p>
      )}
      {shown.map((one, i) => (
        <FileDiff
          // biome-ignore lint/suspicious/noArrayIndexKey: files of one diff, never moved
          key={i}
          file={{ ...one, name: one.name || file }}
          text={patch === undefined ? (changes ?? []).map(({ after }) => after).join('\n') : textOf(one)}
          tools={toggle}
          counts={
            whole === 'written' ? (
              <LineCount blocks={files[i]?.blocks ?? []} />
            ) : (
              <Counts blocks={files[i]?.blocks ?? []} />
            )
          }
          isViewed={files.length > 1 ? viewed.has(i) : undefined}
          onViewed={(isViewed) => view(i, isViewed)}
          {...{ isSplit, isPassage, onNote }}
        />
      ))}
      {left > 0 && (
        <div className="code">
          <ShowRest count={left} unit="lines" onClick={onWhole} />
        </div>
      )}
    </div>
  );
}

type Shown = Pick<DiffFile, 'name' | 'blocks'> & Partial<DiffFile>;

/** As it is, no line of it added or removed. */
const blocksOfText = (change: { before: string; after: string }): DiffBlock[] =>
  blocksOfChange(change).map(({ head, lines }) => ({
    head,
    lines: lines.map((line) => (line.kind === 'added' ? { ...line, kind: 'same' } : line)),
  }));

/** The first lines of all files together. */
function truncated(files: readonly Shown[], most: number): { shown: Shown[]; left: number } {
  let room = most;
  let left = 0;
  const shown = files.flatMap((one) => {
    const first = firstLines(one.blocks, Math.max(0, room));
    room -= count(one.blocks);
    left += first.left;
    return first.blocks.length > 0 || one.blocks.length === 0 ? [{ ...one, blocks: first.blocks }] : [];
  });
  return { shown, left };
}

const count = (blocks: readonly DiffBlock[], kind?: DiffLine['kind']): number =>
  blocks.reduce((sum, { lines }) => sum + lines.filter((line) => kind === undefined || line.kind === kind).length, 0);

/** Without signs, which would say that nothing is lost. */
const LineCount = ({ blocks }: { blocks: readonly DiffBlock[] }) => (
  <span className="diff-count muted">{count(blocks) === 1 ? '1 line' : `${count(blocks)} lines`}</span>
);

const Counts = ({ blocks }: { blocks: readonly DiffBlock[] }) => (
  <span className="diff-count">
    <span className="plus">+{count(blocks, 'added')}</span> <span className="minus">−{count(blocks, 'removed')}</span>
  </span>
);

/** What the file would be, as far as the diff shows it. */
const textOf = ({ blocks }: Shown): string =>
  blocks
    .flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind === 'added' || kind === 'same')
    .map(({ text }) => text)
    .join('\n');
