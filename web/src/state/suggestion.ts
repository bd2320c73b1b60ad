// Reads what an agent suggests to allow beyond a call, and finds what was taken of it. Pure. The agent's own fields are
// kept as they came.
import type { AskView } from '../../../src/core/views.ts';

interface Suggestion {
  id: string;
  label: string;
  /** The rest of it, as the agent sent it, where there is more. */
  grants: string | undefined;
}

/** One without an id cannot be taken. */
export function suggestionOf(suggestion: unknown): Suggestion[] {
  const { id, label, ...rest } = Object(suggestion) as { id?: unknown; label?: unknown };
  if (typeof id !== 'string') return [];
  const grants = Object.keys(rest).length > 0 ? JSON.stringify(rest) : undefined;
  return [{ id, label: typeof label === 'string' && label.trim() !== '' ? label : id, grants }];
}

/** In the words of the suggestion. */
export function suggestionsTaken({ kind, request, answer }: AskView): string[] {
  const offered = (kind === 'approval' && 'suggestions' in request ? (request.suggestions ?? []) : []).flatMap(
    suggestionOf,
  );
  return (answer?.suggestion_ids ?? []).map((taken) => offered.find(({ id }) => id === taken)?.label ?? taken);
}
