// Tracks the background tasks of Claude Code (sub-agents and commands) and whether the model knows that one ended. Until
// then the process must not exit: tasks would be killed, and a report of a finished task drops a deferred call. Pure.
import type { ClaudeMessage } from './protocol.ts';

export interface Background {
  /** Descriptions of what is running. */
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  /** A task has ended, and the model does not know it yet. */
  readonly hasNews: boolean;
}

export const isQuiet = ({ agents, commands, hasNews }: Background): boolean =>
  agents.length === 0 && commands.length === 0 && !hasNews;

const COMMAND = 'local_bash';

export function createBackground() {
  const tasks = new Map<string, { task_type: string; description: string }>();
  /** `attached`: Claude Code adds the news to its next request to the model. */
  let news: 'none' | 'fresh' | 'attached' = 'none';

  function changed(now: readonly { task_id: string; task_type: string; description: string }[]): void {
    const present = new Set(now.map((task) => task.task_id));
    for (const id of tasks.keys()) {
      if (present.has(id)) continue;
      tasks.delete(id);
      news = 'fresh';
    }
    for (const task of now) tasks.set(task.task_id, task);
  }

  const descriptions = (matches: (type: string) => boolean): string[] =>
    [...tasks.values()].filter((task) => matches(task.task_type)).map((task) => task.description);

  return {
    receive(message: ClaudeMessage): void {
      if (message.type === 'system' && message.tasks) changed(message.tasks);
      if (news === 'fresh' && precedesRequest(message)) news = 'attached';
      const isOfSession = message.type === 'stream_event' && !message.parent_tool_use_id;
      if (news === 'attached' && isOfSession && message.event.type === 'message_start') news = 'none';
    },
    now: (): Background => ({
      agents: descriptions((type) => type !== COMMAND),
      commands: descriptions((type) => type === COMMAND),
      hasNews: news !== 'none',
    }),
  };
}

/** A tool result or the start of a turn: Claude Code adds the news to it before it calls the model. */
const precedesRequest = (message: ClaudeMessage): boolean =>
  (message.type === 'user' && message.agent_id === undefined) ||
  (message.type === 'system' && message.subtype === 'init');
