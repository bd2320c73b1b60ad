// `holdpoint threads`: sessions as chats. Lists, shows and follows them, and posts into them. A thread is named by its
// session or by its own id.
import { readFileSync } from 'node:fs';
import type { AskRequest } from '../../client/action-summary.ts';
import { type Client, listAll } from '../../client/client.ts';
import { duration } from '../../client/times.ts';
import { endedHow } from '../../core/ask.ts';
import { sessionIdOfThread } from '../../core/session.ts';
import type { ItemView, SessionView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { type MutationFlags, type ServerFlags, wholeNumber } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { findSession } from '../lookup.ts';
import { note, print, printJson, printJsonLine, printList, terminalWidth } from '../output.ts';
import { listSessions } from '../paging.ts';
import { signLines } from '../risk-signs.ts';
import { connect, once } from '../server-connection.ts';
import { reportSighting } from '../sighting.ts';
import { interruptible } from '../signals.ts';
import { PAST_TENSE } from '../text/answer-text.ts';
import { withFolder } from '../text/ask-text.ts';
import { statusSpan } from '../text/run-text.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { itemLines, promptLines } from '../text/thread-text.ts';

export function threadsCommand(): Command {
  return new Command('threads', 'sessions as chats: list, show, follow, post')
    .withExamples('holdpoint threads show nightly', 'holdpoint threads post nightly staging')
    .withSubcommands(listCommand(), showCommand(), followCommand(), postCommand());
}

const SESSION = ['<session>', 'the session, or its thread'] as const;

function listCommand(): Command {
  return new Command('list', 'threads of sessions that have not ended, oldest first')
    .option('--all', 'include threads of ended sessions')
    .withExamples('holdpoint threads list', 'holdpoint threads list --all --json')
    .withServer()
    .action(list);
}

async function list(flags: ServerFlags & { all?: boolean }): Promise<void> {
  const sessions = await listSessions(await connect(flags), flags);
  if (flags.json) return printJson(sessions.map(threadOf));
  const now = Date.now();
  printList(sessions, flags, 'no session is active; --all shows ended ones', {
    'thread of': (session) => line(span(session.session_id, 'bold')),
    status: (session) => line(statusSpan(session.status)),
    idle: (session) => duration(now - session.updated_at_ms),
    'last message': (session) => oneLine(session.snapshot.last_message ?? session.title ?? ''),
  });
}

const threadOf = ({ thread_id, session_id, status, snapshot: { last_message } }: SessionView) => ({
  thread_id,
  session_id,
  status,
  last_message,
});

function showCommand(): Command {
  return new Command('show', 'the items of a thread, oldest first')
    .argument(...SESSION)
    .option('--last <number>', 'only this many of the newest items')
    .withExamples('holdpoint threads show nightly --last 5 --json')
    .withServer()
    .action(show);
}

async function show(typed: string, flags: ServerFlags & { last?: string }): Promise<void> {
  const last = wholeNumber('--last', flags.last);
  const client = await connect(flags);
  const session = await findThread(client, typed);
  const all = await listAll((page) => client.threads.items(session.thread_id, page));
  const items = last === undefined ? all : all.slice(Math.max(0, all.length - last));
  if (flags.json) return printJson(items);
  if (items.length === 0) note('the thread is empty');
  for (const item of items) await showItem(client, session, item);
}

function followCommand(): Command {
  return new Command('follow', 'the items of a thread, and new ones as they arrive; Ctrl-C stops')
    .argument(...SESSION)
    .option('--limit <number>', 'stop after this many items')
    .withExamples('holdpoint threads follow nightly', 'holdpoint threads follow nightly --limit 1 --json')
    .withServer()
    .action(follow);
}

function follow(typed: string, flags: ServerFlags & { limit?: string }): Promise<void> {
  const limit = wholeNumber('--limit', flags.limit) ?? Number.POSITIVE_INFINITY;
  return interruptible('stopped', async ({ signal, or }) => {
    const client = await or(connect(flags));
    const session = await or(findThread(client, typed));
    let shown = 0;
    if (limit > 0)
      for await (const item of client.threads.follow(session.thread_id, { signal })) {
        if (flags.json) printJsonLine(item);
        else await showItem(client, session, item);
        shown += 1;
        if (shown >= limit || signal.aborted) break;
      }
  });
}

interface PostFlags extends MutationFlags {
  promptId?: string;
  answersJson?: string;
}

function postCommand(): Command {
  return new Command('post', 'answer the open prompt of a thread; without one, send input for the next run')
    .argument(...SESSION)
    .argument(
      '[text...]',
      'the text; `-` reads standard input. On an approval, anything but an exact yes denies; begin with /comment to comment',
    )
    .option('--prompt-id <id>', 'refuse unless this prompt is open')
    .option('--answers-json <json>', 'structured answers to that prompt: [{"question","answer":[labels]}]')
    .withExamples(
      'holdpoint threads post nightly 1',
      'holdpoint threads post nightly "/comment why?"',
      'echo "staging, and tell me when it is up" | holdpoint threads post nightly -',
    )
    .withMutation()
    .action(async (typed: string, words: string[], flags: PostFlags) => {
      const body = bodyOf(words, flags);
      const client = await connect(flags);
      const { thread_id } = await findThread(client, typed);
      const item = await once(flags, (options) => client.threads.post(thread_id, body, options));
      if (flags.json) return printJson(item);
      if (item.metadata?.type === 'comment') print(line('Comment added. The request stays open.'));
      else if (item.ask_id !== undefined) print(await endedLine(client, item.ask_id));
      else print(line('input for ', item.run_id ?? 'the next run'));
      if (item.winner) note(`the post answers nothing: the prompt was already ${endedHow(item.winner)}`);
    });
}

/** An approval is decided by the wording of the post, so what was decided is said. */
async function endedLine(client: Client, askId: string): Promise<Line> {
  const { answer } = await client.asks.get(askId);
  const behavior = answer?.behavior ?? 'answer';
  return line(span(`${PAST_TENSE[behavior]} `, behavior === 'deny' ? 'warn' : 'good'), askId);
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

/** An open prompt is shown in full, with what its text in the thread leaves out. */
async function showItem(client: Client, session: SessionView, item: ItemView): Promise<void> {
  const request = await openRequest(client, session, item);
  const width = terminalWidth();
  if (!request) return print(...itemLines(item, width));
  const signs = await signLines(client, request, width);
  print(...promptLines(item, withFolder(request, session.work_folder), signs, width));
  await reportSighting(client, request);
}

/** Prompts older than the session's snapshot that are not in it have ended; only newer ones are looked up. */
async function openRequest(client: Client, session: SessionView, item: ItemView): Promise<AskRequest | undefined> {
  const { metadata, created_at_ms } = item;
  const { prompt_id: id } = Object(metadata?.prompt) as { prompt_id?: string };
  if (metadata?.type !== 'pending_prompt' || id === undefined) return undefined;
  const { pending_approvals, pending_questions } = session.snapshot;
  const known = [...pending_approvals, ...pending_questions].find((request) => request.id === id);
  if (known || created_at_ms < session.updated_at_ms) return known;
  const ask = await client.asks.get(id).catch(() => undefined);
  return ask?.status === 'pending' ? ask.request : undefined;
}

/** By a whole thread id, or by whatever finds its session. */
const findThread = (client: Client, typed: string): Promise<SessionView> =>
  findSession(client, sessionIdOfThread(typed) ?? typed);
