// Splits a unified diff into its files, each with its name, what happens to it, its counts and its hunks. Pure. Headers
// that only repeat the name and what happens are left out; any other line is kept.
import { blocksOfPatch, type DiffBlock, type DiffLine } from './diff-lines.ts';

export interface DiffFile {
  name: string;
  verb: 'Edit' | 'Create' | 'Delete' | 'Rename';
  /** The name before, where it was renamed. */
  before?: string | undefined;
  blocks: DiffBlock[];
}

const NO_FILE = '/dev/null';
/** One entry where the text names no file. */
export function diffFiles(patch: string): DiffFile[] {
  const files: DiffFile[] = [];
  let notes: DiffLine[] = [];
  let blocks: DiffBlock[] = [];
  const flush = () => {
    if (notes.length === 0 && blocks.length === 0) return;
    const described = describe(notes.map(({ text }) => text));
    const kept = notes.filter(({ text }, i) => !saysNoMore(text, described) || repeats(notes, i));
    files.push({ ...described, blocks: [...(kept.length > 0 ? [{ head: '', lines: kept }] : []), ...blocks] });
    [notes, blocks] = [[], []];
  };
  for (const block of blocksOfPatch(patch)) {
    if (block.head !== '') {
      blocks.push(block);
      continue;
    }
    for (const line of block.lines) {
      const isName = line.text.startsWith('--- ');
      if (line.text.startsWith('diff --git ') || (isName && (blocks.length > 0 || notes.some(isNewName)))) flush();
      else if (blocks.length > 0) {
        // Text after the hunks of a file, before anything that begins the next one.
        blocks.push({ head: '', lines: [line] });
        continue;
      }
      notes.push(line);
    }
  }
  flush();
  return files;
}

const isNewName = ({ text }: DiffLine): boolean => text.startsWith('+++ ');

/** A second header of the same kind may name something else: it is shown. */
const repeats = (notes: readonly DiffLine[], at: number): boolean =>
  notes.slice(0, at).some(({ text }) => text.slice(0, 4) === notes[at]?.text.slice(0, 4));

/** Headers that the name of the file and what happens to it say as well. */
function saysNoMore(text: string, { name, before = name }: Omit<DiffFile, 'blocks'>): boolean {
  if (name === '') return false;
  const path = pathOf(text.slice(4));
  if (text.startsWith('--- ') || text.startsWith('+++ ')) return [name, before, NO_FILE].includes(path);
  if (text === `Index: ${name}` || /^={3,}$/.test(text)) return true;
  if (text === `rename from ${before}` || text === `rename to ${name}`) return true;
  if (text.startsWith('diff --git ')) return text === `diff --git a/${before} b/${name}`;
  return /^(?:index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?|(?:new|deleted) file mode 100644|similarity index \d+%)$/.test(
    text,
  );
}

const pathOf = (text: string): string => text.replace(/\t.*$/, '').replace(/^[ab]\//, '');

function describe(head: readonly string[]): Omit<DiffFile, 'blocks'> {
  const after = (start: string) => head.find((text) => text.startsWith(start))?.slice(start.length);
  const [from, to] = [after('rename from '), after('rename to ')];
  if (from !== undefined && to !== undefined) return { name: to, verb: 'Rename', before: from };
  const [old, fresh] = [after('--- '), after('+++ ')];
  if (old === undefined || fresh === undefined) {
    const name = /^a\/(.+) b\/\1$/.exec(after('diff --git ') ?? '')?.[1] ?? '';
    if (after('deleted file mode') !== undefined) return { name, verb: 'Delete' };
    return { name, verb: after('new file mode') === undefined ? 'Edit' : 'Create' };
  }
  const [before, name] = [pathOf(old), pathOf(fresh)];
  if (before === NO_FILE) return { name, verb: 'Create' };
  if (name === NO_FILE) return { name: before, verb: 'Delete' };
  return before === name ? { name, verb: 'Edit' } : { name, verb: 'Rename', before };
}
