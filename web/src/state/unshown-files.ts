// Says which files a request depends on without showing what is in them, and whether a file that is written exists. Pure.
// A request names files by path and hash; it never carries their content.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { diffFiles } from '../text/diff-files.ts';

type NamedFile = NonNullable<ApprovalRequest['files']>[number];

/** What a command reads or runs, such as a script. */
export const unshownFiles = ({ input, files = [] }: Pick<ApprovalRequest, 'input' | 'files'>): readonly NamedFile[] =>
  [input.command, input.cmd].some((command) => typeof command === 'string') ? files : [];

/** Only what has changed in them is shown: the request was asked again, or its agent sent a difference. */
export const shownInPart = (
  files: readonly NamedFile[],
  diff: string | undefined,
): { partly: readonly NamedFile[]; unshown: readonly NamedFile[] } => {
  const names = new Set(diff === undefined ? [] : diffFiles(diff).map(({ name }) => name));
  const { partly = [], unshown = [] } = Object.groupBy(files, ({ path }) => (names.has(path) ? 'partly' : 'unshown'));
  return { partly, unshown };
};

/** False also where it is not known. `file` may be relative to the folder. */
export function isThere(
  { files = [] }: Pick<ApprovalRequest, 'files'>,
  file: string | undefined,
  folder: string | undefined,
): boolean {
  if (file === undefined) return false;
  const path = file.startsWith('/') ? file : `${folder ?? ''}/${file.replace(/^\.\//, '')}`;
  return files.some((named) => named.path === path);
}
