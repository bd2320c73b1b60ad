// The session of `holdpoint run`: a new one, or the existing one of that id. A session is never changed by being used:
// flags that contradict it are refused.
import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { inOrder, labelKey } from '../core/label.ts';
import type { SessionView } from '../core/views.ts';
import type { MutationFlags } from './command-flags.ts';
import { Failure } from './failure.ts';
import { sessionWithId } from './lookup.ts';
import { note } from './output.ts';
import { once } from './server-connection.ts';
import { oneLine } from './text/terminal-text.ts';

export interface SessionFlags extends MutationFlags {
  sessionId?: string;
  title?: string;
  workFolder?: string;
  label?: string[];
}

/**
 * Only a whole id names an existing session, because it also names a new one. The same key finds the same session again,
 * so that a repeat of the whole command starts one run.
 */
export async function sessionFor(client: Client, agent: string, flags: SessionFlags): Promise<SessionView> {
  const folder = folderNamed(flags.workFolder);
  const known = flags.sessionId === undefined ? undefined : await sessionWithId(client, flags.sessionId);
  if (known) {
    mustMatch(known, agent, { ...flags, ...(folder !== undefined && { workFolder: folder }) });
    const { session_id, work_folder } = known;
    // A person in another folder would expect the agent to work in that one.
    if (work_folder !== undefined && !isSameFolder(work_folder, folder ?? process.cwd()))
      note(`session ${session_id} works in ${oneLine(work_folder)}`);
    return known;
  }
  // An agent works in the current folder by default. One with a demo needs none.
  const { loadAgent } = await import('../boot/agents.ts');
  const work_folder = folder ?? ((await loadAgent(agent))?.demo ? undefined : process.cwd());
  const body = { agent, session_id: flags.sessionId, title: flags.title, work_folder, labels: flags.label };
  return once(flags, (options) => client.sessions.create(body, options));
}

/** Resolved here: the worker that receives the path has another current folder. */
export function folderNamed(typed: string | undefined): string | undefined {
  if (typed === '') throw new Failure('usage', '--work-folder takes a folder; `.` is the one you are in');
  return typed === undefined ? undefined : resolve(typed);
}

const isSameFolder = (one: string, other: string): boolean => resolve(one) === resolve(other);

function mustMatch(known: SessionView, agent: string, { title, workFolder, label }: SessionFlags): void {
  const refuse = (what: string) => {
    throw new Failure(
      'conflict',
      `session ${known.session_id} ${what}; nothing was started`,
      'Leave out what differs, or name a new session with --session-id.',
    );
  };
  if (known.agent !== agent) refuse(`belongs to the agent ${known.agent}, not ${agent}`);
  if (workFolder !== undefined && known.work_folder === undefined) refuse(`has no work folder, not ${workFolder}`);
  if (workFolder !== undefined && !isSameFolder(known.work_folder ?? '', workFolder))
    refuse(`works in ${oneLine(known.work_folder ?? '')}, not in ${workFolder}`);
  if (title !== undefined && title !== known.title)
    refuse(`is titled "${oneLine(known.title ?? '')}", not "${oneLine(title)}"`);
  if (label !== undefined && labelKey(inOrder(label)) !== labelKey(known.labels))
    refuse(
      `needs ${known.labels.length > 0 ? `the labels ${known.labels.join(', ')}` : 'no label'}, not ${label.join(', ')}`,
    );
}
