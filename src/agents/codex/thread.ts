// Starts the Codex thread of a session, or resumes it in a later run, with the settings of the run. Each run sends all of
// its settings, because `thread/resume` would restore those of the run before.
import type { AgentContext } from '../agent.ts';
import type { Peer } from '../wire/json-rpc.ts';
import { realFolder } from '../workspace/work-folder.ts';
import { effectiveSettings } from './effective-settings.ts';
import { folderConfig } from './folder-config.ts';
import type { CodexSpec } from './input.ts';
import { THREAD } from './outputs.ts';
import { ThreadReply } from './protocol.ts';
import { askTool } from './questions.ts';
import type { Rollouts } from './rollouts.ts';

/** A person decides what Codex asks for; their own configuration may have left that to a model. */
const approvalsReviewer = 'user';

/** `collaborationMode`: for `turn/start`. `hasInput`: an earlier process has sent the input of this run to the thread. */
export async function openThread(context: AgentContext, spec: CodexSpec, peer: Peer, rollouts: Rollouts) {
  const folder = await realFolder(context.session.work_folder as string);
  const known = await context.recall(THREAD);
  const inFolder = () => folderConfig(spec, folder, peer);
  if (typeof known?.thread_id !== 'string') {
    const settings = spec.atMost
      ? (await effectiveSettings(spec, await inFolder(), peer)).settings
      : { ...spec.settings, ...(spec.trustsFolder !== undefined && { config: (await inFolder()).config }) };
    const started = await peer.request('thread/start', { ...settings, approvalsReviewer, dynamicTools: [askTool] });
    rollouts.learn(started);
    const { thread, model } = ThreadReply.parse(started);
    const collaborationMode = spec.mode === 'plan' ? modeOf(spec, model, null) : undefined;
    return { id: thread.id, collaborationMode, hasInput: false };
  }
  const { settings, reasoningEffort } = await effectiveSettings(spec, await inFolder(), peer);
  const target = { threadId: known.thread_id, cwd: folder, approvalsReviewer };
  const resumed = await peer.request('thread/resume', { ...target, ...settings });
  rollouts.learn(resumed);
  const { thread, model } = ThreadReply.parse(resumed);
  const items = thread.turns.flatMap((turn) => turn.items);
  const isInput = ({ type, clientId }: (typeof items)[number]) =>
    type === 'userMessage' && clientId === context.run.run_id;
  const hasInput = context.resumed && items.some(isInput);
  return { id: thread.id, collaborationMode: modeOf(spec, model, reasoningEffort), hasInput };
}

/** A thread stays in the mode of its last turn until another is set. */
const modeOf = ({ mode }: CodexSpec, model: string | null | undefined, reasoningEffort: string | null) => ({
  mode,
  settings: { model, reasoning_effort: mode === 'plan' ? null : reasoningEffort, developer_instructions: null },
});
