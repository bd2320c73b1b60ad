// The session that `holdpoint run` works in: a new one, or the one of that id, which is never changed by being used. What
// is said of a session that is there must be true of it.
import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { inOrder, labelKey } from '../core/label.ts';
import type { SessionView } from '../core/views.ts';
import { Failure } from './failure.ts';
import { sessionNamed } from './record-lookup.ts';
import { type MutationFlags, note, once } from './server-connection.ts';
import { oneLine } from './text/terminal-text.ts';

export interface PlaceFlags extends MutationFlags {
  sessionId?: string;
  title?: string;
  workFolder?: string;
  label?: string[];
}

/**
 * Only a whole id names a session, because it also names a new one. The same key again finds the same session, so that
 * a repeat of the whole command starts one run.
 */
export async function sessionFor(client: Client, agent: string, flags: PlaceFlags): Promise<SessionView> {
  const named = folderNamed(flags.workFolder);
  const known = flags.sessionId === undefined ? undefined : await sessionNamed(client, flags.sessionId);
  if (known) {
    mustBe(known, agent, { ...flags, ...(named !== undefined && { workFolder: named }) });
    const { session_id, work_folder } = known;
    // Somebody who stands elsewhere would take it for the place where they stand.
    if (work_folder !== undefined && !isSameFolder(work_folder, named ?? process.cwd()))
      note(`session ${session_id} works in ${oneLine(work_folder)}`);
    return known;
  }
  // An agent works in the current folder, unless another one is named. One with a demo needs none.
  const { loadAgent } = await import('../boot/agents.ts');
  const work_folder = named ?? ((await loadAgent(agent))?.demo ? undefined : process.cwd());
  const body = { agent, session_id: flags.sessionId, title: flags.title, work_folder, labels: flags.label };
  return once(flags, (options) => client.sessions.create(body, options));
}

/** Relative to where the person stands: the worker that is given it stands elsewhere. */
export function folderNamed(typed: string | undefined): string | undefined {
  if (typed === '') throw new Failure('usage', '--work-folder takes a folder; `.` is the one you are in');
  return typed === undefined ? undefined : resolve(typed);
}

const isSameFolder = (one: string, other: string): boolean => resolve(one) === resolve(other);

function mustBe(known: SessionView, agent: string, { title, workFolder, label }: PlaceFlags): void {
  const refuse = (what: string) => {
    throw new Failure(
      'conflict',
      `session ${known.session_id} ${what}; nothing was started`,
      'Leave out what differs, or name a new session with --session-id.',
    );
  };
  if (known.agent !== agent) refuse(`is one of agent ${known.agent}, not ${agent}`);
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
