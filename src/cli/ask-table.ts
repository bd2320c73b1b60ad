// Prints pending asks as a table, for `questions list`, `approvals list` and the inbox without a terminal.
import { countdown, duration } from '../client/times.ts';
import type { AskView } from '../core/views.ts';
import { isTerminal, printList } from './output.ts';
import { folderSuffix, summary } from './text/ask-text.ts';
import { shortIds } from './text/layout.ts';
import { markText } from './text/mark-text.ts';
import { riskMark } from './text/risk-text.ts';
import { line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

interface Listed {
  ask: AskView;
  /** Of a clarification: the child that asks. */
  requester_agent_id?: string | undefined;
  requester_session_id?: string | undefined;
}

/** Where it comes from and what was done about it, after its summary. */
function suffix({ ask, requester_agent_id: agent = '', requester_session_id: session }: Listed, now: number): string {
  const requester = session === undefined ? '' : `  asked by ${oneLine(agent)} in ${oneLine(session)}`;
  const marks = markText(ask, now);
  return `${folderSuffix(ask.request, ask.asked_from?.work_folder)}${requester}${marks === '' ? '' : `  ${marks}`}`;
}

/** Short ids at a terminal, where people type them; whole ids for scripts. */
export function printAsks(asks: readonly Listed[], empty: string): void {
  const short = shortIds(asks.map(({ ask }) => ask.ask_id));
  const now = Date.now();
  printList(asks, {}, empty, {
    id: ({ ask: { ask_id: id } }) => line(span(isTerminal() ? (short.get(id) ?? id) : id, 'bold')),
    age: ({ ask }) => duration(now - ask.created_at_ms),
    expires: ({ ask: { expires_at_ms: at } }) => line(span(at === undefined ? '' : countdown(at - now), 'warn')),
    risk: ({ ask }) => riskMark(ask, now),
    session: ({ ask }) => line(span(oneLine(ask.session_id), 'dim')),
    what: (listed) => line(summary(listed.ask.request), span(suffix(listed, now), 'dim')),
  });
}
