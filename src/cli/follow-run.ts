// Follows a run and the sub-agents of its session: prints their output and hands every ask to the caller. Ends when no run
// of the session family is open. Who answers an ask, and how, belongs to the caller.
import type { AskRequest } from '../client/action-summary.ts';
import { type Client, listAll } from '../client/client.ts';
import type { AnswerView } from '../client/inbox-feed.ts';
import { isTerminal, type RunStatus } from '../core/run.ts';
import type { EventView, SessionView } from '../core/views.ts';
import { watchConnection } from './connection-watch.ts';
import { note } from './output.ts';
import { createPromptQueue } from './prompt/prompt-queue.ts';
import { signLines } from './risk-signs.ts';
import { endText } from './text/answer-text.ts';
import { summary, withFolder } from './text/ask-text.ts';
import { outputLines } from './text/run-text.ts';
import { type Line, line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

export interface FollowedRun {
  client: Client;
  session: SessionView;
  runId: string;
  print(line: Line): void;
  /** How long a lost connection is retried. */
  retryForMs: number;
  width: number;
  signal: AbortSignal;
  /**
   * Answers an ask, or leaves it to others. `settled` aborts when the ask is no longer open, with the reason SETTLED if it
   * was answered, here or elsewhere. A promise holds back all output until it has resolved and the ask has settled.
   */
  answer(request: AskRequest, runId: string, settled: AbortSignal): Promise<void> | undefined;
  /** The lines that show an ask with its signs of risk, printed before `answer` is called. */
  card(request: AskRequest, runId: string, signs: readonly Line[]): Line[];
  /** Receives every event of the family first. */
  onEvent?(event: EventView): void;
}

/** The abort reason of an ask that was answered. */
export const SETTLED = Symbol('settled');

const UNTAKEN_MS = 10_000;

/** Returns the ids of the family's sessions. Rejects with what `answer` rejected with, or with the signal's reason. */
export async function followRun(run: FollowedRun): Promise<string[]> {
  const { client, session } = run;
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  const folders = new Map([folderOf(session), ...(await descendants(client, session.session_id))]);
  const openRuns = new Set([run.runId]);
  const asks = new Map<string, { request: AskRequest; settled: AbortController; isShown: boolean }>();
  const queue = createPromptQueue(run.print);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    over.abort();
  };
  const untaken = setTimeout(
    () => queue.print(line(span('No worker has taken the run yet. Is one running?', 'warn'))),
    UNTAKEN_MS,
  );

  function handle(event: EventView): void {
    const { type, data, session_id } = event;
    if (type === 'session.created' && folders.has(String(data.parent_session_id))) {
      folders.set(session_id, data.work_folder as string | undefined);
      queue.print(line(span('┆ a sub-agent starts', 'dim')));
    }
    if (!folders.has(session_id)) return;
    run.onEvent?.(event);
    const indent = session_id === session.session_id ? [] : [span('┆ ', 'dim')];
    const isEnd = isTerminal(type as RunStatus);
    if (type === 'accepted') openRuns.add(String(event.run_id));
    if (type === 'started') clearTimeout(untaken);
    if (type === 'output' && typeof data.text === 'string')
      queue.print(...outputLines(data, run.width - 2).map((of) => [...indent, ...of]));
    if (type === 'waiting_for_approval' || type === 'waiting_for_user_question') raise(event);
    if (type === 'ask.claimed') settle(event);
    if (type === 'failed') queue.print(line(span(`the run failed: ${oneLine(String(data.error))}`, 'bad')));
    if (isEnd) openRuns.delete(String(event.run_id));
    if (isEnd && openRuns.size === 0) over.abort();
  }

  function raise(event: EventView): void {
    const runId = String(event.run_id);
    for (const raised of event.data.requests as AskRequest[]) {
      const request = withFolder(raised, folders.get(event.session_id));
      const ask = { request, settled: new AbortController(), isShown: false };
      asks.set(request.id, ask);
      const until = AbortSignal.any([signal, ask.settled.signal]);
      queue.ask(async () => {
        const signs = await signLines(client, request, run.width);
        if (until.aborted) return;
        ask.isShown = true;
        for (const of of run.card(request, runId, signs)) run.print(of);
        await run
          .answer(request, runId, until)
          ?.then(() => aborted(until))
          .catch((error: unknown) => {
            if (!until.aborted) fail(error);
          });
      });
    }
  }

  /** An ask that settled before its card was printed is named. */
  function settle(event: EventView): void {
    const ask = asks.get(String(event.ask_id));
    if (!ask) return;
    const how = endText(event.data.answer as AnswerView);
    queue.print(line(span('✓ ', 'good'), ask.isShown ? how : `${summary(ask.request)}: ${how}`));
    ask.settled.abort(SETTLED);
  }

  const connection = watchConnection({
    runId: run.runId,
    report: note,
    mayReport: () => !queue.isAsking(),
    retryForMs: run.retryForMs,
    giveUp: fail,
  });
  try {
    // From the first event of this run: earlier runs of the session are not repeated.
    const begin = (await client.events.ofRun(run.runId, { limit: 1 })).items[0]?.seq ?? 1;
    const from = { after: begin - 1, signal, onOpen: connection.open, onLost: connection.lost };
    for await (const event of client.events.follow(from)) handle(event);
  } finally {
    clearTimeout(untaken);
    connection.end();
    over.abort();
  }
  if (failure) throw failure;
  run.signal.throwIfAborted();
  await queue.drained();
  return [...folders.keys()];
}

/** A session and its work folder. */
type SessionFolder = readonly [session_id: string, work_folder: string | undefined];
const folderOf = ({ session_id, work_folder }: SessionView): SessionFolder => [session_id, work_folder];

/** Sub-agents of earlier runs may be given work again. */
async function descendants(client: Client, parent_session_id: string): Promise<SessionFolder[]> {
  const query = { parent_session_id, status: 'active' } as const;
  const children = await listAll((page) => client.sessions.list({ ...query, ...page }));
  const below = await Promise.all(children.map((child) => descendants(client, child.session_id)));
  return [...children.map(folderOf), ...below.flat()];
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
