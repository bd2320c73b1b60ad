// Recognises tool inputs that change a file: an old and a new text, several such edits, or a whole content. Owns the
// shapes; each surface compares and shows a change itself.

interface TextChange {
  before: string;
  after: string;
}

export interface FileChange {
  file: string | undefined;
  /** The keys of the input that the change says all about; the others have to be shown beside it. */
  keys: string[];
  changes: TextChange[];
}

type Input = Record<string, unknown>;

export function fileChangeOf(input: Input): FileChange | undefined {
  const fileKey = ['file_path', 'path', 'file'].find((key) => typeof input[key] === 'string');
  const file = fileKey === undefined ? undefined : textOf(input[fileKey]);
  const titleKeys = fileKey === undefined ? [] : [fileKey];
  const one = changeOf(input, file);
  if (one) return { file, keys: [...titleKeys, ...one.keys], changes: [one] };
  const edits = Array.isArray(input.edits) ? input.edits : [];
  const several = edits.flatMap((edit) => changeOf(Object(edit) as Input, undefined) ?? []);
  if (several.length === 0 || several.length < edits.length) return undefined;
  // What else an edit says has to be seen too: then the edits are shown beside their diff.
  const saysMore = several.some((change, i) => Object.keys(Object(edits[i])).length > change.keys.length);
  return { file, keys: saysMore ? titleKeys : [...titleKeys, 'edits'], changes: several };
}

const PAIRS = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
] as const;

function changeOf(input: Input, file: string | undefined): (TextChange & { keys: string[] }) | undefined {
  for (const [old, fresh] of PAIRS) {
    const before = textOf(input[old]);
    const after = textOf(input[fresh]);
    if (before !== undefined && after !== undefined) return { keys: [old, fresh], before, after };
  }
  const content = textOf(input.content);
  if (content === undefined || file === undefined) return undefined;
  return { keys: ['content'], before: '', after: content };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
