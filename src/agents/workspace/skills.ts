// Installs the published skills that a run names into its workspace, and removes them when the run ends or is held.
// Meanwhile no other run that adds files works in that folder.
import type { AgentContext, Ending } from '../agent.ts';
import type { OverlayFile } from '../kit/runtime.ts';
import { DispatchFailure, failureOf } from './dispatch-failure.ts';
import { occupy, type Workspace } from './occupancy.ts';
import { layOverlay, removeOverlay } from './overlay.ts';
import { guideOf } from './skill-guide.ts';

/** `skillsFolder`: relative to the workspace. */
export async function withSkills(
  context: AgentContext,
  names: readonly string[],
  skillsFolder: string,
  work: () => Promise<Ending>,
): Promise<Ending> {
  if (names.length === 0) return work();
  let isAtWork = false;
  try {
    const files = await skillFiles(context, names, skillsFolder);
    const workspace = await enterWorkspace(context, context.session.work_folder as string);
    const { folder, own } = workspace;
    try {
      await removeOverlay(folder, own);
      await reportLeftOut(context, await layOverlay(folder, own, files));
      isAtWork = true;
      return await work();
    } finally {
      if (workspace.isMine()) {
        await removeOverlay(folder, own).catch(() => {}); // What could not be removed is still in the manifest.
        await workspace.leave();
      }
    }
  } catch (error) {
    const failure = context.signal.aborted || isAtWork ? undefined : failureOf(error);
    if (!failure) throw error;
    return failure;
  }
}

/** Waits for the run that works there, and reports that it does. */
export function enterWorkspace(context: AgentContext, folder: string): Promise<Workspace> {
  const { run, processes, signal } = context;
  return occupy(folder, run.run_id, processes, signal, (otherId) =>
    context.output(`Waits until ${otherId} has left this folder.`, { id: 'waits-for-folder', type: 'status' }),
  );
}

export async function skillFiles(
  context: AgentContext,
  names: readonly string[],
  skillsFolder: string,
): Promise<OverlayFile[]> {
  const files: OverlayFile[] = [];
  for (const name of names) {
    const skill = await context.skill(name).catch((error: Error) => {
      throw new DispatchFailure('fetch-failed', error.message);
    });
    const path = `${skillsFolder}/${skill.name}`;
    const guide = guideOf(skill.files);
    for (const file of guide.files) files.push({ path: `${path}/${file.path}`, content: file.bytes });
    // Keeps an agent that commits everything from committing this.
    files.push({ path: `${path}/.gitignore`, content: Buffer.from('*\n') });
    if (guide.leftOut.length === 0) continue;
    const text = `Not laid with the skill ${skill.name}, which may tell and not allow: ${guide.leftOut.join(', ')}`;
    await context.output(text, { id: `skill-without-${skill.name}`, type: 'status' });
  }
  return files;
}

/** Reports files of the workspace's owner that hide ours from the program. */
export async function reportLeftOut(context: AgentContext, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await context.output(`Left as it is: ${paths.join(', ')}`, { id: 'overlay-left-out', type: 'status' });
}
