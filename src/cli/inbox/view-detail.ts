// One ask in the inbox: where it comes from, what it asks to the letter, how it ended. Lines are made once for each ask
// and width, however often the screen is drawn.

import { countdown, duration } from '../../client/times.ts';
import type { ApprovalRequest, AskView } from '../../core/views.ts';
import { actionLines, answerLines, type Request, requestLines, summary } from '../text/ask-text.ts';
import { wrap } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { Entry, State } from './state.ts';

const wholes = new WeakMap<object, { width: number; lines: Line[] }>();
const summaries = new WeakMap<object, string>();

function wholeRequest(ask: AskView, width: number): Line[] {
  const known = wholes.get(ask.request);
  if (known?.width === width) return known.lines;
  const lines = requestLines(ask.request as Request, width);
  wholes.set(ask.request, { width, lines });
  return lines;
}

export function requestSummary(ask: AskView): string {
  const known = summaries.get(ask.request);
  if (known !== undefined) return known;
  const text = summary(ask.request as Request);
  summaries.set(ask.request, text);
  return text;
}

/** `short` is for below the list, where the rows say the rest. */
export function detailLines(state: State, entry: Entry, length: 'short' | 'whole' = 'whole'): Line[] {
  const { ask, settled, sending } = entry;
  const { columns } = state;
  const lines: Line[] = [...placeLines(state, ask, length)];
  if (sending) lines.push(line(span('Your answer is on its way…', 'accent')));
  if (settled) lines.push(...wrap(line(span(`✓ ${settled.text}`, 'good')), columns, 2), ...answerLines(ask, columns));
  return [...lines, ...(length === 'whole' ? [[]] : []), ...wholeRequest(ask, columns)];
}

/** Where it comes from, how old it is, and how long it has. */
export function placeLines(state: State, ask: AskView, length: 'short' | 'whole' = 'short'): Line[] {
  const session = state.sessions.get(ask.session_id);
  const { columns, nowMs } = state;
  const left = ask.expires_at_ms === undefined ? undefined : ask.expires_at_ms - nowMs;
  const deadline = left === undefined || ask.status !== 'pending' ? '' : `  expires in ${countdown(left)}`;
  const from = [session?.title, session?.agent, session?.project_ids.join(', ')].filter(Boolean).join(' · ');
  const short = line(
    span(oneLine(from || ask.session_id), 'dim'),
    span(`  ${duration(nowMs - ask.created_at_ms)} ago`, 'dim'),
    span(deadline, left !== undefined && left < 60_000 ? 'bad' : 'warn'),
  );
  const where = (ask.request as ApprovalRequest).work_folder ?? session?.work_folder ?? ask.asked_from?.work_folder;
  const folder = where ? [line(span(`in ${oneLine(where)}`, 'dim'))] : [];
  if (length === 'short') return [...wrap(short, columns, 2), ...folder];
  const parent = session?.parent_session_id
    ? [line(span(`asked by a sub-agent of ${session.parent_session_id}`, 'dim'))]
    : [];
  return [...wrap(short, columns, 2), ...folder, ...parent, line(span(ask.ask_id, 'dim'))];
}

/** What was changed, above what the agent had asked for. */
export function editedLines({ ask }: Entry, input: Record<string, unknown>, width: number): Line[] {
  const request = ask.request as ApprovalRequest;
  return [
    line(span('You changed it. This would run:', 'bold')),
    ...actionLines(input, width),
    [],
    line(span('The agent had asked for:', 'dim')),
    ...actionLines(request.input, width),
  ];
}
