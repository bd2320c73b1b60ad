// Stores a note on disk for each hook process that is waiting for an answer. A hook process that was killed leaves its note
// behind, and a worker of the same machine then ends its ask. Owns the notes; how an ask is ended is the agent's part.
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { HookCall } from '../agents/agent.ts';
import { identityOf, isAlive } from './process-group.ts';

const Note = z.strictObject({
  run_id: z.string(),
  call_id: z.string(),
  process: z.strictObject({ host: z.string(), pid: z.int(), began: z.string() }),
});

/** No hook waits longer than this. */
const OLDEST_MS = 24 * 3_600_000;

const folderOf = (data: string): string => join(data, 'hooks');

/** Writes a note for this process and returns the function that removes it. A folder that cannot be written does not stop the hook. */
export function noteHook(data: string, agent: string, call: HookCall): () => Promise<void> {
  const path = join(folderOf(data), `${agent}-${crypto.randomUUID()}.json`);
  try {
    mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify({ ...call, process: identityOf(process.pid) }), { mode: 0o600, flag: 'wx' });
  } catch {
    return async () => {};
  }
  return () => rm(path, { force: true });
}

/** Ends the asks of hook processes that are gone. A failure is retried on the next call. */
export async function endAbandonedHooks(
  data: string,
  agent: string,
  end: (call: HookCall) => Promise<void>,
): Promise<void> {
  const names = await readdir(folderOf(data)).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(`${agent}-`) && one.endsWith('.json'))) {
    const path = join(folderOf(data), name);
    const found = await read(path);
    if (!found || isAlive(found.note.process)) continue;
    const { run_id, call_id } = found.note;
    // The state of a process on another machine cannot be determined here.
    const isOurs = found.note.process.host === identityOf(process.pid).host;
    const isEnded =
      isOurs &&
      (await end({ run_id, call_id }).then(
        () => true,
        () => false,
      ));
    if (isEnded || Date.now() - found.at > OLDEST_MS) await rm(path, { force: true });
  }
}

/** Undefined also while the note is being written or removed. */
async function read(path: string): Promise<{ note: z.infer<typeof Note>; at: number } | undefined> {
  try {
    return { note: Note.parse(JSON.parse(await readFile(path, 'utf8'))), at: (await stat(path)).mtimeMs };
  } catch {
    return undefined;
  }
}
