// How the inbox changes when something happens elsewhere: asks come and settle, time passes, the connection goes and
// comes back. Pure. What keys do is in keys.ts. The ask that is looked at stays the one that is looked at: what is
// allowed is never something that slipped under the cursor.
import type { AskView, SessionView } from '../../core/views.ts';
import { endText } from '../text/ask-text.ts';
import type { Style } from '../text/spans.ts';
import type { Changed, Entry, State } from './state.ts';
import { askInSight } from './view.ts';
import { visibleEntries } from './visible.ts';

export type Happening =
  | { readonly type: 'raised'; readonly asks: readonly AskView[]; readonly isNews: boolean }
  | { readonly type: 'settled'; readonly askId: string; readonly answer: NonNullable<AskView['answer']> }
  | { readonly type: 'session'; readonly session: SessionView }
  | { readonly type: 'link'; readonly link: State['link'] }
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'sent'; readonly askId: string }
  | { readonly type: 'refused'; readonly askId: string; readonly text: string }
  | { readonly type: 'edited'; readonly askId: string; readonly input: Record<string, unknown> }
  | { readonly type: 'told'; readonly text: string; readonly style: Style };

/** A settled ask stays in the list for so long, and for as long as it is looked at. */
const SETTLED_SHOWN_MS = 8000;
const NOTICE_MS = 6000;

export function happen(state: State, event: Happening): Changed {
  switch (event.type) {
    case 'raised':
      return raised(state, event.asks, event.isNews);
    case 'settled':
      return quiet(selectIfNone(settled(state, event.askId, event.answer)));
    case 'session':
      return quiet({ ...state, sessions: new Map(state.sessions).set(event.session.session_id, event.session) });
    case 'link':
      return quiet({ ...state, link: event.link });
    case 'tick':
      return looked(selectIfNone(expireOld({ ...state, nowMs: event.nowMs })));
    case 'resized':
      return { state: { ...state, columns: event.columns, rows: event.rows }, effects: [{ do: 'redraw' }] };
    case 'sent':
      return quiet(withEntry(state, event.askId, (entry) => ({ ...entry, sending: false })));
    case 'refused':
      return quiet(
        withNotice(
          withEntry(state, event.askId, (entry) => ({ ...entry, sending: false })),
          event.text,
          'bad',
        ),
      );
    case 'edited':
      if (state.selectedId !== event.askId) return quiet(state);
      return quiet({ ...state, mode: { name: 'edited', input: event.input, scroll: 0 } });
    case 'told':
      return quiet(withNotice(state, event.text, event.style));
  }
}

/** What is whole on the screen from one tick to the next was seen; what the cursor passes on its way was not. */
function looked(state: State): Changed {
  const ask = askInSight(state);
  const isSeen = ask !== undefined && ask.ask_id === state.inSightId;
  return { state: { ...state, inSightId: ask?.ask_id }, effects: isSeen ? [{ do: 'tell_seen', ask }] : [] };
}

const quiet = (state: State): Changed => ({ state, effects: [] });

function raised(state: State, asks: readonly AskView[], isNews: boolean): Changed {
  const known = new Set(state.entries.map((e) => e.ask.ask_id));
  const fresh = asks.filter((ask) => !known.has(ask.ask_id));
  if (fresh.length === 0) return quiet(state);
  const entries = [...state.entries, ...fresh.map((ask): Entry => ({ ask }))];
  entries.sort((a, b) => a.ask.created_at_ms - b.ask.created_at_ms || (a.ask.ask_id < b.ask.ask_id ? -1 : 1));
  return { state: selectIfNone(moveOn({ ...state, entries })), effects: isNews ? [{ do: 'bell' }] : [] };
}

/** Whoever has just answered the last one is shown the next. */
function moveOn(state: State): State {
  const selected = state.entries.find((e) => e.ask.ask_id === state.selectedId);
  if (state.mode.name !== 'list' || !(selected?.sending || selected?.settled)) return state;
  const next = neighbour(state, state.selectedId);
  return next === undefined ? state : { ...state, selectedId: next, movedAtMs: state.nowMs };
}

function settled(state: State, askId: string, answer: NonNullable<AskView['answer']>): State {
  const entry = state.entries.find((e) => e.ask.ask_id === askId);
  if (!entry || entry.settled) return state;
  const text = endText(answer);
  const changed = withEntry(state, askId, (e) => ({
    ask: { ...e.ask, status: answer.outcome, answer },
    settled: { text, atMs: state.nowMs },
  }));
  if (state.selectedId !== askId || state.mode.name === 'list') return changed;
  // Whatever was being typed about it has lost its object; the person is told, and keeps looking at the ask.
  const mode =
    state.mode.name === 'filter' || state.mode.name === 'help' ? state.mode : ({ name: 'detail', scroll: 0 } as const);
  return withNotice({ ...changed, mode }, `Settled: ${text}`, 'warn');
}

/** Settled ones leave, except the one that is looked at. */
function expireOld(state: State): State {
  const isOver = (e: Entry) =>
    e.settled !== undefined && e.ask.ask_id !== state.selectedId && state.nowMs - e.settled.atMs > SETTLED_SHOWN_MS;
  const notice = state.notice && state.notice.untilMs > state.nowMs ? state.notice : undefined;
  const lingers = state.entries.find((e) => e.ask.ask_id === state.selectedId)?.settled;
  const leaves = lingers && state.mode.name === 'list' && state.nowMs - lingers.atMs > SETTLED_SHOWN_MS;
  const entries = state.entries.some(isOver) ? state.entries.filter((e) => !isOver(e)) : state.entries;
  if (!leaves) return { ...state, entries, notice };
  const moved = { selectedId: neighbour(state, state.selectedId), movedAtMs: state.nowMs };
  return { ...state, ...moved, notice, entries: entries.filter((e) => e.ask.ask_id !== state.selectedId) };
}

/** The open ask after this one, else the one before it. */
export function neighbour(state: State, askId: string | undefined): string | undefined {
  const seen = visibleEntries(state);
  const at = seen.findIndex((e) => e.ask.ask_id === askId);
  const open = (e: Entry) => !e.settled && e.ask.ask_id !== askId;
  return (seen.slice(at + 1).find(open) ?? seen.slice(0, Math.max(0, at)).findLast(open))?.ask.ask_id;
}

export function selectIfNone(state: State): State {
  const seen = visibleEntries(state);
  if (seen.some((e) => e.ask.ask_id === state.selectedId)) return state;
  if (state.mode.name !== 'list' && state.mode.name !== 'filter') return state;
  const selectedId = (seen.find((e) => !e.settled) ?? seen[0])?.ask.ask_id;
  return { ...state, selectedId, movedAtMs: state.link === 'connecting' ? state.movedAtMs : state.nowMs };
}

export const withNotice = (state: State, text: string, style: Style): State => ({
  ...state,
  notice: { text, style, untilMs: state.nowMs + NOTICE_MS },
});

export const withEntry = (state: State, askId: string, change: (entry: Entry) => Entry): State => ({
  ...state,
  entries: state.entries.map((e) => (e.ask.ask_id === askId ? change(e) : e)),
});
