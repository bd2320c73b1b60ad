// Derives the call id of an ask from a permission request of an attached Claude Code, which does not name its call: from the
// unfinished PreToolUse of the same thread, tool and input. Where there is none or several, the id is random. Calls are
// known to one server; the id tells every server the thread (the session, or a sub-agent) that asked. Pure.
import { canonical } from '../../core/digest.ts';
import type { AskView } from '../../core/views.ts';

export interface Call {
  /** The id of the sub-agent that calls; undefined for the session itself. */
  thread: string | undefined;
  tool: string;
  input: Record<string, unknown>;
}

/** Calls whose end is never reported must not pile up. */
const MOST_CALLS = 200;

const isStart = (tool: string): boolean => tool === 'Agent' || tool === 'Task';

/** Ids of calls are unique within a thread only. */
export const askName = (thread: string | undefined, callId: string): string => `${prefixOf(thread)}${callId}`;

/** Random, so that two identical requests never share one ask and its answer. */
export const unnamedAsk = (thread: string | undefined): string => askName(thread, `permission-${crypto.randomUUID()}`);

export const isOfThread = (
  { tool_call_id, request: { lineage = [] } }: AskView,
  thread: string | undefined,
): boolean =>
  thread === undefined ? lineage.length === 0 : lineage.length > 0 && tool_call_id.startsWith(prefixOf(thread));

const prefixOf = (thread: string | undefined): string => (thread === undefined ? '' : `${encodeURIComponent(thread)}/`);

/** Canonical JSON, or plain JSON for text with half a surrogate pair, which has no canonical form. */
export function comparable(input: unknown): string {
  try {
    return canonical(input);
  } catch {
    return JSON.stringify(input);
  }
}

export function createCalls() {
  /** By name. */
  const live = new Map<string, Call & { isAsked: boolean; beganAt: number }>();

  /** By the id of the sub-agent. */
  const tasks = new Map<string, string>();

  return {
    began(callId: string, call: Call, now: number): void {
      const name = askName(call.thread, callId);
      live.delete(name);
      live.set(name, { ...call, isAsked: false, beganAt: now });
      const [oldest = name] = live.keys();
      if (live.size > MOST_CALLS) live.delete(oldest);
    },

    /** The name for the ask of a request; undefined where no call fits, or several do. No second request gets it. */
    asked({ thread, tool, input }: Call): string | undefined {
      const isSame = (call: Call & { isAsked: boolean }) =>
        !call.isAsked && call.thread === thread && call.tool === tool && comparable(call.input) === comparable(input);
      const [fitting, ...others] = [...live].filter(([, call]) => isSame(call));
      if (!fitting || others.length > 0) return undefined;
      const [name, call] = fitting;
      call.isAsked = true;
      return name;
    },

    /** Claude Code names the sub-agent that a call has started. */
    started(agentId: string, task: string): void {
      tasks.set(agentId, task);
      const [oldest = agentId] = tasks.keys();
      if (tasks.size > MOST_CALLS) tasks.delete(oldest);
    },

    /** What a sub-agent is to do: as its start named it, or else as the only call does that waits for one of its type. */
    taskOf(agentId: string, type: string | undefined): string | undefined {
      const starting = [...live.values()].filter(({ tool, input }) => isStart(tool) && input.subagent_type === type);
      const description = starting.length === 1 ? starting[0]?.input.description : undefined;
      return tasks.get(agentId) ?? (typeof description === 'string' ? description : undefined);
    },

    ended: (thread: string | undefined, callId: string): boolean => live.delete(askName(thread, callId)),

    threadEnded(isOver: (thread: string | undefined) => boolean): void {
      for (const [name, { thread }] of live) if (isOver(thread)) live.delete(name);
    },

    /** Whether a sub-agent has begun a call since, and has not asked for it yet. */
    mayAskSince: (at: number): boolean =>
      [...live.values()].some(({ thread, isAsked, beganAt }) => thread !== undefined && !isAsked && beganAt > at),

    isIdle: (): boolean => live.size === 0,
  };
}
