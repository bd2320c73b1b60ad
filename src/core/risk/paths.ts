// Tells whether a path leads out of the work folder. Pure text: links are not followed, so a path that looks inside may
// still lead outside.

export interface Place {
  /** The work folder; nothing is outside where it is not known. */
  folder: string | undefined;
  /** The folder that relative paths start from; undefined after a change to one that cannot be told. */
  base: string | undefined;
}

/** Where everyone puts what is not meant to last, and devices that keep nothing. */
const SCRATCH = /^\/(?:tmp|var\/tmp|private\/tmp|dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+|u?random))(?:\/|$)/;
const HOME = /^(?:~[\w.-]*|\$HOME|\$\{HOME\})(?=\/|$)/;
/** Words with other characters are patterns, programs or prose. */
const PATH = /^[\p{L}\p{N}_@%+:,./~ *?{}[\]$-]+$/u;

/** Files in which tools keep keys, tokens and passwords. */
const CREDENTIALS =
  /(?:^|\/)(?:\.aws\/credentials|\.ssh\/(?:id_\w+|identity)|\.gnupg\/.*|\.netrc|\.pgpass|\.pypirc|\.git-credentials|\.docker\/config\.json|\.kube\/config|application_default_credentials\.json|\.env(?:\.(?!example$|sample$|template$|dist$)[\w-]+)*|\.cargo\/credentials(?:\.toml)?|gh\/hosts\.yml)$/;
/** Has no secrets in a project, but those of its owner in their home. */
const OF_HOME = /^(?:~|\$HOME|\$\{HOME\}|\/root|\/(?:home|Users)\/[^/]+)\/\.(?:npmrc|yarnrc\.yml)$/;

/** Which of the paths holds credentials. */
export const credentialsIn = (paths: readonly string[]): string | undefined =>
  paths.find((path) => CREDENTIALS.test(path) || OF_HOME.test(path));

/** Whether a word could name a file: it begins like a path, or climbs out of a folder. */
export const looksLikePath = (word: string): boolean =>
  PATH.test(word) && !word.includes('://') && (/^[/~]|^\$\{?HOME/.test(word) || /(?:^|\/)\.\.(?:\/|$)/.test(word));

/** The path, made absolute where possible, if it is outside of the folder. */
export function outsidePath(path: string, { folder, base }: Place): string | undefined {
  if (folder === undefined || !folder.startsWith('/')) return undefined;
  if (HOME.test(path)) return path;
  const start = path.startsWith('/') ? '' : base;
  if (start === undefined) return undefined;
  const absolute = resolved(`${start}/${path}`);
  if (isWithin(absolute, resolved(folder)) || SCRATCH.test(absolute)) return undefined;
  return absolute;
}

/** A file or folder below the work folder, and none of what git keeps there: losing it loses work of this project only. */
export function isInside(path: string, { folder, base }: Place): boolean {
  if (!folder?.startsWith('/') || HOME.test(path) || /(?:^|\/)\.\.(?:\/|$)|(?:^|\/)\.git(?:\/|$)/i.test(path))
    return false;
  const start = path.startsWith('/') ? '' : base;
  const root = resolved(folder);
  const absolute = start === undefined ? root : resolved(`${start}/${path}`);
  return absolute !== root && isWithin(absolute, root);
}

/** Of two absolute paths without `..`. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

export function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return `/${parts.join('/')}`;
}
