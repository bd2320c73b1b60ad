// The state of the terminal inbox: the shared inbox model, the selected ask, and the mode the keyboard is in. Data and
// selectors only; update.ts and keys.ts change it, view.ts draws it.
import { filtered } from '../../client/inbox-filter.ts';
import { EMPTY_INBOX, type Inbox, type InboxEntry } from '../../client/inbox-model.ts';
import { arranged } from '../../client/triage.ts';
import type { ApprovalResolution, QuestionResolution } from '../../core/answer.ts';
import type { AskView } from '../../core/views.ts';
import type { Style } from '../text/spans.ts';
import type { Form } from './form.ts';
import type { TextField } from './text-field.ts';

export type Mode =
  | { readonly name: 'list' }
  | { readonly name: 'detail'; readonly scroll: number }
  | { readonly name: 'form'; readonly form: Form; readonly scroll: number }
  /** Asks for Enter before the shown input is allowed: no letter alone decides. */
  | { readonly name: 'allow'; readonly before: Mode }
  | { readonly name: 'deny'; readonly field: TextField; readonly before: Mode }
  | { readonly name: 'decline'; readonly field: TextField; readonly before: Mode }
  /** Said about the ask without deciding it. */
  | { readonly name: 'comment'; readonly field: TextField; readonly before: Mode }
  /** How long the ask is snoozed for everyone. */
  | { readonly name: 'snooze'; readonly field: TextField; readonly before: Mode }
  /** The ask ended while text about it was typed: what is still typed is text, until Enter or Escape. */
  | { readonly name: 'ended'; readonly field: TextField; readonly isSecret: boolean; readonly before: Mode }
  | { readonly name: 'filter'; readonly field: TextField; readonly before: Mode }
  /** The input is edited in one line, where there is no $EDITOR. `key`: an input of one text is edited as that text. */
  | { readonly name: 'edit'; readonly field: TextField; readonly before: Mode; readonly key: string | undefined }
  /** The edited input is shown for confirmation. */
  | { readonly name: 'edited'; readonly input: Record<string, unknown>; readonly scroll: number }
  | { readonly name: 'help'; readonly before: Mode };

export interface Notice {
  readonly text: string;
  readonly style: Style;
  readonly untilMs: number;
}

export interface State {
  readonly inbox: Inbox;
  /** Asks whose answer has been sent and not yet acknowledged. */
  readonly sendingIds: ReadonlySet<string>;
  readonly selectedId: string | undefined;
  /** When the selection last moved, Enter opened a form, or the text about an ask that had ended was left. */
  readonly movedAtMs: number;
  readonly filter: string;
  /** The ask that the screen showed in full at the last tick. */
  readonly inSightId: string | undefined;
  readonly mode: Mode;
  readonly notice: Notice | undefined;
  /** The name that the answers of this person carry, once it is known. */
  readonly me: string | undefined;
  readonly programName: string;
  readonly hasEditor: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

/** A side effect that the command has to carry out after a transition. */
export type Effect =
  | { readonly do: 'decide'; readonly ask: AskView; readonly resolution: ApprovalResolution }
  | { readonly do: 'answer'; readonly ask: AskView; readonly resolution: QuestionResolution }
  | { readonly do: 'comment'; readonly ask: AskView; readonly text: string }
  | { readonly do: 'take' | 'release'; readonly ask: AskView }
  /** `untilMs`: null ends the snooze. */
  | { readonly do: 'snooze'; readonly ask: AskView; readonly untilMs: number | null }
  | { readonly do: 'open_editor'; readonly ask: AskView; readonly input: Record<string, unknown> }
  | { readonly do: 'report_sighting'; readonly ask: AskView }
  | { readonly do: 'bell' }
  | { readonly do: 'suspend' }
  | { readonly do: 'redraw' }
  | { readonly do: 'quit' };

export interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function initialState(given: Pick<State, 'programName' | 'hasEditor' | 'columns' | 'rows' | 'nowMs'>): State {
  return {
    ...given,
    inbox: EMPTY_INBOX,
    sendingIds: new Set(),
    selectedId: undefined,
    movedAtMs: Number.NEGATIVE_INFINITY,
    filter: '',
    inSightId: undefined,
    mode: { name: 'list' },
    notice: undefined,
    me: undefined,
  };
}

/** In the order of every surface: what is about to expire first, what is snoozed last. */
export const visibleEntries = ({ inbox: { entries, sessions }, filter, nowMs }: State): readonly InboxEntry[] =>
  arranged(filtered(entries, sessions, filter, nowMs), sessions, { sort: 'oldest', group: 'none' }, nowMs).flatMap(
    (section) => section.entries,
  );

export const selectedEntry = ({ inbox, selectedId }: State): InboxEntry | undefined =>
  inbox.entries.find((entry) => entry.ask.ask_id === selectedId);

export const isSending = ({ sendingIds }: State, askId: string): boolean => sendingIds.has(askId);
