// `holdpoint threads`: sessions as chats. List, show, follow, post. A thread goes by the name of its session.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Client, every } from '../../client/client.ts';
import { duration } from '../../client/times.ts';
import { sessionIdOfThread } from '../../core/session.ts';
import type { ItemView, SessionView } from '../../core/views.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { readJson } from '../json-input.ts';
import { print, printJson, printTable, terminalWidth } from '../output.ts';
import { findSession } from '../record-lookup.ts';
import {
  connect,
  type MutationFlags,
  note,
  once,
  type ServerFlags,
  wholeNumber,
  withMutation,
  withServer,
} from '../server-connection.ts';
import { tellSeen } from '../sighting.ts';
import { onLeave } from '../signals.ts';
import { located, type Request } from '../text/ask-text.ts';
import { jsonText } from '../text/json-text.ts';
import { statusStyle } from '../text/run-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { itemLines, promptLines } from '../text/thread-text.ts';

const PAGE = 500;

export function threadsCommand(): Command {
  const command = new Command('threads').description('sessions as chats: list, show, follow, post');
  withExamples(command, 'holdpoint threads show nightly', 'holdpoint threads post nightly staging');
  for (const add of [listCommand, showCommand, followCommand, postCommand]) command.addCommand(add());
  return command;
}

function listCommand(): Command {
  const command = new Command('list')
    .description('threads of sessions that have not ended, oldest first')
    .option('--all', 'those of ended ones too');
  withExamples(command, 'holdpoint threads list', 'holdpoint threads list --all --json');
  return withServer(command).action(async (flags: ServerFlags & { all?: boolean }) => {
    const client = await connect(flags);
    const status = flags.all ? {} : { status: 'active' as const };
    const sessions: SessionView[] = [];
    for await (const session of every((page) => client.sessions.list({ ...status, limit: PAGE, ...page })))
      sessions.push(session);
    if (flags.json)
      return printJson(
        sessions.map(({ thread_id, session_id, status, snapshot: { last_message } }) => ({
          thread_id,
          session_id,
          status,
          last_message,
        })),
      );
    if (sessions.length === 0) return note('no session is active; --all shows ended ones');
    const now = Date.now();
    const rows = sessions.map((session) => [
      line(span(session.session_id, 'bold')),
      line(span(session.status.replaceAll('_', ' '), statusStyle(session.status))),
      line(duration(now - session.updated_at_ms)),
      line(oneLine(session.snapshot.last_message ?? session.title ?? '')),
    ]);
    const columns = ['THREAD OF', 'STATUS', 'IDLE'].map((title) => ({ title }));
    printTable([...columns, { title: 'LAST SAID', flexible: true }], rows);
  });
}

function showCommand(): Command {
  const command = new Command('show')
    .description('what was said, oldest first')
    .argument('<session>', 'the session, or its thread')
    .option('--last <number>', 'only so many items');
  withExamples(command, 'holdpoint threads show nightly', 'holdpoint threads show nightly --last 5 --json');
  return withServer(command).action(async (typed: string, flags: ServerFlags & { last?: string }) => {
    const last = wholeNumber('--last', flags.last);
    const client = await connect(flags);
    const session = await findThread(client, typed);
    const { thread_id } = session;
    let items: ItemView[] = [];
    for await (const item of every((page) => client.threads.items(thread_id, { limit: PAGE, ...page }))) {
      items.push(item);
      if (last !== undefined && items.length > 2 * last) items = items.slice(-last);
    }
    if (last !== undefined) items = last === 0 ? [] : items.slice(-last);
    if (flags.json) return printJson(items);
    if (items.length === 0) note('nothing was said yet');
    for (const item of items) await showItem(client, session, item);
  });
}

function followCommand(): Command {
  const command = new Command('follow')
    .description('what was said, and what is being said; Ctrl-C ends it')
    .argument('<session>', 'the session, or its thread')
    .option('--limit <number>', 'end after so many items');
  withExamples(command, 'holdpoint threads follow nightly', 'holdpoint threads follow nightly --limit 1 --json');
  return withServer(command).action(async (typed: string, flags: ServerFlags & { limit?: string }) => {
    const limit = wholeNumber('--limit', flags.limit) ?? Number.POSITIVE_INFINITY;
    const client = await connect(flags);
    const session = await findThread(client, typed);
    const stop = new AbortController();
    const endListening = onLeave(() => stop.abort());
    let shown = 0;
    if (limit > 0)
      for await (const item of client.threads.follow(session.thread_id, { signal: stop.signal })) {
        if (flags.json) process.stdout.write(`${jsonText(item)}\n`);
        else await showItem(client, session, item);
        shown += 1;
        if (shown >= limit || stop.signal.aborted) break;
      }
    endListening();
  });
}

interface PostFlags extends MutationFlags {
  promptId?: string;
  answersJson?: string;
}

function postCommand(): Command {
  const command = new Command('post')
    .description('answer what the thread asks; where it asks nothing, say something for the next run')
    .argument('<session>', 'the session, or its thread')
    .argument('[text...]', 'what to say; `-` reads standard input')
    .option('--prompt-id <id>', 'refuse unless the thread asks this')
    .option('--answers-json <json>', 'structured answers to that prompt: [{"question","answer":[labels]}]');
  withExamples(
    command,
    'holdpoint threads post nightly 1',
    'echo "staging, and tell me when it is up" | holdpoint threads post nightly -',
  );
  return withMutation(command).action(async (typed: string, words: string[], flags: PostFlags) => {
    const body = bodyOf(words, flags);
    const client = await connect(flags);
    const { thread_id } = await findThread(client, typed);
    const item = await once(flags, (options) => client.threads.post(thread_id, body, options));
    if (flags.json) return printJson(item);
    if (item.ask_id !== undefined) print(line(span('answered ', 'good'), item.ask_id));
    else print(line('input for ', item.run_id ?? 'the next run'));
  });
}

type PostBody = Parameters<Client['threads']['post']>[1];

function bodyOf(words: readonly string[], flags: PostFlags): PostBody {
  const text = words.length === 1 && words[0] === '-' ? readFileSync(0, 'utf8') : words.join(' ');
  const answers = flags.answersJson === undefined ? undefined : readJson('--answers-json', { json: flags.answersJson });
  if (answers !== undefined && flags.promptId === undefined)
    throw new Failure('usage', '--answers-json needs --prompt-id: answers are for one prompt');
  if (text.trim() === '' && answers === undefined) throw new Failure('usage', 'there is nothing to post');
  const content = text === '' ? [] : [{ type: 'text' as const, text }];
  if (flags.promptId === undefined) return { content };
  return { content, metadata: { prompt: { prompt_id: flags.promptId, ...(answers ? { answers } : {}) } } } as PostBody;
}

/** What is still open is shown whole, with what its text in the thread leaves out. */
async function showItem(client: Client, session: SessionView, item: ItemView): Promise<void> {
  const request = await openRequest(client, session, item);
  print(
    ...(request
      ? promptLines(item, located(request, session.work_folder), terminalWidth())
      : itemLines(item, terminalWidth())),
  );
  if (request) await tellSeen(client, request);
}

/** Of what the session asked when we looked, and what it has asked since; of older prompts nobody waits for any. */
async function openRequest(client: Client, session: SessionView, item: ItemView): Promise<Request | undefined> {
  const { metadata, created_at_ms } = item;
  const { prompt_id: id } = Object(metadata?.prompt) as { prompt_id?: string };
  if (metadata?.type !== 'pending_prompt' || id === undefined) return undefined;
  const { pending_approvals, pending_questions } = session.snapshot;
  const known = [...pending_approvals, ...pending_questions].find((request) => request.id === id);
  if (known || created_at_ms < session.updated_at_ms) return known;
  const ask = await client.asks.get(id).catch(() => undefined);
  return ask?.status === 'pending' ? ask.request : undefined;
}

/** A whole thread id, or whatever finds its session. */
const findThread = (client: Client, typed: string): Promise<SessionView> =>
  findSession(client, sessionIdOfThread(typed) ?? typed);
