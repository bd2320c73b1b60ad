// Draws the last line of the terminal inbox: hints for the keys of the mode, a notice, or the text field being typed in.
import { isOpen } from '../../client/inbox-model.ts';
import type { AskView } from '../../core/views.ts';
import { SNOOZE_TIMES } from '../snooze-time.ts';
import { endText } from '../text/answer-text.ts';
import { cells, crop, lineCells } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';
import { exact, oneLine } from '../text/terminal-text.ts';
import { isReview, questionOf } from './form.ts';
import { isSending, type Mode, type State, selectedEntry } from './state.ts';
import type { TextField } from './text-field.ts';

/** As many hints as fit, the most important first. `below`: how many lines are further down. */
export function footer(state: State, below: number): Line {
  if (state.notice) return line(span(oneLine(state.notice.text), state.notice.style));
  let shown: Line = [];
  for (const hint of [...hintsOf(state), ...(below > 0 ? [`↓ ${below} more`] : [])]) {
    const [key, meaning] = hint.split(/ (.*)/s);
    const next = [...shown, span(shown.length > 0 ? '  ' : ''), span(key ?? '', 'bold'), span(` ${meaning}`, 'dim')];
    if (lineCells(next) > state.columns) break;
    shown = next;
  }
  return shown;
}

const LIST_HINTS = ['j/k move', '/ filter', '? help', 'q quit'];
const MARK_HINTS = ['i on it', 'h snooze'];

/** Each hint is a key and what it does. */
function hintsOf(state: State): string[] {
  const { mode } = state;
  const entry = selectedEntry(state);
  const { request } = entry?.ask ?? {};
  const edit = request && 'editable' in request && request.editable === false ? [] : ['e edit'];
  const kind = entry && isOpen(entry) && !isSending(state, entry.ask.ask_id) ? entry.ask.kind : undefined;
  switch (mode.name) {
    case 'help':
      return ['esc back'];
    case 'allow':
      return ['enter allows what is shown', 'esc back', 'text denies with a reason'];
    case 'edited':
      return ['a allow this', 'e edit again', 'esc discard', 'd deny'];
    case 'form':
      return formHints(mode);
    case 'detail':
      if (kind === undefined) return ['esc back', '↑↓ scroll'];
      if (kind === 'question') return ['enter answer', 'd decline', 'c comment', 'esc back', '? help', ...MARK_HINTS];
      return ['a allow', 'd deny', ...edit, 'c comment', 'esc back', '↑↓ scroll', '? help', ...MARK_HINTS];
  }
  if (kind === undefined) return LIST_HINTS;
  if (kind === 'question') return ['enter answer', 'o other', 'd decline', 'c comment', ...LIST_HINTS, ...MARK_HINTS];
  return ['a allow', 'd deny', ...edit, 'enter open', 'c comment', ...LIST_HINTS, ...MARK_HINTS];
}

function formHints({ form }: Extract<Mode, { name: 'form' }>): string[] {
  if (isReview(form)) return ['enter send', 'esc back'];
  if (form.field) return ['enter done', 'esc back'];
  const isMultiple = questionOf(form)?.multi_select === true;
  const choosing = isMultiple ? ['enter done', 'space choose'] : ['enter select', '1-9 choose'];
  return [...choosing, ...(questionOf(form)?.allow_other ? ['type your own'] : []), 'esc back'];
}

const PROMPTS: Record<Extract<Mode, { field: TextField }>['name'], string> = {
  deny: 'Deny. Reason (optional): ',
  decline: 'Decline. Reason (optional): ',
  comment: 'Comment; the agent is not told of it: ',
  snooze: `Snooze for everyone (${SNOOZE_TIMES}): `,
  ended: 'Not sent, the request has ended; esc closes: ',
  filter: '/',
  edit: 'Allow instead: ',
};

function promptOf(mode: keyof typeof PROMPTS, ask: AskView | undefined): string {
  if (mode === 'comment' && ask?.takes_comments) return 'Comment; the agent reads it, and you decide later: ';
  if (mode === 'ended' && ask?.answer) return `Not sent: ${endText(ask.answer)}. Esc closes. `;
  return PROMPTS[mode];
}

export function fieldFooter(state: State): { line: Line; column: number } | undefined {
  const { mode, notice, columns } = state;
  if (!('field' in mode)) return undefined;
  const complaint = notice?.style === 'bad' ? `${oneLine(notice.text)} ` : '';
  const whole = promptOf(mode.name, selectedEntry(state)?.ask);
  const prompt = columns < 50 ? whole.replace(' (optional)', '') : whole;
  const head = crop([span(complaint, 'bad'), span(prompt, 'bold')], Math.max(0, columns - 10));
  const before = lineCells(head);
  const { shown, column } = fieldWindow(mode.field, columns - before, mode.name === 'ended' && mode.isSecret);
  return { line: [...head, span(shown)], column: before + column };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The part of the text around the cursor that fits, with hidden characters spelled out. */
export function fieldWindow(field: TextField, width: number, isSecret: boolean): { shown: string; column: number } {
  const show = (text: string) =>
    isSecret ? '•'.repeat([...graphemes.segment(text)].length) : exact(text).replaceAll('\n', '␊');
  let left = show(field.text.slice(0, field.at));
  const room = Math.max(4, width - 1);
  if (cells(left) > room) {
    const pieces = [...graphemes.segment(left)].map((s) => s.segment);
    while (pieces.length > 0 && cells(pieces.join('')) > room - 1)
      pieces.splice(0, Math.max(1, Math.floor(pieces.length / 50)));
    left = `…${pieces.join('')}`;
  }
  return { shown: left + show(field.text.slice(field.at)), column: cells(left) };
}
