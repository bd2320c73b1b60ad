// Folds a session's events into its thread, the chat view of the session. Outputs of a worker, posts of people, prompts
// and their resolutions become items in the order of the log, with at most one open prompt at any time: the oldest.
// Outputs between a prompt and its resolution follow after it.
import type { Answer, AskMode, AskStatus } from './ask.ts';
import type { Event, EventType } from './event.ts';
import { blockOf } from './form.ts';
import { type Loss, type Prompted, pendingPrompt, resolvedPrompt } from './prompt.ts';
import type { Session } from './session.ts';

export interface ThreadItem {
  id: string;
  sessionId: string;
  role: 'user' | 'worker';
  author: string;
  content: unknown[];
  metadata: Record<string, unknown> | undefined;
  at: number;
  /** Of a person's post: the run it is input for or whose ask it answers. */
  runId: string | undefined;
  askId: string | undefined;
  /** A new version of an item with this id: a form's block follows the form's status. */
  isUpdate?: boolean;
}

export interface Thread {
  /** The prompt that the next post of a person answers. After the answer it stays until the delivery. */
  readonly prompt: Prompted | undefined;
  /** No earlier event affects later ones: a new fold may begin here. */
  readonly isQuiet: boolean;
  /** The items that follow from this event. */
  take(event: Event): readonly ThreadItem[];
}

/** Item types of outputs; the other types are the server's own. */
const SPOKEN = new Set<unknown>(['text', 'tool_call', 'tool_result', 'thinking', 'status']);

interface Posted {
  ask: Prompted;
  mode: AskMode;
  /** The run that gets the answer; none while it is handed from the held run to the next. */
  runId: string | undefined;
  isHandedOver: boolean;
  answer: Answer | undefined;
}

type Data = Record<string, unknown>;
type Draft = Pick<ThreadItem, 'role' | 'author' | 'content' | 'metadata' | 'at'> &
  Partial<Pick<ThreadItem, 'runId' | 'askId'>>;
type TurnEnd = 'completed' | 'failed' | 'interrupted' | 'cancelled';

export function createThread({ agentId, workFolder }: Pick<Session, 'agentId' | 'workFolder'>): Thread {
  const waiting: Posted[] = [];
  /** Answered, but not delivered before the run's other asks are answered too. */
  let parked: Posted[] = [];
  let held: Draft[] = [];
  let prompt: Posted | undefined;
  let event: Event;
  let items: ThreadItem[] = [];
  let updates: ThreadItem[] = [];
  let isEnding = false;
  /** From the preceding `ask.raised`: events of earlier versions have the mode there, not beside the request. */
  let raisedMode: AskMode | undefined;
  const unattended = new Set<string>();
  /** The blocks of forms that are open, by ask. */
  const blocks = new Map<string, ThreadItem>();

  const post = (draft: Draft): void => {
    const { sessionId, sessionSeq } = event;
    const id = itemIdOf(sessionId, sessionSeq, items.length + 1);
    const item = { id, sessionId, runId: undefined, askId: undefined, ...draft };
    items.push(item);
    const block = blockOf(item.metadata);
    if (block?.status === 'pending') blocks.set(block.id, item);
  };
  const say = (text: string, metadata: Data): Draft => ({
    role: 'worker',
    author: agentId,
    content: [{ type: 'text', text }],
    metadata,
    at: event.at,
  });
  const workerItem = (draft: Draft): void => {
    if (prompt || parked.length > 0) held.push(draft);
    else post(draft);
  };
  /** The audit item, then the items that waited for it. */
  const resolve = (ended: Posted, answer: Answer, loss?: Loss): void => {
    const { text, metadata } = resolvedPrompt(ended.ask, answer, loss);
    post(say(text, metadata));
    if (ended === prompt) prompt = undefined;
    parked = parked.filter((other) => other !== ended);
    if (prompt || parked.length > 0) return;
    for (const draft of held) post(draft);
    held = [];
  };
  const undelivered = (): Posted[] => (prompt?.answer ? [...parked, prompt] : [...parked]);
  const nextPrompt = (): void => {
    if (prompt?.answer && isStuck(prompt)) {
      parked.push(prompt);
      prompt = undefined;
    }
    if (prompt) return;
    prompt = waiting.shift();
    if (!prompt) return;
    const { text, metadata } = pendingPrompt(prompt.ask, prompt.mode, workFolder);
    post(say(text, metadata));
  };
  /** Without a waiting process an answer is delivered only when the run's last ask has ended. */
  const isStuck = ({ mode, runId }: Posted): boolean =>
    (mode !== 'blocking' || unattended.has(runId ?? '')) && waiting.some((other) => other.runId === runId);

  const raised = ({ requests, mode = raisedMode }: Data, kind: Prompted['kind']): void => {
    for (const request of requests as { id: string }[]) {
      const ask = { id: request.id, kind, content: request } as unknown as Prompted;
      waiting.push({ ask, mode: mode as AskMode, runId: event.runId, isHandedOver: false, answer: undefined });
    }
  };
  const openAsk = (id: string | undefined): Posted | undefined =>
    prompt?.ask.id === id ? prompt : waiting.find(({ ask }) => ask.id === id);
  /** A queued item is updated in place. */
  const endBlock = (status: AskStatus): void => {
    const ended = (draft: Draft) => ({ ...draft.metadata, block: { ...blockOf(draft.metadata), status } });
    for (const draft of held) if (blockOf(draft.metadata)?.id === event.askId) draft.metadata = ended(draft);
    const shown = blocks.get(event.askId ?? '');
    if (!shown) return;
    blocks.delete(event.askId ?? '');
    updates.push({ ...shown, metadata: ended(shown), isUpdate: true });
  };
  const claimed = (answer: Answer): void => {
    endBlock(answer.outcome);
    const place = waiting.findIndex(({ ask }) => ask.id === event.askId);
    if (place >= 0) waiting.splice(place, 1);
    if (prompt?.ask.id !== event.askId || !prompt) return;
    prompt.answer = answer;
    if (answer.outcome !== 'answered') resolve(prompt, answer);
  };
  const delivered = (lost?: string): void => {
    const taken = undelivered().find(({ ask }) => ask.id === event.askId);
    if (!taken?.answer) return;
    resolve(taken, taken.answer, lost === undefined ? undefined : { state: 'cancelled', reason: lost });
  };
  /** An answer that was still due is delivered by a completed run and lost by a stopped one. */
  const turnEnd = (status: TurnEnd, { error = `the run was ${status}`, why = error, stop_reason }: Data): void => {
    for (const ended of undelivered()) {
      const { answer } = ended;
      if (!answer || ended.runId !== event.runId) continue;
      const state = status === 'failed' ? 'failed' : 'cancelled';
      if (status !== 'completed') resolve(ended, answer, { state, reason: String(why) });
      else if (!isCarriedOn(ended)) resolve(ended, answer);
      else Object.assign(ended, { isHandedOver: true, runId: undefined });
    }
    unattended.delete(event.runId ?? '');
    workerItem(
      say(status, { type: 'turn_end', run_id: event.runId, status, ...(stop_reason !== undefined && { stop_reason }) }),
    );
  };

  const on: Partial<Record<EventType, (data: Data) => void>> = {
    'ask.raised': ({ mode }) => {
      raisedMode = mode as AskMode;
      unattended.delete(event.runId ?? '');
    },
    waiting_for_approval: (data) => raised(data, 'approval'),
    waiting_for_user_question: (data) => raised(data, 'question'),
    'ask.claimed': ({ answer }) => claimed(answer as Answer),
    'ask.delivered': () => delivered(),
    'ask.undeliverable': ({ reason = 'it could not be delivered' }) => delivered(String(reason)),
    accepted: ({ text, role, actor_id }) => {
      // The run that carries a handed-over answer is the next one.
      for (const carried of undelivered()) carried.runId ??= event.runId;
      if (typeof text !== 'string') return;
      const draft = { author: String(actor_id), content: [{ type: 'text', text }], at: event.at };
      if (role === 'user') post({ ...draft, role, metadata: undefined, runId: event.runId });
      else workerItem({ ...draft, role: 'worker', metadata: { type: 'text', run_id: event.runId } });
    },
    'run.released': () => unattended.add(event.runId ?? ''),
    'run.recovered': () => unattended.add(event.runId ?? ''),
    completed: (data) => turnEnd('completed', data),
    failed: (data) => turnEnd('failed', data),
    interrupted: (data) => turnEnd('interrupted', data),
    cancelled: (data) => turnEnd('cancelled', data),
    output: ({ text, type, output_id, data }) => {
      if (typeof text !== 'string') return;
      const spoken = SPOKEN.has(type) ? type : 'text';
      workerItem(say(text, { type: spoken, run_id: event.runId, output_id, ...(data !== undefined && { data }) }));
    },
    'ask.commented': ({ role, by, text, comment_id }) => {
      // Beside the prompt it is about, which stays open.
      const metadata = { type: 'comment', ask_id: event.askId, comment_id };
      const content = [{ type: 'text', text }];
      post({ role: role === 'agent' ? 'worker' : 'user', author: String(by), content, metadata, at: event.at });
    },
    'item.posted': ({ role, author, content, metadata }) => {
      if (!Array.isArray(content)) return;
      const draft = { role, author, content, metadata, at: event.at } as Draft;
      if (role === 'user') post({ ...draft, runId: event.runId, askId: event.askId });
      else workerItem(draft);
    },
  };

  return {
    get prompt() {
      return prompt?.ask;
    },
    get isQuiet() {
      return !isEnding && !prompt && !raisedMode && blocks.size + parked.length + held.length === 0;
    },
    take(next) {
      event = next;
      [items, updates] = [[], []];
      const data = JSON.parse(next.data) as Data;
      const mode = next.type === 'ask.claimed' ? openAsk(next.askId)?.mode : undefined;
      on[next.type]?.(data);
      isEnding = next.type === 'ask.claimed' && (isEnding || endsTheRun(data, mode));
      if (next.type !== 'ask.raised') raisedMode = undefined;
      if (!isEnding) nextPrompt();
      return [...items, ...updates];
    },
  };
}

/** The n-th item of an event. A post is the first of its own. */
export const itemIdOf = (sessionId: string, sessionSeq: number, n = 1): string => `itm_${sessionId}_${sessionSeq}_${n}`;

/** The answer completes the held run, and the next run carries it to the agent. */
const isCarriedOn = ({ mode, isHandedOver }: Posted): boolean =>
  (mode === 'form' || mode === 'restart') && !isHandedOver;

/** The run stops with this ask, or its worker is lost: the next events end its other asks, which become no prompts. */
function endsTheRun({ kind, answer }: Data, mode: AskMode | undefined): boolean {
  const { outcome, reason } = answer as Answer;
  if (outcome === 'expired') return kind === 'question';
  if (outcome === 'cancelled') return mode !== 'form' || reason !== undefined;
  return outcome === 'failed';
}
