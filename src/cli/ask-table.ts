// Prints pending asks as a table, for `questions list`, `approvals list` and the inbox without a terminal.
import type { AskRequest } from '../client/action-summary.ts';
import { countdown, duration } from '../client/times.ts';
import { isTerminal, printTable } from './output.ts';
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
export function printAsks(asks: readonly Listed[]): void {
  const short = shortIds(asks.map((ask) => ask.request.id));
  const now = Date.now();
  const rows = asks.map(({ request, session_id, asked_from: from }) => [
    line(span(isTerminal() ? (short.get(request.id) ?? request.id) : request.id, 'bold')),
    duration(now - request.created_at_ms),
    line(span(request.expires_at_ms === undefined ? '' : countdown(request.expires_at_ms - now), 'warn')),
    line(span(oneLine(session_id), 'dim')),
    line(summary(request), span(folderSuffix(request, from?.work_folder), 'dim')),
  ]);
  printTable(['ID', 'AGE', 'EXPIRES', 'SESSION', 'WHAT'], rows);
}
