// Where the agents of people are attached from: a name of this state folder, made once and kept in it, as a label of their
// sessions. What an attached agent has asked belongs to that place; no other worker or server knows how it stands there.
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (data: string): string => join(data, 'attached-from');

/** Whoever makes it at the same moment finds the same one. */
export function placeOf(data: string): string {
  const known = knownPlace(data);
  if (known !== undefined) return known;
  // Linked when it is whole: nobody finds an empty one.
  const draft = `${fileOf(data)}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, fileOf(data));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = knownPlace(data);
  if (made === undefined) throw new Error(`${fileOf(data)} was altered: remove it.`);
  return made;
}

/** Undefined where nothing was ever attached. */
export function knownPlace(data: string): string | undefined {
  try {
    const name = readFileSync(fileOf(data), 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(name) ? `at=${name}` : undefined;
  } catch {
    return undefined;
  }
}
