// What a run says while it works. Kept by the run; what has a text is also in the thread of its session. Some of it is
// kept by the worker for itself: by it a run is taken up again, so nobody else may write it.

export interface Output {
  id: string;
  runId: string;
  position: number;
  at: number;
  content: Record<string, unknown>;
}

/** Types and ids of what workers keep: conversations, modes, what a run was held on, how often its agent died. */
const KEPT = /^(?:claude|codex|mock|opencode|amp|acp)-|^(?:checkpoint|exit)$/;

export const isKept = ({ type, output_id }: { type?: string | undefined; output_id?: string | undefined }): boolean =>
  [type, output_id].some((name) => name !== undefined && KEPT.test(name));
