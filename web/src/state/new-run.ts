// Decides what the form for a new run sends to the chosen agent, and why it cannot be sent. Pure. What an agent takes comes
// from its description, which exists only while a worker hosts the agent.
import type { AgentView } from '../../../src/core/views.ts';
import { EXTERNAL_AGENT } from '../text/session-text.ts';
import { type Chosen, settingsInput } from './run-settings.ts';

export interface RunForm {
  agent: string;
  task: string;
  folder: string;
  /** The settings that were chosen, by agent. */
  chosen: Readonly<Record<string, Chosen>>;
}

/** A session to create and the input of its first run. */
export interface NewRun {
  session: { agent: string; title: string; work_folder?: string };
  input: Record<string, unknown>;
}

const MAX_TITLE_CHARACTERS = 120;

/** `agent`: its description, where a worker hosts it. */
export function newRun({ agent: name, task, folder, chosen }: RunForm, agent: AgentView | undefined): NewRun {
  const title = task.trim().split('\n')[0]?.slice(0, MAX_TITLE_CHARACTERS) ?? '';
  const workFolder = folder.trim();
  return {
    session: { agent: name.trim(), title, ...(workFolder !== '' && { work_folder: workFolder }) },
    input: {
      ...(agent?.takes === 'command' ? { command: ['sh', '-c', task] } : { text: task }),
      ...settingsInput(agent?.settings ?? [], chosen[name.trim()] ?? {}),
    },
  };
}

/** A run that needs nothing installed, where an agent offers one. */
export function demoRun(agents: readonly AgentView[]): NewRun | undefined {
  for (const { name, demo } of agents)
    if (demo) return { session: { agent: name, title: demo.title }, input: demo.input };
  return undefined;
}

const EXTERNAL_TEXT = `“${EXTERNAL_AGENT}” stands for programs that start their own runs: nothing would work on one from here.`;

export function formProblem({ agent, task, folder }: RunForm): string | undefined {
  if (task.trim() === '') return 'Describe the task.';
  if (agent.trim() === EXTERNAL_AGENT) return EXTERNAL_TEXT;
  if (agent.trim() === '') return 'Choose an agent.';
  if (folder.trim() !== '' && !isAbsolute(folder.trim()))
    return 'Enter the folder as an absolute path, such as /home/me/project. It must exist on the worker’s machine.';
  return undefined;
}

/** On the worker's machine, which may run any system. */
const isAbsolute = (path: string): boolean => /^(\/|\\\\|[A-Za-z]:[\\/])/.test(path);

/** Below the name of the agent. `agents`: undefined until they are known. */
export function agentNote(name: string, agents: readonly AgentView[] | undefined): string {
  if (name === EXTERNAL_AGENT) return EXTERNAL_TEXT;
  if (name === '' || !agents || agents.some((agent) => agent.name === name)) return '';
  return `No worker hosts “${name}” right now. The run waits for one and starts with the agent’s default settings.`;
}
