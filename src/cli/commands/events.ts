// `holdpoint events`: prints the event log page by page, or follows it. With --json one event on each line.
import { type Client, PAGE_SIZE } from '../../client/client.ts';
import type { EventView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { atMostOne, type ServerFlags, wholeNumber } from '../command-flags.ts';
import { findRun, findSession } from '../lookup.ts';
import { note, print, printJsonLine, terminalWidth } from '../output.ts';
import { eventPages } from '../paging.ts';
import { connect } from '../server-connection.ts';
import { interruptible } from '../signals.ts';
import { eventLine } from '../text/event-text.ts';
import { crop } from '../text/layout.ts';

interface EventFlags extends ServerFlags {
  follow?: boolean;
  sessionId?: string;
  runId?: string;
  after?: string;
  limit?: string;
}

export function eventsCommand(): Command {
  return new Command('events', 'the event log, oldest first; with --follow, new events as they arrive')
    .option('-f, --follow', 'keep printing new events; Ctrl-C stops')
    .option('--session-id <id>', 'in this session only')
    .option('--run-id <id>', 'in this run only')
    .option('--after <seq>', 'only events after this one; --follow without a session or run begins now by default')
    .option('--limit <number>', 'stop after this many events')
    .withExamples(
      'holdpoint events --session-id nightly',
      'holdpoint events --follow',
      'holdpoint events --follow --after 0 --limit 5 --json',
    )
    .withServer()
    .action(events);
}

function events(flags: EventFlags): Promise<void> {
  const after = wholeNumber('--after', flags.after);
  const limit = wholeNumber('--limit', flags.limit) ?? Number.POSITIVE_INFINITY;
  atMostOne({ '--session-id': flags.sessionId, '--run-id': flags.runId });
  return interruptible('stopped', async ({ signal, or }) => {
    const source = await or(connect(flags).then((client) => sourceOf(client, flags)));
    const stream = flags.follow ? source.follow({ after, signal }) : eventPages(source.page, after);
    let shown = 0;
    if (limit > 0)
      for await (const event of stream) {
        if (flags.json) printJsonLine(event);
        else print(crop(eventLine(event), terminalWidth()));
        shown += 1;
        if (shown >= limit || signal.aborted) break;
      }
    if (shown === 0 && !flags.follow && !flags.json) note('there are no such events');
  });
}

interface Source {
  page(after: number): Promise<EventView[]>;
  follow(from: { after: number | undefined; signal: AbortSignal }): AsyncGenerator<EventView>;
}

async function sourceOf(client: Client, { runId, sessionId }: EventFlags): Promise<Source> {
  const { events } = client;
  const limit = PAGE_SIZE;
  if (runId !== undefined) {
    const { run_id } = await findRun(client, runId);
    return {
      page: async (after) => (await events.ofRun(run_id, { after, limit })).items,
      follow: (from) => events.followRun(run_id, from),
    };
  }
  if (sessionId !== undefined) {
    const { session_id } = await findSession(client, sessionId);
    return {
      page: async (after) => (await events.ofSession(session_id, { after, limit })).items,
      follow: (from) => events.followSession(session_id, from),
    };
  }
  return {
    page: async (after) => (await events.list({ after, limit })).items,
    follow: (from) => events.follow(from),
  };
}
