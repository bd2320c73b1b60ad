// Transitions of the terminal inbox that no key causes: asks are raised and settle, time passes, the connection drops and
// recovers. Pure; keys.ts owns key presses. The selection follows its ask, never its row, so that a key press cannot
// allow an ask that has just slipped under the cursor.
import type { AnswerView } from '../../client/inbox-feed.ts';
import * as model from '../../client/inbox-model.ts';
import { isAsleep } from '../../client/triage.ts';
import type { Act, ActivityEvent } from '../../core/activity.ts';
import type { AskView, SessionView } from '../../core/views.ts';
import { endText } from '../text/answer-text.ts';
import type { Style } from '../text/spans.ts';
import { questionOf } from './form.ts';
import { isSending, type Mode, type State, selectedEntry, type Transition, visibleEntries } from './state.ts';
import { fieldOf } from './text-field.ts';
import { askInSight } from './view.ts';

export type InboxEvent =
  | { readonly type: 'raised'; readonly asks: readonly AskView[]; readonly isNews: boolean }
  | { readonly type: 'settled'; readonly askId: string; readonly answer: AnswerView }
  | { readonly type: 'completed'; readonly ask: AskView }
  | {
      readonly type: 'acted';
      readonly askId: string;
      readonly event: ActivityEvent;
      readonly act: Act;
      readonly atMs: number;
    }
  | { readonly type: 'session'; readonly session: SessionView }
  | { readonly type: 'me'; readonly name: string }
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
    case 'acted':
      return quiet(acted(state, event));
    case 'session':
      return quiet({ ...state, inbox: model.sessionSeen(inbox, event.session) });
    case 'me':
      return quiet({ ...state, me: event.name });
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

/** Comments appear with their ask; that the agent has replied is said wherever the person is. */
function acted(state: State, { askId, event, act, atMs }: Extract<InboxEvent, { type: 'acted' }>): State {
  const inbox = model.actedOn(state.inbox, askId, event, act, atMs);
  if (inbox === state.inbox) return state;
  const after = { ...state, inbox };
  if (event !== 'ask.commented' || act.role !== 'agent') return after;
  return withNotice(after, `${act.by} replied: ${act.text ?? ''}`, 'accent');
}

/** After the last open ask was answered, a new one is selected. */
function moveOn(state: State): State {
  const selected = selectedEntry(state);
  if (state.mode.name !== 'list' || !selected) return state;
  if (model.isOpen(selected) && !isSending(state, selected.ask.ask_id)) return state;
  const next = nextOpen(state);
  return next === undefined ? state : { ...state, selectedId: next, movedAtMs: state.nowMs };
}

/** The next one to answer; a snoozed one only when no other is left. */
export function nextOpen(state: State): string | undefined {
  const { selectedId, nowMs } = state;
  const visible = visibleEntries(state);
  const awake = visible.filter(({ ask }) => ask.ask_id === selectedId || !isAsleep(ask, nowMs));
  return model.neighbour(awake, selectedId) ?? model.neighbour(visible, selectedId);
}

function settled(state: State, askId: string, answer: AnswerView): State {
  const inbox = model.settled(state.inbox, askId, answer, state.nowMs);
  if (inbox === state.inbox) return state;
  const changed = { ...withSending(state, askId, false), inbox };
  const { mode } = state;
  if (state.selectedId !== askId || mode.name === 'list') return changed;
  return withNotice({ ...changed, mode: afterEnd(mode) }, `Settled: ${endText(answer)}`, 'warn');
}

/** The ask stays on the screen while text about it is typed: no letter of that becomes a key of the list. */
function afterEnd(mode: Mode): Mode {
  const before = { name: 'detail', scroll: 0 } as const;
  switch (mode.name) {
    case 'filter':
    case 'help':
      return mode;
    case 'detail':
    case 'edited':
      return before;
    case 'form': {
      const isSecret = questionOf(mode.form)?.secret === true;
      return { name: 'ended', field: mode.form.field ?? fieldOf(''), isSecret, before };
    }
    default:
      return { name: 'ended', field: 'field' in mode ? mode.field : fieldOf(''), isSecret: false, before };
  }
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
