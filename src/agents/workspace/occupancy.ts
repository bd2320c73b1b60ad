// Locks a workspace for one dispatch at a time, by a record in `.agora/dispatch.json` of the dispatch, its worker and its
// program. A dispatch waits while another one runs; after a crash it takes the lock over and first ends the program that
// the crashed dispatch left running.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import type { Processes, ProcessIdentity } from '../agent.ts';
import { DispatchFailure } from './dispatch-failure.ts';
import { kindOf, makeFolder, readPlain, writePlain } from './files.ts';

const Identity = z.strictObject({ host: z.string(), pid: z.int().positive(), began: z.string() });
const DispatchRecord = z.strictObject({
  token: z.string(),
  dispatch_id: z.string(),
  worker: Identity,
  program: Identity.optional(),
});
type DispatchRecord = z.infer<typeof DispatchRecord>;

export interface Workspace {
  readonly folder: string;
  /** `.agora`, for files that exist only while a dispatch runs. */
  readonly own: string;
  /** This dispatch was started before, and its program had exited by itself. */
  readonly wasLeft: boolean;
  isMine(): boolean;
  /** Throws if another dispatch has taken over: the program must not start then. */
  record(program: ProcessIdentity): void;
  leave(): Promise<void>;
}

export const markOf = (dispatchId: string): string => `AGORA_DISPATCH_ID=${dispatchId}`;

const POLL_MS = 100;
/** Keeps a program that commits everything from committing the folder. */
const IGNORE = '.gitignore';
const IGNORED = '# Made by Holdpoint for a dispatch, and removed with it.\n*\n';
/** Files that a worker leaves when it dies. */
const TEMPORARY = /^(draft|left|stale|taken)-/;
/** Records of earlier dispatches, until their programs have ended. */
const ASIDE = 'left-';
const ANYTHING = { recursive: true, force: true };

/** `onWait` is called once, with the id of the dispatch that has to leave first. */
export async function occupy(
  folder: string,
  dispatchId: string,
  processes: Processes,
  signal: AbortSignal,
  onWait: (otherId: string) => Promise<void>,
): Promise<Workspace> {
  const own = join(folder, '.agora');
  const path = join(own, 'dispatch.json');
  const mine: DispatchRecord = { token: randomUUID(), dispatch_id: dispatchId, worker: processes.self() };
  let hasWaited = false;
  for (;;) {
    signal.throwIfAborted();
    await makeOwn(own);
    if (await enter(own, path, mine)) break;
    const found = await recordAt(path);
    if (!found) continue;
    if (found.worker.host !== mine.worker.host) throw elsewhere(found);
    if (!processes.isAlive(found.worker) || found.dispatch_id === dispatchId) {
      await putAside(own, path, found);
      continue;
    }
    if (!hasWaited) await onWait(found.dispatch_id);
    hasWaited = true;
    await sleep(POLL_MS, undefined, { signal });
  }
  const wasLeft = await endEarlier(own, dispatchId, processes).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });

  const isMine = () => tokenAt(path) === mine.token;
  return {
    folder,
    own,
    wasLeft,
    isMine,
    record(program) {
      if (!isMine()) throw new Error('another worker has taken this dispatch over');
      const draft = join(own, `draft-${mine.token}`);
      writeFileAtomic(path, JSON.stringify({ ...mine, program }), { mode: 0o644, draft });
    },
    async leave() {
      if (!isMine()) return;
      for (const name of await readdir(own)) if (TEMPORARY.test(name)) await rm(join(own, name), ANYTHING);
      await rm(path, { force: true });
      await removeOwn(own);
    },
  };
}

/** Another dispatch may remove the folder meanwhile: `enter` fails then, and is tried again. */
async function makeOwn(own: string): Promise<void> {
  if (await makeFolder(own)) return writePlain(join(own, IGNORE), IGNORED, own).catch(() => {});
  if ((await kindOf(own)) !== 'other') return;
  const detail = '.agora in the workspace is not a folder. Remove it and start again.';
  throw new DispatchFailure('integrity-failed', detail);
}

/** Keeps a folder that the owner of the workspace made. */
async function removeOwn(own: string): Promise<void> {
  const ignore = await readPlain(join(own, IGNORE));
  if (ignore?.bytes.toString('utf8') === IGNORED) await rm(join(own, IGNORE), { force: true });
  await rmdir(own).catch(() => {});
}

/** A link is atomic, and fails if there is a record. */
async function enter(own: string, path: string, mine: DispatchRecord): Promise<boolean> {
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

/** If the record was replaced since it was read, the new one is put back. */
async function putAside(own: string, path: string, read: DispatchRecord): Promise<void> {
  const aside = join(own, `${ASIDE}${randomUUID()}`);
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if (tokenAt(aside) === read.token) return;
  await link(aside, path).catch(() => {});
  await rm(aside, ANYTHING);
}

/** Ends the programs of earlier dispatches, by their mark: anything may have written a record here. Resolves to whether this dispatch is one, and its program had exited. */
async function endEarlier(own: string, dispatchId: string, processes: Processes): Promise<boolean> {
  let wasLeft = false;
  for (const name of (await readdir(own)).filter((each) => each.startsWith(ASIDE))) {
    const earlier = await recordAt(join(own, name));
    if (!earlier) continue; // It was put back.
    const { program, dispatch_id, worker } = earlier;
    const isSame = dispatch_id === dispatchId;
    if (!isSame && processes.isAlive(worker)) continue; // It is about to be put back.
    const wasRunning = program !== undefined && processes.isAlive(program);
    if (program && !(await processes.end(program, markOf(dispatch_id))))
      throw new DispatchFailure('worker-failed', `Process ${program.pid} of an earlier dispatch cannot be ended.`);
    await rm(join(own, name), ANYTHING);
    wasLeft ||= isSame && program !== undefined && !wasRunning;
  }
  return wasLeft;
}

async function recordAt(path: string): Promise<DispatchRecord | undefined> {
  const found = await readPlain(path);
  if (!found && (await kindOf(path)) === 'missing') return undefined;
  try {
    return DispatchRecord.parse(JSON.parse(found?.bytes.toString('utf8') ?? ''));
  } catch {
    const detail = `.agora/${basename(path)} was altered. See that nothing runs there, then remove it.`;
    throw new DispatchFailure('integrity-failed', detail);
  }
}

function tokenAt(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as DispatchRecord).token;
  } catch {
    return undefined;
  }
}

const elsewhere = ({ worker, dispatch_id }: DispatchRecord) =>
  new DispatchFailure(
    'worker-failed',
    `Dispatch ${dispatch_id} works in this folder from ${worker.host}. If that machine is gone, remove .agora/dispatch.json.`,
  );
