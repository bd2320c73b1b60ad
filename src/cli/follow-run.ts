// Follows one session and its sub-agents as they work, line by line, and hands every ask to whoever wants it. Over when
// no run of the family is open any more. Shows; what is answered, and by whom, is for the caller.
import { type Client, every } from '../client/client.ts';
import type { AskView, EventView, SessionView } from '../core/views.ts';
import { watchLink } from './connection-watch.ts';
import { heldLines } from './prompt/prompt-queue.ts';
import type { Remark } from './server-connection.ts';
import { endText, located, type Request, summary } from './text/ask-text.ts';
import { outputLines } from './text/run-text.ts';
import { type Line, line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

export interface FollowWork {
  client: Client;
  session: SessionView;
  /** The run that was started; the family's other runs are found by themselves. */
  runId: string;
  print(line: Line): void;
  /** Besides the lines: how the connection is. */
  remark: Remark;
  /** How long a lost connection is tried again. */
  retryForMs: number;
  width: number;
  signal: AbortSignal;
  /**
   * An ask is open. `taken` says that it is not any more: with the reason SETTLED it was answered, here or elsewhere. A
   * promise holds up the lines, and the next ask, until it has resolved and the ask is settled.
   */
  asked(request: Request, runId: string, taken: AbortSignal): Promise<void> | undefined;
  /** Lines that show the ask, before it is handed on. */
  card(request: Request, runId: string): Line[];
  /** Every event of the family, before anything is made of it. */
  hear?(event: EventView): void;
}

/** Why an ask is taken from whoever was about to answer it. */
export const SETTLED = Symbol('settled');

const RUN_ENDS = new Set(['completed', 'failed', 'interrupted', 'cancelled']);
const NOBODY_MS = 10_000;

/** Returns the sessions of the family. Rejects with what `asked` rejected with, or with the signal's reason. */
export async function followWork(work: FollowWork): Promise<string[]> {
  const { client, session } = work;
  const over = new AbortController();
  const signal = AbortSignal.any([work.signal, over.signal]);
  const family = new Map([folderOf(session), ...(await children(client, session.session_id))]);
  const open = new Set([work.runId]);
  const asked = new Map<string, { request: Request; taken: AbortController; isShown: boolean }>();
  const lines = heldLines(work.print);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    over.abort();
  };
  const nobody = setTimeout(
    () => lines.add(line(span('No worker has taken the run yet. Is one running?', 'warn'))),
    NOBODY_MS,
  );

  function hear(event: EventView): void {
    if (event.type === 'session.created' && family.has(String(event.data.parent_session_id))) {
      family.set(event.session_id, event.data.work_folder as string | undefined);
      lines.add(line(span('┆ a sub-agent begins', 'dim')));
    }
    if (!family.has(event.session_id)) return;
    work.hear?.(event);
    const indent = event.session_id === session.session_id ? [] : [span('┆ ', 'dim')];
    const { type, data } = event;
    if (type === 'accepted') open.add(String(event.run_id));
    if (type === 'started') clearTimeout(nobody);
    if (type === 'output' && typeof data.text === 'string')
      lines.add(...outputLines(data, work.width - 2).map((of) => [...indent, ...of]));
    if (type === 'waiting_for_approval' || type === 'waiting_for_user_question') raise(event);
    if (type === 'ask.claimed') settle(event);
    if (RUN_ENDS.has(type)) open.delete(String(event.run_id));
    if (type === 'failed') lines.add(line(span(`the run failed: ${oneLine(String(data.error))}`, 'bad')));
    if (open.size === 0 && RUN_ENDS.has(type)) over.abort();
  }

  function raise(event: EventView): void {
    const runId = String(event.run_id);
    for (const raised of event.data.requests as Request[]) {
      const request = located(raised, family.get(event.session_id));
      const ask = { request, taken: new AbortController(), isShown: false };
      asked.set(request.id, ask);
      const until = AbortSignal.any([signal, ask.taken.signal]);
      lines.ask(() => {
        if (until.aborted) return undefined;
        ask.isShown = true;
        for (const of of work.card(request, runId)) work.print(of);
        return work
          .asked(request, runId, until)
          ?.then(() => aborted(until))
          .catch((error: unknown) => {
            if (!until.aborted) fail(error);
          });
      });
    }
  }

  /** One that was settled before its turn came was never shown: then it is named. */
  function settle(event: EventView): void {
    const ask = asked.get(String(event.ask_id));
    if (!ask) return;
    const how = endText(event.data.answer as NonNullable<AskView['answer']>);
    lines.add(line(span('✓ ', 'good'), ask.isShown ? how : `${summary(ask.request)}: ${how}`));
    ask.taken.abort(SETTLED);
  }

  const link = watchLink({
    runId: work.runId,
    remark: work.remark,
    mayTell: () => !lines.isAsking(),
    retryForMs: work.retryForMs,
    giveUp: fail,
  });
  try {
    // From where the run begins: what its session said and asked before is over.
    const begin = (await client.events.ofRun(work.runId, { limit: 1 })).items[0]?.seq ?? 1;
    const from = { after: begin - 1, signal, onOpen: link.open, onLost: link.lost };
    for await (const event of client.events.follow(from)) hear(event);
  } finally {
    clearTimeout(nobody);
    link.end();
    over.abort();
  }
  if (failure) throw failure;
  work.signal.throwIfAborted();
  await lines.end();
  return [...family.keys()];
}

/** Those of earlier runs may be given something to do again. */
async function children(client: Client, parent_session_id: string): Promise<FolderOf[]> {
  const found: FolderOf[] = [];
  const page = (at: object) => client.sessions.list({ parent_session_id, status: 'active', limit: 500, ...at });
  for await (const child of every(page)) found.push(folderOf(child), ...(await children(client, child.session_id)));
  return found;
}

/** A session, and where it works. */
type FolderOf = readonly [session_id: string, work_folder: string | undefined];
const folderOf = ({ session_id, work_folder }: SessionView): FolderOf => [session_id, work_folder];

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
