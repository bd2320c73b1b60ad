// Renders an event on one line: number, time, session, type, and the part of its data that matters to a person.

import type { AskRequest } from '../../client/action-summary.ts';
import type { AnswerView } from '../../client/inbox-feed.ts';
import { instant } from '../../client/times.ts';
import type { EventView } from '../../core/views.ts';
import { endText } from './answer-text.ts';
import { summary } from './ask-text.ts';
import { statusStyle } from './run-text.ts';
import { type Line, line, type Style, span } from './spans.ts';
import { oneLine } from './terminal-text.ts';

export function eventLine(event: EventView): Line {
  return line(
    span(`${event.seq} `, 'dim'),
    span(`${instant(event.at_ms)} `, 'dim'),
    span(`${oneLine(event.session_id)} `, 'dim'),
    span(event.type, styleOf(event)),
    ` ${detail(event)}`,
  );
}

function styleOf({ type }: EventView): Style {
  if (type === 'ask.raised') return 'warn';
  if (type === 'ask.claimed') return 'good';
  return type.includes('.') ? 'plain' : statusStyle(type);
}

function detail({ type, data, ask_id }: EventView): string {
  if (type === 'output') return oneLine(String(data.text ?? data.type ?? '').slice(0, 2000));
  if (type === 'ask.claimed' && data.answer) return `${ask_id} ${endText(data.answer as AnswerView)}`;
  if (type === 'ask.commented')
    return `${ask_id} ${oneLine(String(data.by))}${data.role === 'agent' ? ' (agent)' : ''}: ${oneLine(String(data.text).slice(0, 2000))}`;
  if (type === 'ask.seen' || type === 'ask.taken' || type === 'ask.snoozed')
    return `${ask_id} by ${oneLine(String(data.by))} (${data.surface})`;
  const [request] = (data.requests ?? []) as AskRequest[];
  if (request) return `${request.id} ${summary(request)}`;
  const details = [ask_id, data.tool_name, data.error, data.reason, data.title, data.name];
  return details
    .filter((value) => typeof value === 'string' && value !== '')
    .map((value) => oneLine(String(value)))
    .join(' ');
}
