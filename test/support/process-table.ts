// Reads the process table of Linux: which processes work for a run, and whether any is left that works in a folder or was told
// of it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { RunView } from '../../src/core/views.ts';

const everyProcess = (): string[] => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));

export function environmentOf(pid: string | number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

export const processesWith = (variable: string): number[] =>
  everyProcess()
    .filter((pid) => environmentOf(pid).includes(variable))
    .map(Number);

/** By the mark that the worker puts into the environment of everything it starts for the run. */
export const processesOf = ({ run_id }: Pick<RunView, 'run_id'>): number[] =>
  processesWith(`HOLDPOINT_RUN_ID=${run_id}`);

/** Waits until no process but this one is left that works in this folder or was told of it. */
export async function nothingLeftIn(root: string): Promise<void> {
  const isInIt = (path: string) => path === root || path.startsWith(`${root}/`);
  const isOfIt = (pid: string) =>
    Number(pid) !== process.pid &&
    (isInIt(folderOf(pid)) || environmentOf(pid).some((variable) => isInIt(variable.slice(variable.indexOf('=') + 1))));
  while (everyProcess().some(isOfIt)) await new Promise((resolve) => setTimeout(resolve, 50));
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
