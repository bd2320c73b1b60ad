// Says which files a request depends on, of which of them it shows the text, and whether a file that is written exists. Pure.
// A request names files by path and hash; it carries the text of short scripts that its command runs, and of no other.

import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { within } from '../text/ask-text.ts';
import { diffFiles } from '../text/diff-files.ts';

type NamedFile = NonNullable<ApprovalRequest['files']>[number];

type Named = Pick<ApprovalRequest, 'input' | 'files'>;

/** What a command reads or runs, and the request does not show. */
export const unshownFiles = ({ input, files = [] }: Named): readonly NamedFile[] =>
  [input.command, input.cmd].some((command) => typeof command === 'string')
    ? files.filter(({ text }) => text === undefined)
    : [];

type Shown = Pick<ApprovalRequest, 'files' | 'diff'> & Partial<Pick<ApprovalRequest, 'input'>>;

export interface ShownScript {
  path: string;
  /** From the work folder, where it is inside. */
  name: string;
  text: string;
}

/** The scripts whose text is shown on its own: not where the difference shows all of it. */
export const shownScripts = ({ files = [], diff, input = {} }: Shown, folder: string | undefined): ShownScript[] => {
  // The difference shows the text of a file that is replaced.
  if (fileChangeOf(input)) return [];
  const changed = diff === undefined ? [] : diffFiles(diff);
  return files.flatMap(({ path, text }) => {
    const change = changed.find(({ name }) => name === path);
    if (text === undefined || (change && resultOf(change) === text.trimEnd())) return [];
    return [{ path, name: within(folder, path), text }];
  });
};

/** The file after the change, as far as the difference shows it. */
const resultOf = ({ blocks }: ReturnType<typeof diffFiles>[number]): string =>
  blocks
    .flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind === 'added' || kind === 'same')
    .map(({ text }) => text)
    .join('\n')
    .trimEnd();

/** How much of a script is shown before the person asks for all of it. */
const FOLDED_LINES = 12;
const FOLDED_CHARACTERS = 1200;

/** The beginning of a long script. */
export function folded(text: string): { shown: string; left: number; unit: 'lines' | 'characters' } {
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, FOLDED_LINES).join('\n');
  if (shown.length > FOLDED_CHARACTERS)
    return {
      shown: shown.slice(0, FOLDED_CHARACTERS),
      left: text.trimEnd().length - FOLDED_CHARACTERS,
      unit: 'characters',
    };
  return { shown, left: Math.max(0, lines.length - FOLDED_LINES), unit: 'lines' };
}

/** Part of a script is in view only once the person asks for it. */
export const hasFolded = (request: Shown): boolean =>
  shownScripts(request, undefined).some(({ text }) => folded(text).left > 0);

/** Only what has changed in them is shown: the request was asked again, or its agent sent a difference. */
export const shownInPart = (
  files: readonly NamedFile[],
  diff: string | undefined,
): { partly: readonly NamedFile[]; unshown: readonly NamedFile[] } => {
  const names = new Set(diff === undefined ? [] : diffFiles(diff).map(({ name }) => name));
  const { partly = [], unshown = [] } = Object.groupBy(files, ({ path }) => (names.has(path) ? 'partly' : 'unshown'));
  return { partly, unshown };
};

/** The file that is written, where it is known to exist. `file` may be relative to the folder. */
export function replacedFile(
  { files = [] }: Pick<ApprovalRequest, 'files'>,
  file: string | undefined,
  folder: string | undefined,
): NamedFile | undefined {
  if (file === undefined) return undefined;
  const path = file.startsWith('/') ? file : `${folder ?? ''}/${file.replace(/^\.\//, '')}`;
  return files.find((named) => named.path === path);
}
