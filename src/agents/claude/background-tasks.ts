// Background tasks of Claude Code (sub-agents and commands), and finished ones that its model has not heard of. While there
// are any the process must not exit: the tasks would be killed, and Claude Code drops a deferred call when it reports a
// finished task. Pure.
import type { ClaudeMessage } from './protocol.ts';

export interface Background {
  /** What goes on, in words. */
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  /** Something has ended, and the model has not been told. */
  readonly hasNews: boolean;
}

export const isQuiet = ({ agents, commands, hasNews }: Background): boolean =>
  agents.length === 0 && commands.length === 0 && !hasNews;

const COMMAND = 'local_bash';

export function createBackground() {
  const tasks = new Map<string, { task_type: string; description: string }>();
  /** `on_its_way`: it goes with whatever is said to the model next. */
  let news: 'none' | 'fresh' | 'on_its_way' = 'none';

  function changed(now: readonly { task_id: string; task_type: string; description: string }[]): void {
    const present = new Set(now.map((task) => task.task_id));
    for (const id of tasks.keys()) {
      if (present.has(id)) continue;
      tasks.delete(id);
      news = 'fresh';
    }
    for (const task of now) tasks.set(task.task_id, task);
  }

  const of = (isWanted: (type: string) => boolean): string[] =>
    [...tasks.values()].filter((task) => isWanted(task.task_type)).map((task) => task.description);

  return {
    hear(message: ClaudeMessage): void {
      if (message.type === 'system' && message.tasks) changed(message.tasks);
      if (news === 'fresh' && isBeforeRequest(message)) news = 'on_its_way';
      const isSpoken = message.type === 'stream_event' && !message.parent_tool_use_id;
      if (news === 'on_its_way' && isSpoken && message.event.type === 'message_start') news = 'none';
    },
    now: (): Background => ({
      agents: of((type) => type !== COMMAND),
      commands: of((type) => type === COMMAND),
      hasNews: news !== 'none',
    }),
  };
}

/** A result, or the beginning of a turn: Claude Code puts the news to it, and only then asks its model. */
const isBeforeRequest = (message: ClaudeMessage): boolean =>
  (message.type === 'user' && message.agent_id === undefined) ||
  (message.type === 'system' && message.subtype === 'init');
