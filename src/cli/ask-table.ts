// Prints pending asks as a table, for `questions list`, `approvals list` and the inbox without a terminal.
import type { AskRequest } from '../client/action-summary.ts';
import { countdown, duration } from '../client/times.ts';
import type { AskView } from '../core/views.ts';
import { isTerminal, printList } from './output.ts';
import { folderSuffix, summary } from './text/ask-text.ts';
import { shortIds } from './text/layout.ts';
import { riskMark } from './text/risk-text.ts';
import { line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

interface Listed {
  session_id: string;
  request: AskRequest;
  asked_from?: { work_folder?: string | undefined } | undefined;
  risk?: AskView['risk'];
  /** Of a clarification: the child that asks. */
  requester_agent_id?: string | undefined;
  requester_session_id?: string | undefined;
}

const requester = ({ requester_agent_id: agent = '', requester_session_id: session }: Listed): string =>
  session === undefined ? '' : `  asked by ${oneLine(agent)} in ${oneLine(session)}`;

/** Short ids at a terminal, where people type them; whole ids for scripts. */
export function printAsks(asks: readonly Listed[], empty: string): void {
  const short = shortIds(asks.map((ask) => ask.request.id));
  const now = Date.now();
  printList(asks, {}, empty, {
    id: ({ request: { id } }) => line(span(isTerminal() ? (short.get(id) ?? id) : id, 'bold')),
    age: ({ request }) => duration(now - request.created_at_ms),
    expires: ({ request: { expires_at_ms: at } }) => line(span(at === undefined ? '' : countdown(at - now), 'warn')),
    risk: ({ risk }) => riskMark({ status: 'pending', risk }, now),
    session: ({ session_id }) => line(span(oneLine(session_id), 'dim')),
    what: (ask) =>
      line(summary(ask.request), span(folderSuffix(ask.request, ask.asked_from?.work_folder) + requester(ask), 'dim')),
  });
}
