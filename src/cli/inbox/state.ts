// What the inbox knows: the asks, which one is looked at, and what the person is in the middle of. Data only; update.ts
// says how it changes, view.ts how it looks.
import type { ApprovalResolution, QuestionResolution } from '../../core/answer.ts';
import type { AskView, SessionView } from '../../core/views.ts';
import type { Style } from '../text/spans.ts';
import type { Form } from './form.ts';
import type { TextField } from './text-field.ts';

export interface Entry {
  readonly ask: AskView;
  /** How it ended, and since when that is shown. */
  readonly settled?: { readonly text: string; readonly atMs: number };
  /** An answer is on its way. */
  readonly sending?: boolean;
}

export type Mode =
  | { readonly name: 'list' }
  | { readonly name: 'detail'; readonly scroll: number }
  | { readonly name: 'form'; readonly form: Form; readonly scroll: number }
  | { readonly name: 'deny'; readonly field: TextField; readonly before: Mode }
  | { readonly name: 'decline'; readonly field: TextField; readonly before: Mode }
  | { readonly name: 'filter'; readonly field: TextField; readonly before: Mode }
  /** The input is being changed here, for want of an editor; of a lone text only that text, under its key. */
  | { readonly name: 'edit'; readonly field: TextField; readonly before: Mode; readonly key: string | undefined }
  /** The input was changed and is shown before it is allowed. */
  | { readonly name: 'edited'; readonly input: Record<string, unknown>; readonly scroll: number }
  | { readonly name: 'help'; readonly before: Mode };

export interface Notice {
  readonly text: string;
  readonly style: Style;
  readonly untilMs: number;
}

export interface State {
  readonly entries: readonly Entry[];
  readonly sessions: ReadonlyMap<string, SessionView>;
  readonly selectedId: string | undefined;
  /** When something else than the person last moved the selection. */
  readonly movedAtMs: number;
  readonly filter: string;
  /** The ask that was whole on the screen when the clock last ticked. */
  readonly inSightId: string | undefined;
  readonly mode: Mode;
  readonly notice: Notice | undefined;
  readonly link: 'connecting' | 'live' | 'lost';
  readonly url: string;
  /** How this program is called here. */
  readonly ownName: string;
  readonly hasEditor: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

/** What the program has to do because of a change. */
export type Effect =
  | { readonly do: 'decide'; readonly ask: AskView; readonly resolution: ApprovalResolution }
  | { readonly do: 'answer'; readonly ask: AskView; readonly resolution: QuestionResolution }
  | { readonly do: 'open_editor'; readonly ask: AskView; readonly input: Record<string, unknown> }
  | { readonly do: 'tell_seen'; readonly ask: AskView }
  | { readonly do: 'bell' }
  | { readonly do: 'suspend' }
  | { readonly do: 'redraw' }
  | { readonly do: 'quit' };

export interface Changed {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function initialState(
  given: Pick<State, 'url' | 'ownName' | 'hasEditor' | 'columns' | 'rows' | 'nowMs'>,
): State {
  return {
    ...given,
    entries: [],
    sessions: new Map(),
    selectedId: undefined,
    movedAtMs: Number.NEGATIVE_INFINITY,
    filter: '',
    inSightId: undefined,
    mode: { name: 'list' },
    notice: undefined,
    link: 'connecting',
  };
}

export const waitingCount = (state: State): number => state.entries.filter((e) => !e.settled).length;
