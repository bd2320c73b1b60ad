// A Node of this machine that cannot run Holdpoint by itself, so that its launcher has to hand over to another one; none
// where the machine has no such Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NEEDED_MAJOR = 24;

const majorOf = (node: string): number =>
  Number.parseInt(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.slice(1), 10);

export const olderNode: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path) && majorOf(path) < NEEDED_MAJOR);
