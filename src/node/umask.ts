// Narrows the umask of this process, so that its files are its user's alone, and keeps the original one for the programs
// that it starts: what an agent writes into a project has the modes that the user's own shell would give it.
let original: number | undefined;

export function narrowUmask(): void {
  original ??= process.umask(0o077);
}

/** A shell command that restores the original umask; empty where this process has not changed it. */
export const restoreUmask = (): string => (original === undefined ? '' : `umask 0${original.toString(8)};`);
