// Transitions of the terminal inbox on key presses, by mode. Pure. A key decides an ask only when it was meant for it: not
// as pasted text, not just after the selection moved, not while the screen shows only a part of the ask. No
// letter alone decides: a asks for Enter, and other text typed there becomes the reason of a denial.
import { isQuestion } from '../../client/action-summary.ts';
import { type InboxEntry, isOpen } from '../../client/inbox-model.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../core/views.ts';
import { SNOOZE_TIMES, snoozedUntil } from '../snooze-time.ts';
import { endText } from '../text/answer-text.ts';
import { isSnoozed } from '../text/mark-text.ts';
import { answersOf, isReview, openForm, openText } from './form.ts';
import { pressInForm } from './form-keys.ts';
import {
  type Effect,
  isSending,
  type Mode,
  type State,
  selectedEntry,
  type Transition,
  visibleEntries,
} from './state.ts';
import { edit, fieldOf, insert, type Key } from './text-field.ts';
import { nextOpen, selectIfNone, withNotice, withSending } from './update.ts';
import { isWholeInPreview, pageRows, scrollLimit } from './view.ts';

/** Keys that arrive this soon after the selection moved were pressed for the ask before. */
export const JUST_MOVED_MS = 350;

export function press(state: State, key: Key): Transition {
  if (key.name === 'ctrl-c') return { state, effects: [{ do: 'quit' }] };
  if (key.name === 'ctrl-z') return { state, effects: [{ do: 'suspend' }] };
  if (key.name === 'ctrl-l') return { state, effects: [{ do: 'redraw' }] };
  switch (state.mode.name) {
    case 'list':
      return inList(state, key);
    case 'detail':
    case 'edited':
      return inDetail(state, key);
    case 'allow':
      return inAllow(state, key);
    case 'form':
      return inForm(state, key);
    case 'help':
      return changed({ ...state, mode: state.mode.before });
    default:
      return inLine(state, key);
  }
}

/** Pasted text is inserted into an open text field, and is never read as keys. */
export function paste(state: State, text: string): State {
  const { mode } = state;
  if (mode.name === 'form' && mode.form.field)
    return { ...state, mode: { ...mode, form: { ...mode.form, field: insert(mode.form.field, text) } } };
  if ('field' in mode) return { ...state, mode: { ...mode, field: insert(mode.field, text) } };
  return withNotice(state, 'Pasted text is not read as keys.', 'warn');
}

const changed = (state: State, ...effects: Effect[]): Transition => ({ state, effects });

function inList(state: State, key: Key): Transition {
  const step = { j: 1, down: 1, k: -1, up: -1, pagedown: 10, pageup: -10 }[key.name];
  if (step !== undefined) return changed(select(state, step));
  switch (key.name) {
    case 'g':
    case 'home':
      return changed(select(state, Number.NEGATIVE_INFINITY));
    case 'G':
    case 'end':
      return changed(select(state, Number.POSITIVE_INFINITY));
    case 'q':
      return changed(state, { do: 'quit' });
    case 'escape':
      return changed(selectIfNone({ ...state, filter: '', notice: undefined }));
    case '/':
      return changed({ ...state, mode: { name: 'filter', field: fieldOf(state.filter), before: state.mode } });
    case '?':
      return changed({ ...state, mode: { name: 'help', before: state.mode } });
  }
  return onAsk(state, key);
}

function select(state: State, by: number): State {
  const visible = visibleEntries(state);
  const at = visible.findIndex((entry) => entry.ask.ask_id === state.selectedId);
  const to = Math.max(0, Math.min(visible.length - 1, at + by));
  return { ...state, selectedId: visible[to]?.ask.ask_id, movedAtMs: state.nowMs, notice: undefined };
}

/** Keys that act on the selected ask, in the list and in its own view. */
function onAsk(state: State, key: Key): Transition {
  const entry = selectedEntry(state);
  if (!entry) return changed(state);
  if (!['a', 'c', 'd', 'e', 'h', 'i', 'o', 'return'].includes(key.name)) return changed(state);
  const { ask } = entry;
  if (isSending(state, ask.ask_id)) return changed(withNotice(state, 'Your answer is being sent.', 'warn'));
  if (ask.answer) {
    if (key.name === 'return' && state.mode.name === 'list') return changed(opened(state, entry));
    return changed(withNotice(state, `Already settled: ${endText(ask.answer)}`, 'warn'));
  }
  if (key.name !== 'return' && state.nowMs - state.movedAtMs < JUST_MOVED_MS)
    return changed(withNotice(state, 'The list just changed. Check, then press the key again.', 'warn'));
  if (key.name === 'return') return changed(opened(state, entry));
  if (key.name === 'c') return changed({ ...state, mode: { name: 'comment', field: fieldOf(''), before: state.mode } });
  if (key.name === 'i') return changed(state, { do: isMine(state, ask) ? 'release' : 'take', ask });
  if (key.name === 'h') return onSnooze(state, ask);
  const { request } = ask;
  return isQuestion(request) ? onQuestion(state, request, key) : onApproval(state, ask, request, key);
}

const isMine = ({ me }: State, { taken_by }: AskView): boolean => taken_by !== undefined && taken_by.by === me;

/** A snoozed ask is back at once; any other is snoozed for the time that is typed. */
function onSnooze(state: State, ask: AskView): Transition {
  if (isSnoozed(ask, state.nowMs)) return changed(state, { do: 'snooze', ask, untilMs: null });
  return changed({ ...state, mode: { name: 'snooze', field: fieldOf('1h'), before: state.mode } });
}

function opened(state: State, entry: InboxEntry): State {
  const { request } = entry.ask;
  const mode: Mode =
    isQuestion(request) && isOpen(entry)
      ? { name: 'form', form: openForm(request.questions), scroll: 0 }
      : { name: 'detail', scroll: 0 };
  const movedAtMs = mode.name === 'form' ? state.nowMs : state.movedAtMs;
  return { ...state, mode, notice: undefined, movedAtMs };
}

function onQuestion(state: State, { questions }: UserQuestionRequest, key: Key): Transition {
  if (key.name === 'd') return changed({ ...state, mode: { name: 'decline', field: fieldOf(''), before: state.mode } });
  if (key.name === 'e')
    return changed(withNotice(state, 'e edits the input of an approval; this is a question.', 'warn'));
  const form = openForm(questions);
  return changed({ ...state, mode: { name: 'form', form: key.name === 'o' ? openText(form) : form, scroll: 0 } });
}

const NOT_EDITABLE = 'This input cannot be edited: a allows it, d denies it with a reason.';

function onApproval(state: State, ask: AskView, request: ApprovalRequest, key: Key): Transition {
  const { mode } = state;
  if (key.name === 'o') return changed(withNotice(state, 'This is an approval: a allows, d denies, e edits.', 'warn'));
  if (key.name === 'd') return changed({ ...state, mode: { name: 'deny', field: fieldOf(''), before: state.mode } });
  const input = mode.name === 'edited' ? mode.input : request.input;
  if (key.name === 'e') {
    if (request.editable === false) return changed(withNotice(state, NOT_EDITABLE, 'warn'));
    if (state.hasEditor) return changed(state, { do: 'open_editor', ask, input });
    return changed({ ...state, mode: editHere(input, mode) });
  }
  if (mode.name === 'list' && !isWholeInPreview(state))
    return changed(
      withNotice(opened(state, { ask }), 'The preview was cut off. Press a again to allow all of it.', 'warn'),
    );
  return changed({ ...state, mode: { name: 'allow', before: mode }, notice: undefined });
}

function inAllow(state: State, key: Key): Transition {
  const { mode } = state;
  const entry = selectedEntry(state);
  if (mode.name !== 'allow' || !entry || !isOpen(entry)) return changed({ ...state, mode: { name: 'list' } });
  const { before } = mode;
  if (key.name === 'escape' || key.name === 'left') return changed({ ...state, mode: before });
  if (key.name !== 'return')
    return changed(key.text?.trim() ? { ...state, mode: { name: 'deny', field: fieldOf(key.text), before } } : state);
  const { ask } = entry;
  const updated = before.name === 'edited' ? { updated_input: before.input } : {};
  const resolution = { request_id: ask.ask_id, behavior: 'allow' as const, ...updated };
  return changed(sending(state, ask.ask_id), { do: 'decide', ask, resolution });
}

/** An input that is only a command is edited as text, any other as JSON. */
function editHere(input: Record<string, unknown>, before: Mode): Mode {
  const { command } = input;
  if (Object.keys(input).length === 1 && typeof command === 'string' && !/\p{Cc}/u.test(command))
    return { name: 'edit', field: fieldOf(command), key: 'command', before };
  return { name: 'edit', field: fieldOf(JSON.stringify(input)), key: undefined, before };
}

/** Back to the list, with the next open ask selected. */
function sending(state: State, askId: string): State {
  return leaving(withSending(state, askId, true));
}

function leaving(state: State): State {
  const next = nextOpen(state);
  const moved = next === undefined ? {} : { selectedId: next, movedAtMs: state.nowMs };
  return { ...state, ...moved, mode: { name: 'list' }, notice: undefined };
}

function inDetail(state: State, key: Key): Transition {
  const { mode } = state;
  if (mode.name !== 'detail' && mode.name !== 'edited') return changed(state);
  const page = pageRows(state);
  const by = { j: 1, down: 1, k: -1, up: -1, pagedown: page, ' ': page, pageup: -page, b: -page }[key.name];
  if (by !== undefined) return changed({ ...state, mode: { ...mode, scroll: scrolled(state, mode.scroll + by) } });
  switch (key.name) {
    case 'g':
    case 'home':
      return changed({ ...state, mode: { ...mode, scroll: 0 } });
    case 'G':
    case 'end':
      return changed({ ...state, mode: { ...mode, scroll: scrollLimit(state) } });
    case 'escape':
    case 'q':
    case 'left':
      return changed(selectIfNone({ ...state, mode: { name: 'list' }, notice: undefined }));
    case '?':
      return changed({ ...state, mode: { name: 'help', before: mode } });
    case 'return':
      return changed(state);
  }
  return onAsk(state, key);
}

const scrolled = (state: State, to: number): number => Math.max(0, Math.min(scrollLimit(state), to));

function inForm(before: State, key: Key): Transition {
  // A key that is held down opens the form and must not answer it too. Any other key shows that it was let go.
  const isHeld = key.name === 'return' && before.nowMs - before.movedAtMs < JUST_MOVED_MS;
  const state = { ...before, movedAtMs: isHeld ? before.nowMs : Number.NEGATIVE_INFINITY };
  const { mode } = state;
  const entry = selectedEntry(state);
  if (mode.name !== 'form' || !entry) return changed({ ...state, mode: { name: 'list' } });
  if (isHeld) return changed(state);
  const by = mode.form.field ? undefined : { pagedown: pageRows(state), pageup: -pageRows(state) }[key.name];
  if (by !== undefined) return changed({ ...state, mode: { ...mode, scroll: scrolled(state, mode.scroll + by) } });
  const { form, does } = pressInForm(mode.form, key);
  if (does === 'leave') return changed({ ...state, mode: { name: 'list' }, notice: undefined });
  if (does === undefined && !(isReview(form) && form.questions.length === 1))
    return changed({ ...state, mode: { ...mode, form, scroll: form.step === mode.form.step ? mode.scroll : 0 } });
  const { ask } = entry;
  const resolution = { request_id: ask.ask_id, answers: answersOf(form) };
  return changed(sending(state, ask.ask_id), { do: 'answer', ask, resolution });
}

/** A line of text is being typed in the footer. */
function inLine(state: State, key: Key): Transition {
  const { mode } = state;
  if (!('field' in mode)) return changed(state);
  if (mode.name === 'ended' && ['escape', 'return'].includes(key.name))
    return changed({ ...state, mode: mode.before, movedAtMs: state.nowMs });
  if (key.name === 'escape') {
    if (mode.name === 'filter') return changed(selectIfNone({ ...state, filter: '', mode: { name: 'list' } }));
    return changed({ ...state, mode: mode.before, notice: undefined });
  }
  if (key.name === 'return') return lineDone(state, mode);
  const field = edit(mode.field, key);
  if (mode.name !== 'filter') return changed({ ...state, mode: { ...mode, field } });
  return changed(selectIfNone({ ...state, filter: field.text, mode: { ...mode, field } }));
}

function lineDone(state: State, mode: Extract<Mode, { field: unknown }>): Transition {
  const entry = selectedEntry(state);
  const text = mode.field.text.trim();
  if (mode.name === 'filter' || !entry || !isOpen(entry))
    return changed(selectIfNone({ ...state, mode: { name: 'list' } }));
  const { ask } = entry;
  if (mode.name === 'edit') return changed(readEdit(state, mode.field.text, mode.key));
  if (mode.name === 'comment') {
    const after = { ...state, mode: mode.before, notice: undefined };
    return text === '' ? changed(after) : changed(after, { do: 'comment', ask, text });
  }
  if (mode.name === 'snooze') {
    const untilMs = snoozedUntil(text, state.nowMs);
    if (untilMs === undefined)
      return changed(withNotice(state, `Not a time: use ${SNOOZE_TIMES}, at most 31d.`, 'bad'));
    return changed(leaving(state), { do: 'snooze', ask, untilMs });
  }
  const why = text === '' ? undefined : text;
  if (mode.name === 'deny') {
    const resolution = { request_id: ask.ask_id, behavior: 'deny' as const, ...(why && { reason: why }) };
    return changed(sending(state, ask.ask_id), { do: 'decide', ask, resolution });
  }
  const resolution = { request_id: ask.ask_id, declined: true, ...(why && { justification: why }) };
  return changed(sending(state, ask.ask_id), { do: 'answer', ask, resolution });
}

function readEdit(state: State, text: string, key: string | undefined): State {
  if (key !== undefined) return { ...state, mode: { name: 'edited', input: { [key]: text }, scroll: 0 } };
  try {
    const input: unknown = JSON.parse(text);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new Error('it must be an object');
    return { ...state, mode: { name: 'edited', input: input as Record<string, unknown>, scroll: 0 } };
  } catch (error) {
    return withNotice(state, `Not valid: ${(error as Error).message}`, 'bad');
  }
}
