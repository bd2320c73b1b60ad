// The hooks of people's own agents that wait for somebody at this moment, each as a note in the state folder for as long as
// it waits. A hook that was killed in a way that lets it say nothing leaves its note behind, and a worker of this machine
// ends what it had asked. Owns the notes; what is done about one is for the agent.
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { identityOf, isAlive } from './process-group.ts';

/** What a hook has asked, by the names it was given before it was asked. */
export interface HookCall {
  run_id: string;
  call_id: string;
}

const Note = z.strictObject({
  run_id: z.string(),
  call_id: z.string(),
  process: z.strictObject({ host: z.string(), pid: z.int(), began: z.string() }),
});

/** No hook waits longer: a note that no server has anything to say about is of no use to anybody. */
const OLDEST_MS = 24 * 3_600_000;

const folderOf = (data: string): string => join(data, 'hooks');

/** Of this process. Returns what takes the note away; a folder that cannot be written to is no reason not to ask. */
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

/** Has everything ended that hooks of this agent had asked which are gone. One that cannot be ended now is tried again. */
export async function endAbandoned(data: string, agent: string, end: (call: HookCall) => Promise<void>): Promise<void> {
  const names = await readdir(folderOf(data)).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(`${agent}-`) && one.endsWith('.json'))) {
    const path = join(folderOf(data), name);
    const found = await read(path);
    if (!found || isAlive(found.note.process)) continue;
    const { run_id, call_id } = found.note;
    // Of a process on another machine, or from before this one had its name, nothing is known here.
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

/** Undefined also where it is just being written, or taken away. */
async function read(path: string): Promise<{ note: z.infer<typeof Note>; at: number } | undefined> {
  try {
    return { note: Note.parse(JSON.parse(await readFile(path, 'utf8'))), at: (await stat(path)).mtimeMs };
  } catch {
    return undefined;
  }
}
