// The last line: what the keys do here, a notice for a while, or the line that is being typed.
import { cells, lineCells } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';
import { exact, oneLine } from '../text/terminal-text.ts';
import { isReview, questionOf } from './form.ts';
import type { Mode, State } from './state.ts';
import type { TextField } from './text-field.ts';
import { selectedEntry } from './visible.ts';

type Hint = readonly [key: string, does: string];

/** As many hints as fit; the first ones matter most. `below`: lines that are further down. */
export function foot(state: State, below: number): Line {
  if (state.notice) return line(span(oneLine(state.notice.text), state.notice.style));
  const hints: Hint[] = [...hintsOf(state), ...(below > 0 ? [['↓', `${below} more`] as const] : [])];
  let shown: Line = [];
  for (const [key, does] of hints) {
    const next = [...shown, span(shown.length > 0 ? '  ' : ''), span(key, 'bold'), span(` ${does}`, 'dim')];
    if (lineCells(next) > state.columns) break;
    shown = next;
  }
  return shown;
}

function hintsOf(state: State): Hint[] {
  const { mode } = state;
  const entry = selectedEntry(state);
  const isOpen = entry !== undefined && !entry.settled && !entry.sending;
  switch (mode.name) {
    case 'help':
      return [['any key', 'back']];
    case 'edited':
      return [
        ['a', 'allow this'],
        ['e', 'edit again'],
        ['esc', 'drop it'],
        ['d', 'deny'],
      ];
    case 'form':
      return formHints(mode);
    case 'detail':
      if (!isOpen)
        return [
          ['esc', 'back'],
          ['↑↓', 'scroll'],
        ];
      return entry.ask.kind === 'approval'
        ? [
            ['a', 'allow'],
            ['d', 'deny'],
            ['e', 'edit'],
            ['esc', 'back'],
            ['↑↓', 'scroll'],
            ['?', 'help'],
          ]
        : [
            ['enter', 'answer'],
            ['d', 'decline'],
            ['esc', 'back'],
            ['?', 'help'],
          ];
    default:
      return listHints(isOpen ? entry.ask.kind : undefined);
  }
}

function listHints(kind: 'approval' | 'question' | undefined): Hint[] {
  const rest: Hint[] = [
    ['j/k', 'move'],
    ['/', 'filter'],
    ['?', 'help'],
    ['q', 'quit'],
  ];
  if (kind === undefined) return rest;
  if (kind === 'question') return [['enter', 'answer'], ['o', 'other'], ['d', 'decline'], ...rest];
  return [['a', 'allow'], ['d', 'deny'], ['e', 'edit'], ['enter', 'whole'], ...rest];
}

function formHints({ form }: Extract<Mode, { name: 'form' }>): Hint[] {
  if (isReview(form))
    return [
      ['enter', 'send'],
      ['esc', 'back'],
    ];
  if (form.field)
    return [
      ['enter', 'done'],
      ['esc', 'back'],
    ];
  const many = questionOf(form)?.multi_select === true;
  return [
    ['enter', many ? 'done' : 'take it'],
    [many ? 'space' : '1-9', 'choose'],
    ['o', 'other'],
    ['d', 'decline'],
    ['esc', 'back'],
    ['?', 'help'],
  ];
}

const PROMPTS: Record<Extract<Mode, { field: TextField }>['name'], string> = {
  deny: 'Why not? (optional) ',
  decline: 'Decline. Why? (optional) ',
  filter: '/',
  edit: 'Allow instead: ',
};

export function fieldFoot(state: State): { line: Line; column: number } | undefined {
  const { mode, notice, columns } = state;
  if (!('field' in mode)) return undefined;
  const complaint = notice?.style === 'bad' ? `${oneLine(notice.text)} ` : '';
  const prompt = columns < 50 ? PROMPTS[mode.name].replace(' (optional)', '') : PROMPTS[mode.name];
  const head = [span(complaint, 'bad'), span(prompt, 'bold')];
  const before = Math.min(lineCells(head), Math.max(0, columns - 10));
  const { shown, column } = fieldWindow(mode.field, columns - before, false);
  return { line: [...head, span(shown)], column: before + column };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The part of a text around its cursor that fits, made safe to show. */
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
