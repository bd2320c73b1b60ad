// Who works in a workspace: one dispatch at a time. The record in `.agora/dispatch.json` names the dispatch, its worker
// and its program, so that whoever comes after a crash ends what was left running before anything is started again.
// A dispatch that finds another one at work waits; one that was taken over touches nothing any more.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { link, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Processes, ProcessIdentity } from '../agent.ts';
import { DispatchFailure } from './dispatch-failure.ts';
import { kindOf, makeFolder, readPlain, writeWhole } from './files.ts';

const Identity = z.strictObject({ host: z.string(), pid: z.int().positive(), began: z.string() });
const Occupant = z.strictObject({
  token: z.string(),
  dispatch_id: z.string(),
  worker: Identity,
  program: Identity.optional(),
});
type Occupant = z.infer<typeof Occupant>;

export interface Workspace {
  readonly folder: string;
  /** `.agora`, for what a dispatch keeps while it works. */
  readonly own: string;
  /** This same dispatch was begun before, and what it had started had ended by itself. */
  readonly wasLeft: boolean;
  isMine(): boolean;
  /** Throws when another dispatch has taken over: then the program must not begin. */
  record(program: ProcessIdentity): void;
  leave(): Promise<void>;
}

export const markOf = (dispatchId: string): string => `AGORA_DISPATCH_ID=${dispatchId}`;

const LOOK_EVERY_MS = 100;
/** A program that commits everything it finds must not commit this folder. */
const IGNORE = '.gitignore';
const IGNORED = '# Made by Holdpoint for a dispatch, and removed with it.\n*\n';
/** What a worker that died leaves of its own. */
const SCRAPS = /^(draft|left|stale|taken)-/;
/** The record of whoever was there before, until its program has ended. */
const ASIDE = 'left-';
const ANYTHING = { recursive: true, force: true };

/** `onWait` is called once, with whoever has to leave first. */
export async function occupy(
  folder: string,
  dispatchId: string,
  processes: Processes,
  signal: AbortSignal,
  onWait: (otherId: string) => Promise<void>,
): Promise<Workspace> {
  const own = join(folder, '.agora');
  const path = join(own, 'dispatch.json');
  const mine: Occupant = { token: randomUUID(), dispatch_id: dispatchId, worker: processes.self() };
  let hasSaidSo = false;
  for (;;) {
    signal.throwIfAborted();
    await makeOwn(own);
    if (await enter(own, path, mine)) break;
    const found = await occupantOf(path);
    if (!found) continue;
    if (found.worker.host !== mine.worker.host) throw elsewhere(found);
    const isAtWork = processes.isAlive(found.worker) && found.dispatch_id !== dispatchId;
    if (!isAtWork) {
      await putAside(own, path, found);
      continue;
    }
    if (!hasSaidSo) await onWait(found.dispatch_id);
    hasSaidSo = true;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  const wasLeft = await endEarlier(own, dispatchId, processes).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });

  const isMine = () => readToken(path) === mine.token;
  return {
    folder,
    own,
    wasLeft,
    isMine,
    record(program) {
      if (!isMine()) throw new Error('another worker has taken this dispatch over');
      const draft = join(own, `draft-${mine.token}`);
      writeFileSync(draft, JSON.stringify({ ...mine, program }), { flush: true });
      renameSync(draft, path);
    },
    async leave() {
      if (!isMine()) return;
      for (const name of await readdir(own)) if (SCRAPS.test(name)) await rm(join(own, name), ANYTHING);
      await rm(path, { force: true });
      await removeOwn(own);
    },
  };
}

/** Two dispatches may be at it at once: whoever is refused looks again. */
async function makeOwn(own: string): Promise<void> {
  if (await makeFolder(own)) return writeWhole(join(own, IGNORE), IGNORED, own).catch(() => {});
  if ((await kindOf(own)) === 'other')
    throw new DispatchFailure(
      'integrity-failed',
      '.agora in the workspace is not a folder. Remove it and start again.',
    );
}

/** Ours is there only while somebody works; one that the owner of the workspace made stays. */
async function removeOwn(own: string): Promise<void> {
  const mark = await readPlain(join(own, IGNORE));
  if (mark?.bytes.toString('utf8') === IGNORED) await rm(join(own, IGNORE), { force: true });
  await rmdir(own).catch(() => {});
}

/** Linked into place whole: the first one has it. */
async function enter(own: string, path: string, mine: Occupant): Promise<boolean> {
  const draft = join(own, `draft-${mine.token}`);
  try {
    await writeFile(draft, JSON.stringify(mine), { flush: true });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Only the record that was judged: if somebody else was quicker, theirs is put back. */
async function putAside(own: string, path: string, judged: Occupant): Promise<void> {
  const aside = join(own, `${ASIDE}${randomUUID()}`);
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if (readToken(aside) === judged.token) return;
  await link(aside, path).catch(() => {});
  await rm(aside, ANYTHING);
}

/**
 * Ends what the records put aside name, also those that a worker put aside and then died. Resolves to whether this same
 * dispatch was begun before and its program had ended by itself.
 */
async function endEarlier(own: string, dispatchId: string, processes: Processes): Promise<boolean> {
  let wasLeft = false;
  for (const name of (await readdir(own)).filter((each) => each.startsWith(ASIDE))) {
    const earlier = await occupantOf(join(own, name));
    if (!earlier) continue; // Somebody put it back.
    const { program, dispatch_id, worker } = earlier;
    const isSame = dispatch_id === dispatchId;
    if (!isSame && processes.isAlive(worker)) continue; // Somebody is about to put it back.
    const wasRunning = program !== undefined && processes.isAlive(program);
    if (program && !(await processes.end(program, markOf(dispatch_id))))
      throw new DispatchFailure('worker-failed', `Process ${program.pid} of an earlier dispatch cannot be ended.`);
    await rm(join(own, name), ANYTHING);
    wasLeft ||= isSame && program !== undefined && !wasRunning;
  }
  return wasLeft;
}

async function occupantOf(path: string): Promise<Occupant | undefined> {
  const found = await readPlain(path);
  if (!found) {
    if ((await kindOf(path)) === 'missing') return undefined;
    throw altered(path);
  }
  try {
    return Occupant.parse(JSON.parse(found.bytes.toString('utf8')));
  } catch {
    throw altered(path);
  }
}

function readToken(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as Occupant).token;
  } catch {
    return undefined;
  }
}

const altered = (path: string) =>
  new DispatchFailure(
    'integrity-failed',
    `.agora/${basename(path)} was altered. See that nothing runs there, then remove it.`,
  );

const elsewhere = ({ worker, dispatch_id }: Occupant) =>
  new DispatchFailure(
    'worker-failed',
    `Dispatch ${dispatch_id} works in this folder from ${worker.host}. If that machine is gone, remove .agora/dispatch.json.`,
  );
