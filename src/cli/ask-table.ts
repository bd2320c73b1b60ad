// Prints pending asks as a table, for `questions list`, `approvals list` and the inbox without a terminal.
import type { AskRequest } from '../client/action-summary.ts';
import { countdown, duration } from '../client/times.ts';
import { isTerminal, printList } from './output.ts';
import { folderSuffix, summary } from './text/ask-text.ts';
import { shortIds } from './text/layout.ts';
import { line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

interface Listed {
  session_id: string;
  request: AskRequest;
  asked_from?: { work_folder?: string | undefined } | undefined;
}

/** Short ids at a terminal, where people type them; whole ids for scripts. */
export function printAsks(asks: readonly Listed[], empty: string): void {
  const short = shortIds(asks.map((ask) => ask.request.id));
  const now = Date.now();
  printList(asks, {}, empty, {
    id: ({ request: { id } }) => line(span(isTerminal() ? (short.get(id) ?? id) : id, 'bold')),
    age: ({ request }) => duration(now - request.created_at_ms),
    expires: ({ request: { expires_at_ms: at } }) => line(span(at === undefined ? '' : countdown(at - now), 'warn')),
    session: ({ session_id }) => line(span(oneLine(session_id), 'dim')),
    what: ({ request, asked_from: from }) =>
      line(summary(request), span(folderSuffix(request, from?.work_folder), 'dim')),
  });
}
