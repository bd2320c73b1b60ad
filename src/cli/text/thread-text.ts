// Renders an item of a thread for a terminal, by its author and kind. Posts of people carry their name; prompts stand out.

import type { AskRequest } from '../../client/action-summary.ts';
import type { ItemView } from '../../core/views.ts';
import { requestLines } from './ask-text.ts';
import { indented, paragraph, wrap } from './layout.ts';
import { outputLines } from './run-text.ts';
import { type Line, line, type Style, span } from './spans.ts';
import { oneLine, prose } from './terminal-text.ts';

export function itemLines(item: ItemView, width: number): Line[] {
  const text = textOf(item);
  if (item.author.role === 'user') return postLines(`${oneLine(item.author.name)}> `, text, width);
  const { type } = item.metadata ?? {};
  if (type === 'pending_prompt') return block(text, 'warn', width);
  if (type === 'pending_prompt_resolved') return block(text, text.startsWith('✓') ? 'good' : 'bad', width);
  if (type === 'turn_end') return [line(span(`— ${oneLine(text)}`, 'dim'))];
  if (type === 'status') return block(text, 'dim', width);
  return outputLines({ text, type: String(type) }, width);
}

/** An open prompt: the whole request between its heading and the hint how to reply. */
export function promptLines(item: ItemView, request: AskRequest, signs: readonly Line[], width: number): Line[] {
  const text = textOf(item).split('\n');
  const [head = '', hint = ''] = [text.at(0), text.at(-1)];
  return [
    ...block(head, 'warn', width),
    // As the hint wants them: 1) … 2) …
    ...indented(
      requestLines(request, width - 2, (index) => `${index + 1})`),
      2,
    ),
    ...signs,
    ...block(hint, 'warn', width),
  ];
}

const textOf = ({ content }: ItemView): string =>
  content.map((part) => String((part as { text?: unknown }).text ?? '')).join('\n');

function postLines(name: string, text: string, width: number): Line[] {
  const [first = '', ...rest] = prose(text).split('\n');
  const more = rest.map((one) => line(' '.repeat(name.length), one));
  return [line(span(name, 'bold'), first), ...more].flatMap((one) => wrap(one, width, name.length));
}

const block = (text: string, style: Style, width: number): Line[] => paragraph(prose(text), width, style, 2);
