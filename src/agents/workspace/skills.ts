// Published skills in the workspace of a run that names them: laid where its agent looks for skills before it begins, taken
// out again when it ends or is held, so that every byte is as it was. Meanwhile no other run that lays anything works in that
// folder. Owns the order of steps; workspace and overlay own how.
import type { AgentContext, Ending } from '../agent.ts';
import type { OverlayFile } from '../kit/runtime.ts';
import { DispatchFailure, failureOf } from './dispatch-failure.ts';
import { occupy, type Workspace } from './occupancy.ts';
import { layOverlay, takeOutOverlay } from './overlay.ts';
import { laidSkill } from './skill-guide.ts';

/** `place`: the folder in the workspace where the agent looks for skills. */
export async function withSkills(
  context: AgentContext,
  wanted: readonly string[],
  place: string,
  work: () => Promise<Ending>,
): Promise<Ending> {
  if (wanted.length === 0) return work();
  let isAtWork = false;
  try {
    const files = await skillFiles(context, wanted, place);
    const workspace = await enterWorkspace(context, context.session.work_folder as string);
    const { folder, own } = workspace;
    try {
      await takeOutOverlay(folder, own);
      await sayLeft(context, await layOverlay(folder, own, files));
      isAtWork = true;
      return await work();
    } finally {
      if (workspace.isMine()) {
        await takeOutOverlay(folder, own).catch(() => {}); // What could not be taken out is still written down.
        await workspace.leave();
      }
    }
  } catch (error) {
    const failure = context.signal.aborted || isAtWork ? undefined : failureOf(error);
    if (!failure) throw error;
    return failure;
  }
}

/** One run at a time lays files into a folder; whoever waits for that says so. */
export function enterWorkspace(context: AgentContext, folder: string): Promise<Workspace> {
  const { run, processes, signal } = context;
  return occupy(folder, run.run_id, processes, signal, (otherId) =>
    context.output(`Waits until ${otherId} has left this folder.`, { id: 'waits-for-folder', type: 'status' }),
  );
}

export async function skillFiles(
  context: AgentContext,
  wanted: readonly string[],
  place: string,
): Promise<OverlayFile[]> {
  const files: OverlayFile[] = [];
  for (const name of wanted) {
    const skill = await context.skill(name).catch((error: Error) => {
      throw new DispatchFailure('fetch-failed', error.message);
    });
    const { files: laid, left } = laidSkill(skill.files);
    for (const { path, bytes } of laid) files.push({ path: `${place}/${skill.name}/${path}`, content: bytes });
    // An agent that commits everything it finds must not commit this.
    files.push({ path: `${place}/${skill.name}/.gitignore`, content: Buffer.from('*\n') });
    if (left.length > 0)
      await context.output(`Not laid with the skill ${skill.name}, which may tell and not allow: ${left.join(', ')}`, {
        id: `skill-without-${skill.name}`,
        type: 'status',
      });
  }
  return files;
}

/** A file of the workspace's owner stays what it is; they should know that the run does not see ours. */
export async function sayLeft(context: AgentContext, left: readonly string[]): Promise<void> {
  if (left.length === 0) return;
  await context.output(`Left as it is: ${left.join(', ')}`, { id: 'overlay-left-out', type: 'status' });
}
