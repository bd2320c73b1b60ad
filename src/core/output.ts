// Defines an output of a run: a text, a tool call, or data. Outputs with a text appear in the session's thread. Some are
// written by an adapter to resume from after a crash, so only the worker that holds the lease may write those.

export interface Output {
  id: string;
  runId: string;
  position: number;
  at: number;
  content: Record<string, unknown>;
}

/** Types that an adapter writes for its own recovery, whatever agent it is for. */
const RECOVERY_TYPES: ReadonlySet<string> = new Set(['checkpoint', 'exit']);

/**
 * Whether an output is one that an adapter resumes from: its type or id begins with the name of the run's own agent
 * (conversation, mode, what the run was held on, restarts), or is one of the common ones.
 */
export const isForRecovery = (
  { type, output_id }: { type?: string | undefined; output_id?: string | undefined },
  agent: string,
): boolean =>
  [type, output_id].some((name) => name !== undefined && (RECOVERY_TYPES.has(name) || name.startsWith(`${agent}-`)));
