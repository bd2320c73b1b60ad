// Draws one ask of the terminal inbox: its origin, the request verbatim, and how it ended. The lines of a request are
// cached by width, because the screen is drawn at every tick and key.
import { isQuestion } from '../../client/action-summary.ts';
import type { InboxEntry } from '../../client/inbox-model.ts';
import { countdown, duration } from '../../client/times.ts';
import type { AskView } from '../../core/views.ts';
import { agentName } from '../text/agent-text.ts';
import { answerLines, endText } from '../text/answer-text.ts';
import { actionLines, requestLines, summary } from '../text/ask-text.ts';
import { commentLines } from '../text/comment-text.ts';
import { wrap } from '../text/layout.ts';
import { markTexts } from '../text/mark-text.ts';
import { riskLines } from '../text/risk-text.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { isSending, type State } from './state.ts';

const wholes = new WeakMap<object, { width: number; lines: Line[] }>();
const summaries = new WeakMap<object, string>();

function wholeRequest(ask: AskView, width: number): Line[] {
  const known = wholes.get(ask.request);
  if (known?.width === width) return known.lines;
  const lines = requestLines(ask.request, width);
  wholes.set(ask.request, { width, lines });
  return lines;
}

export function cachedSummary(ask: AskView): string {
  const known = summaries.get(ask.request);
  if (known !== undefined) return known;
  const text = summary(ask.request);
  summaries.set(ask.request, text);
  return text;
}

/** `short` is for the preview, where the row of the list says the rest. */
export function detailLines(state: State, { ask }: InboxEntry, length: 'short' | 'whole' = 'whole'): Line[] {
  const { columns } = state;
  const lines: Line[] = [...originLines(state, ask, length)];
  if (isSending(state, ask.ask_id)) lines.push(line(span('Sending your answer…', 'accent')));
  if (ask.answer)
    lines.push(...wrap(line(span(`✓ ${endText(ask.answer)}`, 'good')), columns, 2), ...answerLines(ask, columns));
  const comments = commentLines(ask, columns);
  const said = comments.length > 0 ? [[], ...comments] : [];
  return [...lines, ...(length === 'whole' ? [[]] : []), ...wholeRequest(ask, columns), ...said];
}

/** Its session; until that is known, what the ask itself says of it. */
export const originOf = ({ inbox }: State, { session_id, asked_from }: AskView) =>
  inbox.sessions.get(session_id) ?? asked_from;

/** The session and folder it comes from, its age, and its deadline. */
export function originLines(state: State, ask: AskView, length: 'short' | 'whole' = 'short'): Line[] {
  const session = state.inbox.sessions.get(ask.session_id);
  const { columns, nowMs } = state;
  const left = ask.expires_at_ms === undefined ? undefined : ask.expires_at_ms - nowMs;
  const deadline = left === undefined || ask.status !== 'pending' ? '' : `  expires in ${countdown(left)}`;
  const origin = originOf(state, ask);
  const from = [origin?.title, origin && agentName(origin, ask.session_id), origin?.project_ids.join(', ')]
    .filter(Boolean)
    .join(' · ');
  const short = line(
    span(oneLine(from || ask.session_id), 'dim'),
    span(`  ${duration(nowMs - ask.created_at_ms)} ago`, 'dim'),
    span(deadline, left !== undefined && left < 60_000 ? 'bad' : 'warn'),
  );
  const { request } = ask;
  const own = isQuestion(request) ? undefined : request.work_folder;
  const where = own ?? session?.work_folder ?? ask.asked_from?.work_folder;
  const folder = where ? [line(span(`in ${oneLine(where)}`, 'dim'))] : [];
  const marks = markTexts(ask, nowMs, state.me).flatMap((text) => wrap(line(span(text, 'accent')), columns, 2));
  const top = [...wrap(short, columns, 2), ...marks, ...riskLines(ask, columns, nowMs), ...folder];
  if (length === 'short') return top;
  const parent = session?.parent_session_id
    ? [line(span(`asked by a sub-agent of ${session.parent_session_id}`, 'dim'))]
    : [];
  return [...top, ...parent, line(span(ask.ask_id, 'dim'))];
}

/** The edited input, above the input that the agent asked for. */
export function editedLines({ ask }: InboxEntry, input: Record<string, unknown>, width: number): Line[] {
  const { request } = ask;
  return [
    line(span('You changed it. This would run:', 'bold')),
    ...actionLines(input, width),
    [],
    line(span('The agent asked for:', 'dim')),
    ...(isQuestion(request) ? [] : actionLines(request.input, width)),
  ];
}
