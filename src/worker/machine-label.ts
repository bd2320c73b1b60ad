// Generates the label of this machine's state folder, once, and stores it there. Sessions of attached agents carry it: only
// a worker of the same machine knows the state of their agents.
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (data: string): string => join(data, 'attached-from');

/** Concurrent callers get the same label. */
export function machineLabel(data: string): string {
  const known = knownMachineLabel(data);
  if (known !== undefined) return known;
  // Linked into place once it is complete, so that no reader finds an empty file.
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const draft = `${fileOf(data)}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, fileOf(data));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = knownMachineLabel(data);
  if (made === undefined) throw new Error(`${fileOf(data)} was altered: remove it.`);
  return made;
}

/** Undefined where no agent was ever attached. */
export function knownMachineLabel(data: string): string | undefined {
  try {
    const name = readFileSync(fileOf(data), 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(name) ? `at=${name}` : undefined;
  } catch {
    return undefined;
  }
}
