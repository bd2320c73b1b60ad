// A change of a file as a diff: compared here, or as the agent sent it; one column or two. Loaded when the first change
// is shown. What is on each line is shown to the letter.
import { Columns2, Rows3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { DiffBlock, DiffLine } from '../text/diff-lines.ts';
import { blocksOfChange, blocksOfPatch, firstLines, sideBySide } from '../text/diff-lines.ts';
import { CopyButton, HiddenNote, MOST_LINES } from './code.tsx';
import { Exact } from './text.tsx';
import '../styles/diff.css';

interface DiffProps {
  file: string;
  /** Either the texts, or a unified diff. */
  changes: readonly { before: string; after: string }[] | undefined;
  patch: string | undefined;
  /** Everything is drawn, however long. */
  isWhole: boolean;
  onWhole: () => void;
}

const LAYOUT = 'holdpoint-diff';

export default function Diff({ file, changes, patch, isWhole, onWhole }: DiffProps) {
  const [layout, setLayout] = useState(() => localStorage.getItem(LAYOUT) ?? 'unified');
  const all = useMemo(
    () => (patch === undefined ? (changes ?? []).flatMap(blocksOfChange) : blocksOfPatch(patch)),
    [patch, changes],
  );
  const { blocks, left } = firstLines(all, isWhole ? Number.POSITIVE_INFINITY : MOST_LINES);
  const text = patch ?? (changes ?? []).map(({ after }) => after).join('\n');
  const isSplit = layout === 'split';
  const isPassage = changes?.some(({ before }) => before !== '') ?? false;
  const choose = (next: string) => {
    localStorage.setItem(LAYOUT, next);
    setLayout(next);
  };
  const added = count(all, 'added');
  const removed = count(all, 'removed');
  return (
    <figure className="code diff">
      <figcaption className="code-head">
        <span className="name mono">
          <Exact text={file} />
        </span>
        <span className="diff-count">
          <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
        </span>
        <HiddenNote text={text} />
        <span className="end">
          <button
            type="button"
            className="button quiet small"
            onClick={() => choose(isSplit ? 'unified' : 'split')}
            aria-label={isSplit ? 'Show in one column' : 'Show side by side'}
            title={isSplit ? 'Show in one column' : 'Show side by side'}
          >
            {isSplit ? <Rows3 className="icon" /> : <Columns2 className="icon" />}
          </button>
          <CopyButton text={text} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className="diff-scroll" tabIndex={0} aria-label={`Change of ${file}`}>
        <table className={`${isSplit ? 'split' : 'unified'} ${isPassage ? 'passage' : ''}`}>
          <tbody>{blocks.map((block, i) => (isSplit ? split(block, i) : unified(block, i)))}</tbody>
        </table>
      </section>
      {left > 0 && (
        <button type="button" className="more" onClick={onWhole}>
          {`Show the other ${left.toLocaleString('en')} lines`}
        </button>
      )}
    </figure>
  );
}

const count = (blocks: readonly DiffBlock[], kind: DiffLine['kind']): number =>
  blocks.reduce((sum, block) => sum + block.lines.filter((line) => line.kind === kind).length, 0);

const SIGNS = { added: '+', removed: '−', same: ' ', note: ' ' } as const;

const unified = (block: DiffBlock, b: number) => [
  block.head !== '' && (
    <tr key={`${b}-head`} className="hunk">
      <td colSpan={3}>
        <Exact text={block.head} />
      </td>
    </tr>
  ),
  ...block.lines.map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one diff, never moved
    <tr key={`${b}-${i}`} className={line.kind}>
      <td className="at">{line.before ?? ''}</td>
      <td className="at">{line.after ?? ''}</td>
      <td className="line">
        <span className="sign">{SIGNS[line.kind]}</span>
        <Exact text={line.text} />
      </td>
    </tr>
  )),
];

const split = (block: DiffBlock, b: number) => [
  block.head !== '' && (
    <tr key={`${b}-head`} className="hunk">
      <td colSpan={4}>
        <Exact text={block.head} />
      </td>
    </tr>
  ),
  ...sideBySide(block.lines).map(([left, right], i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one diff, never moved
    <tr key={`${b}-${i}`}>
      <Side line={left} at={left?.before} />
      <Side line={right} at={right?.after} />
    </tr>
  )),
];

const Side = ({ line, at }: { line: DiffLine | undefined; at: number | undefined }) => (
  <>
    <td className={`at ${line?.kind ?? 'none'}`}>{at ?? ''}</td>
    <td className={`line ${line?.kind ?? 'none'}`}>{line && <Exact text={line.text} />}</td>
  </>
);
