// `holdpoint events`: the log, page after page or live. With --json one event on each line, in both cases.
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { EventView } from '../../core/views.ts';
import { EVENTS_A_PAGE, eventPages } from '../event-pages.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { print, terminalWidth } from '../output.ts';
import { findRun, findSession } from '../record-lookup.ts';
import { connect, type ServerFlags, wholeNumber, withServer } from '../server-connection.ts';
import { onLeave } from '../signals.ts';
import { eventLine } from '../text/event-text.ts';
import { jsonText } from '../text/json-text.ts';
import { crop } from '../text/layout.ts';

interface EventFlags extends ServerFlags {
  follow?: boolean;
  sessionId?: string;
  runId?: string;
  after?: string;
  limit?: string;
}

export function eventsCommand(): Command {
  const command = new Command('events')
    .description('what happened, oldest first; with --follow what happens')
    .option('-f, --follow', 'stay and show what comes; Ctrl-C ends it')
    .option('--session-id <id>', 'of this session only')
    .option('--run-id <id>', 'of this run only')
    .option('--after <seq>', 'only events after this one; with --follow and no session or run: from now on')
    .option('--limit <number>', 'end after so many');
  withExamples(
    command,
    'holdpoint events --session-id nightly',
    'holdpoint events --follow',
    'holdpoint events --follow --after 0 --limit 5 --json',
  );
  return withServer(command).action(events);
}

async function events(flags: EventFlags): Promise<void> {
  const after = wholeNumber('--after', flags.after);
  const limit = wholeNumber('--limit', flags.limit) ?? Number.POSITIVE_INFINITY;
  if (flags.sessionId !== undefined && flags.runId !== undefined)
    throw new Failure('usage', '--session-id and --run-id exclude each other: a run is of one session');
  const client = await connect(flags);
  const source = await sourceOf(client, flags);
  const stop = new AbortController();
  const endListening = onLeave(() => stop.abort());
  const stream = flags.follow ? source.follow(after, stop.signal) : eventPages(source.page, after);
  let shown = 0;
  if (limit > 0)
    for await (const event of stream) {
      if (flags.json) process.stdout.write(`${jsonText(event)}\n`);
      else print(crop(eventLine(event), terminalWidth()));
      shown += 1;
      if (shown >= limit || stop.signal.aborted) break;
    }
  endListening();
}

interface Source {
  page(after: number): Promise<EventView[]>;
  follow(after: number | undefined, signal: AbortSignal): AsyncGenerator<EventView>;
}

async function sourceOf(client: Client, flags: EventFlags): Promise<Source> {
  const { events } = client;
  if (flags.runId !== undefined) {
    const { run_id } = await findRun(client, flags.runId);
    return {
      page: async (after) => (await events.ofRun(run_id, { after, limit: EVENTS_A_PAGE })).items,
      follow: (after, signal) => events.followRun(run_id, { after, signal }),
    };
  }
  if (flags.sessionId !== undefined) {
    const { session_id } = await findSession(client, flags.sessionId);
    return {
      page: async (after) => (await events.ofSession(session_id, { after, limit: EVENTS_A_PAGE })).items,
      follow: (after, signal) => events.followSession(session_id, { after, signal }),
    };
  }
  return {
    page: async (after) => (await events.list({ after, limit: EVENTS_A_PAGE })).items,
    follow: (after, signal) => events.follow({ after, signal }),
  };
}
