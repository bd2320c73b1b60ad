// Draws the change of one file: a header that stays in view, and its lines in one column or two, with changed words and
// syntax colours. Each line is shown to the letter.
import { ChevronDown, ChevronRight, MessageSquarePlus } from 'lucide-react';
import { type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { useHighlightedLines } from '../hooks/highlighted-lines.ts';
import type { DiffFile } from '../text/diff-files.ts';
import { type DiffBlock, type DiffLine, sideBySide } from '../text/diff-lines.ts';
import { placeOf } from '../text/line-place.ts';
import { changedWords } from '../text/word-diff.ts';
import { HiddenNote } from './code.tsx';
import { CopyButton } from './copy-button.tsx';
import { LineNote } from './line-note.tsx';
import { type Colours, LineText } from './line-text.tsx';
import { Exact } from './text.tsx';

interface FileDiffProps {
  file: Pick<DiffFile, 'name' | 'blocks'> & Partial<DiffFile>;
  /** What is copied. */
  text: string;
  tools: ReactNode;
  counts: ReactNode;
  isSplit: boolean;
  isPassage: boolean;
  /** Undefined where it is the only file. */
  isViewed: boolean | undefined;
  onViewed: (isViewed: boolean) => void;
  onNote: ((place: string, note: string) => void) | undefined;
}

export function FileDiff(props: FileDiffProps) {
  const { file, text, tools, counts, isSplit, isPassage, isViewed, onNote } = props;
  const { name, verb, before, blocks } = file;
  const [isOpen, setOpen] = useState(true);
  const [noteAt, setNoteAt] = useState<DiffLine>();
  const words = useMemo(() => changedWords(blocks), [blocks]);
  const colours: Colours = { tokens: useHighlightedLines(name, blocks), words };
  const lines = useMemo(() => blocks.flatMap((block) => block.lines), [blocks]);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const view = (next: boolean) => {
    props.onViewed(next);
    setOpen(!next);
  };
  const startNote = (event: MouseEvent<HTMLElement>) => {
    const cell = (event.target as Element).closest<HTMLElement>('td[data-line]');
    const line = cell && lines[Number(cell.dataset.line)];
    if (line && onNote) setNoteAt(line);
  };
  const note = noteAt && onNote && (
    <LineNote
      place={placeOf(name, noteAt, !isPassage)}
      lines={lines}
      line={noteAt}
      onLine={setNoteAt}
      onCancel={() => setNoteAt(undefined)}
      onAdd={(place, written) => {
        onNote(place, written);
        setNoteAt(undefined);
      }}
    />
  );
  const numbers = useMemo(() => new Map(lines.map((line, i) => [line, i])), [lines]);
  const drawn: Drawn = { numbers, colours, noteAt, note };
  const firstChange = lines.find(({ kind }) => kind === 'added' || kind === 'removed') ?? lines[0];
  return (
    <figure className="code diff" data-unread={!isOpen && isViewed !== true ? '' : undefined}>
      <figcaption className="code-head file-head">
        <button
          type="button"
          className="button quiet small"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${name}`}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron className="icon" />
        </button>
        <span className="name mono">
          {verb !== undefined && verb !== 'Edit' && <span className="chip">{VERBS[verb]}</span>}{' '}
          {before !== undefined && (
            <>
              <Exact text={before} /> →{' '}
            </>
          )}
          <Exact text={name} />
        </span>
        {counts}
        <HiddenNote text={text} />
        <span className="end">
          {onNote && firstChange && (
            <button
              type="button"
              className="button quiet small"
              aria-label={`Add a note on a line of ${name}`}
              title="Add a note on a line"
              onClick={() => {
                setOpen(true);
                setNoteAt(noteAt ? undefined : firstChange);
              }}
            >
              <MessageSquarePlus className="icon" />
            </button>
          )}
          {tools}
          <CopyButton text={text} />
          {isViewed !== undefined && (
            <label className="viewed">
              <input type="checkbox" checked={isViewed} onChange={(event) => view(event.target.checked)} /> Viewed
            </label>
          )}
        </span>
      </figcaption>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the button in the header
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <div className={`diff-lines ${onNote ? 'takes-notes' : ''}`} onClick={startNote}>
          <table className={`${isSplit ? 'split' : 'unified'} ${isPassage ? 'passage' : ''}`}>
            <tbody>{blocks.map((block, i) => (isSplit ? split(block, i, drawn) : unified(block, i, drawn)))}</tbody>
          </table>
        </div>
      )}
    </figure>
  );
}

const VERBS = { Edit: 'edited', Create: 'new', Delete: 'deleted', Rename: 'renamed' } as const;
const SIGNS = { added: '+', removed: '−', same: ' ', note: ' ' } as const;

interface Drawn {
  /** By line: its position among all lines of the file. */
  numbers: ReadonlyMap<DiffLine, number>;
  colours: Colours;
  noteAt: DiffLine | undefined;
  note: ReactNode;
}

const head = (block: DiffBlock, b: number, columns: number) =>
  block.head !== '' && (
    <tr key={`${b}-head`} className="hunk">
      <td colSpan={columns}>
        <Exact text={block.head} />
      </td>
    </tr>
  );

const noteRow = (key: string, columns: number, note: ReactNode) => (
  <tr key={key} className="note-row">
    <td colSpan={columns}>{note}</td>
  </tr>
);

const unified = (block: DiffBlock, b: number, { numbers, colours, noteAt, note }: Drawn) => [
  head(block, b, 3),
  ...block.lines.flatMap((line, i) => [
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one diff, never moved
    <tr key={`${b}-${i}`} className={line.kind}>
      <td className="at" data-line={numbers.get(line)}>
        {line.before ?? ''}
      </td>
      <td className="at" data-line={numbers.get(line)}>
        {line.after ?? ''}
      </td>
      <td className="line">
        <span className="sign">{SIGNS[line.kind]}</span>
        <LineText line={line} colours={colours} />
      </td>
    </tr>,
    line === noteAt && noteRow(`${b}-${i}-note`, 3, note),
  ]),
];

const split = (block: DiffBlock, b: number, { numbers, colours, noteAt, note }: Drawn) => [
  head(block, b, 4),
  ...sideBySide(block.lines).flatMap(([left, right], i) => [
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one diff, never moved
    <tr key={`${b}-${i}`}>
      <Side line={left} at={left?.before} {...{ numbers, colours }} />
      <Side line={right} at={right?.after} {...{ numbers, colours }} />
    </tr>,
    noteAt !== undefined && (left === noteAt || right === noteAt) && noteRow(`${b}-${i}-note`, 4, note),
  ]),
];

interface SideProps extends Pick<Drawn, 'numbers' | 'colours'> {
  line: DiffLine | undefined;
  at: number | undefined;
}

const Side = ({ line, at, numbers, colours }: SideProps) => (
  <>
    <td className={`at ${line?.kind ?? 'none'}`} data-line={line && numbers.get(line)}>
      {at ?? ''}
    </td>
    <td className={`line ${line?.kind ?? 'none'}`}>{line && <LineText line={line} colours={colours} />}</td>
  </>
);
