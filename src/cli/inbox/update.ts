// Transitions of the terminal inbox that no key causes: asks are raised and settle, time passes, the connection drops and
// recovers. Pure; keys.ts owns key presses. The selection follows its ask, never its row, so that a key press cannot
// allow an ask that has just slipped under the cursor.
import type { AnswerView } from '../../client/inbox-feed.ts';
import * as model from '../../client/inbox-model.ts';
import type { AskView, SessionView } from '../../core/views.ts';
import { endText } from '../text/answer-text.ts';
import type { Style } from '../text/spans.ts';
import { isSending, type State, selectedEntry, type Transition, visibleEntries } from './state.ts';
import { askInSight } from './view.ts';

export type InboxEvent =
  | { readonly type: 'raised'; readonly asks: readonly AskView[]; readonly isNews: boolean }
  | { readonly type: 'settled'; readonly askId: string; readonly answer: AnswerView }
  | { readonly type: 'completed'; readonly ask: AskView }
  | { readonly type: 'session'; readonly session: SessionView }
  | { readonly type: 'link'; readonly link: model.Inbox['link'] }
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'acknowledged'; readonly askId: string }
  | { readonly type: 'refused'; readonly askId: string; readonly text: string }
  | { readonly type: 'edited'; readonly askId: string; readonly input: Record<string, unknown> }
  | { readonly type: 'notice'; readonly text: string; readonly style: Style };

const NOTICE_MS = 6000;

export function update(state: State, event: InboxEvent): Transition {
  const { inbox } = state;
  switch (event.type) {
    case 'raised':
      return raised(state, event.asks, event.isNews);
    case 'settled':
      return quiet(selectIfNone(settled(state, event.askId, event.answer)));
    case 'completed':
      return quiet({ ...state, inbox: model.completed(inbox, event.ask) });
    case 'session':
      return quiet({ ...state, inbox: model.sessionSeen(inbox, event.session) });
    case 'link':
      return quiet({ ...state, inbox: { ...inbox, link: event.link } });
    case 'tick':
      return sighted(selectIfNone(swept({ ...state, nowMs: event.nowMs })));
    case 'resized':
      return { state: { ...state, columns: event.columns, rows: event.rows }, effects: [{ do: 'redraw' }] };
    case 'acknowledged':
      return quiet(withSending(state, event.askId, false));
    case 'refused':
      return quiet(withNotice(withSending(state, event.askId, false), event.text, 'bad'));
    case 'edited':
      if (state.selectedId !== event.askId) return quiet(state);
      return quiet({ ...state, mode: { name: 'edited', input: event.input, scroll: 0 } });
    case 'notice':
      return quiet(withNotice(state, event.text, event.style));
  }
}

const quiet = (state: State): Transition => ({ state, effects: [] });

/** An ask that is fully on the screen for two ticks was seen; one that the cursor only passes was not. */
function sighted(state: State): Transition {
  const ask = askInSight(state);
  const isSeen = ask !== undefined && ask.ask_id === state.inSightId;
  return { state: { ...state, inSightId: ask?.ask_id }, effects: isSeen ? [{ do: 'report_sighting', ask }] : [] };
}

function raised(state: State, asks: readonly AskView[], isNews: boolean): Transition {
  const inbox = model.raised(state.inbox, asks);
  if (inbox === state.inbox) return quiet(state);
  return { state: selectIfNone(moveOn({ ...state, inbox })), effects: isNews ? [{ do: 'bell' }] : [] };
}

/** After the last open ask was answered, a new one is selected. */
function moveOn(state: State): State {
  const selected = selectedEntry(state);
  if (state.mode.name !== 'list' || !selected) return state;
  if (model.isOpen(selected) && !isSending(state, selected.ask.ask_id)) return state;
  const next = nextOpen(state);
  return next === undefined ? state : { ...state, selectedId: next, movedAtMs: state.nowMs };
}

export const nextOpen = (state: State): string | undefined => model.neighbour(visibleEntries(state), state.selectedId);

function settled(state: State, askId: string, answer: AnswerView): State {
  const inbox = model.settled(state.inbox, askId, answer, state.nowMs);
  if (inbox === state.inbox) return state;
  const changed = { ...withSending(state, askId, false), inbox };
  const { mode } = state;
  if (state.selectedId !== askId || mode.name === 'list') return changed;
  // Text typed about a settled ask is dropped, with a notice; the ask stays on the screen.
  const isUnrelated = mode.name === 'filter' || mode.name === 'help';
  return withNotice(
    { ...changed, mode: isUnrelated ? mode : { name: 'detail', scroll: 0 } },
    `Settled: ${endText(answer)}`,
    'warn',
  );
}

/** Outside the list the selected ask stays; in the list the selection moves on when it is removed. */
function swept(state: State): State {
  const notice = state.notice && state.notice.untilMs > state.nowMs ? state.notice : undefined;
  const isInSight = (askId: string) => state.mode.name !== 'list' && askId === state.selectedId;
  const inbox = model.swept(state.inbox, state.nowMs, isInSight);
  const after = { ...state, inbox, notice };
  if (state.selectedId === undefined || selectedEntry(after)) return after;
  return { ...after, selectedId: nextOpen(state), movedAtMs: state.nowMs };
}

export function selectIfNone(state: State): State {
  const visible = visibleEntries(state);
  if (visible.some((entry) => entry.ask.ask_id === state.selectedId)) return state;
  if (state.mode.name !== 'list' && state.mode.name !== 'filter') return state;
  const selectedId = (visible.find(model.isOpen) ?? visible[0])?.ask.ask_id;
  return { ...state, selectedId, movedAtMs: state.inbox.link === 'connecting' ? state.movedAtMs : state.nowMs };
}

export const withNotice = (state: State, text: string, style: Style): State => ({
  ...state,
  notice: { text, style, untilMs: state.nowMs + NOTICE_MS },
});

export function withSending(state: State, askId: string, isUnderWay: boolean): State {
  const sendingIds = new Set(state.sendingIds);
  if (isUnderWay) sendingIds.add(askId);
  else sendingIds.delete(askId);
  return { ...state, sendingIds };
}
