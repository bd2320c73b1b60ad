// Shows the change of a file as a diff in one column or two: computed here from two texts, or as the agent sent it. Each
// line is shown to the letter. A chunk of its own, loaded with the first change.
import { Columns2, Rows3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { MAX_LINES } from '../state/action-parts.ts';
import type { DiffBlock, DiffLine } from '../text/diff-lines.ts';
import { blocksOfChange, blocksOfPatch, firstLines, sideBySide } from '../text/diff-lines.ts';
import { CodeBox, ShowRest } from './code.tsx';
import { Exact } from './text.tsx';
import './diff.css';

interface DiffProps {
  file: string;
  /** Either the texts, or a unified diff. */
  changes: readonly { before: string; after: string }[] | undefined;
  patch: string | undefined;
  /** Render all of it, however long. */
  isWhole: boolean;
  onWhole: () => void;
}

const LAYOUT_KEY = 'holdpoint-diff';

export default function Diff({ file, changes, patch, isWhole, onWhole }: DiffProps) {
  const [layout, setLayout] = useState(() => localStorage.getItem(LAYOUT_KEY) ?? 'unified');
  const all = useMemo(
    () => (patch === undefined ? (changes ?? []).flatMap(blocksOfChange) : blocksOfPatch(patch)),
    [patch, changes],
  );
  const { blocks, left } = firstLines(all, isWhole ? Number.POSITIVE_INFINITY : MAX_LINES);
  const text = patch ?? (changes ?? []).map(({ after }) => after).join('\n');
  const isSplit = layout === 'split';
  const isPassage = changes?.some(({ before }) => before !== '') ?? false;
  const choose = (next: string) => {
    localStorage.setItem(LAYOUT_KEY, next);
    setLayout(next);
  };
  const counts = (
    <span className="diff-count">
      <span className="plus">+{count(all, 'added')}</span> <span className="minus">−{count(all, 'removed')}</span>
    </span>
  );
  const label = isSplit ? 'Show in one column' : 'Show side by side';
  const toggle = (
    <button
      type="button"
      className="button quiet small"
      onClick={() => choose(isSplit ? 'unified' : 'split')}
      aria-label={label}
      title={label}
    >
      {isSplit ? <Rows3 className="icon" /> : <Columns2 className="icon" />}
    </button>
  );
  return (
    <CodeBox title={file} text={text} className="diff" isMono note={counts} tools={toggle}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className="diff-scroll" tabIndex={0} aria-label={`Change of ${file}`}>
        <table className={`${isSplit ? 'split' : 'unified'} ${isPassage ? 'passage' : ''}`}>
          <tbody>{blocks.map((block, i) => (isSplit ? split(block, i) : unified(block, i)))}</tbody>
        </table>
      </section>
      {left > 0 && <ShowRest count={left} unit="lines" onClick={onWhole} />}
    </CodeBox>
  );
}

const count = (blocks: readonly DiffBlock[], kind: DiffLine['kind']): number =>
  blocks.reduce((sum, block) => sum + block.lines.filter((line) => line.kind === kind).length, 0);

const SIGNS = { added: '+', removed: '−', same: ' ', note: ' ' } as const;

const head = (block: DiffBlock, b: number, columns: number) =>
  block.head !== '' && (
    <tr key={`${b}-head`} className="hunk">
      <td colSpan={columns}>
        <Exact text={block.head} />
      </td>
    </tr>
  );

const unified = (block: DiffBlock, b: number) => [
  head(block, b, 3),
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
  head(block, b, 4),
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
