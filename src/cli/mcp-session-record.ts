// Records under which id a program asks, for each server, folder and client or question: the session of `holdpoint mcp`, the
// ask of `holdpoint ask`. A program that left with something open is followed by the next one under the same id. A record belongs to one living process, so that two programs in one
// folder have a session each.
import { hash } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../node/atomic-file.ts';

const Content = z.object({ pid: z.int(), session_id: z.string().optional() });

export interface SessionRecord {
  /** What an earlier program left open. */
  sessionId: string | undefined;
  keep(sessionId: string): void;
  drop(): void;
}

const MOST = 100;

/** `of`: what tells apart which programs may follow each other. */
export function takeRecord(folder: string, of: readonly string[]): SessionRecord | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = hash('sha256', JSON.stringify(of), 'hex').slice(0, 16);
  for (let n = 1; n <= MOST; n++) {
    const path = join(folder, `${name}-${n}.json`);
    const found = create(path) ?? takeOver(path);
    if (found) return recordAt(path, found.session_id);
  }
  return undefined;
}

function create(path: string): z.infer<typeof Content> | undefined {
  try {
    writeSync(openSync(path, 'wx', 0o600), JSON.stringify({ pid: process.pid }));
    return { pid: process.pid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** Of several programs that start at once, the rename succeeds for one. */
function takeOver(path: string): z.infer<typeof Content> | undefined {
  try {
    const found = Content.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (isAlive(found.pid)) return undefined;
    const mine = `${path}.${process.pid}`;
    renameSync(path, mine);
    rmSync(mine);
    return found;
  } catch {
    return undefined;
  }
}

function recordAt(path: string, sessionId: string | undefined): SessionRecord {
  const keep = (session_id: string | undefined) =>
    writeFileAtomic(path, JSON.stringify({ pid: process.pid, session_id }));
  keep(sessionId);
  return { sessionId, keep, drop: () => rmSync(path, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
