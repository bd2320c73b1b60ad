// Which asks the list shows, and what a filter looks at.
import { isQuestion, summary } from '../text/ask-text.ts';
import type { Entry, State } from './state.ts';

export function visibleEntries(state: State): readonly Entry[] {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.entries;
  return state.entries.filter((entry) => {
    const text = textOf(state, entry);
    return words.every((word) => text.includes(word));
  });
}

function textOf({ sessions }: State, { ask }: Entry): string {
  const session = sessions.get(ask.session_id);
  const request = ask.request;
  const words = [
    ask.ask_id,
    ask.kind,
    ask.session_id,
    session?.title ?? '',
    session?.agent ?? '',
    ...(session?.project_ids ?? []),
    summary(request),
    isQuestion(request) ? '' : request.reason.slice(0, 2000),
  ];
  return words.join(' ').toLowerCase();
}

export const selectedEntry = (state: State): Entry | undefined =>
  state.entries.find((e) => e.ask.ask_id === state.selectedId);
