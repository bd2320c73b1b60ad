// What the clients of a server know for certain, written down while it happens: what was answered and acknowledged, what
// agents applied, what a follower was shown. And the server's own account, read back over its API when all is quiet.
import type { Winner } from '../../src/core/errors.ts';
import type { AskView, EventView, PendingQuestionView, RunView, SessionView } from '../../src/core/views.ts';
import type { Received, Sent } from '../support/http.ts';

export type AnswerView = NonNullable<AskView['answer']>;

/** One request that decides asks; all of them or none. Its nonce is in the justification it sends. */
export interface Attempt {
  nonce: string;
  by: string;
  decisions: { askId: string; answer: Partial<AnswerView> }[];
  /** `sent` until a response has come: nobody knows yet whether it counts. */
  result: 'sent' | 'acknowledged' | 'refused';
  code?: string;
  winner?: Winner;
}

export interface Knowledge {
  attempts: Attempt[];
  /** What agents acted on, each time they did. */
  applied: { askId: string; answer: AnswerView }[];
  /** Asks whose delivery was acknowledged, and the server said so. */
  confirmed: Set<string>;
  /** Mail that children acted on, each time they did. */
  mail: { requestId: string; messageId: string; declined: boolean }[];
  /** What one follower of all events was shown, in that order, over every reconnect. */
  seen: { seq: number; hash: string }[];
  /** Asks whose end their agent never heard, because its run was stopped; with the reason. */
  unheard: Map<string, string>;
  /** Runs that somebody still works on. */
  liveRuns: Set<string>;
  /** What a client found wrong on the spot. */
  faults: string[];
}

export const noKnowledge = (): Knowledge => ({
  attempts: [],
  applied: [],
  confirmed: new Set(),
  mail: [],
  seen: [],
  unheard: new Map(),
  liveRuns: new Set(),
  faults: [],
});

export interface Account {
  sessions: SessionView[];
  runs: RunView[];
  asks: AskView[];
  events: EventView[];
  pendingQuestions: PendingQuestionView[];
  pendingApprovals: PendingQuestionView[];
}

type Call = <T>(sent: Sent) => Promise<Received<T>>;

export async function accountOf(call: Call): Promise<Account> {
  const [sessions, runs, asks, pendingQuestions, pendingApprovals, events] = await Promise.all([
    pages<SessionView>(call, '/v1/sessions'),
    pages<RunView>(call, '/v1/runs'),
    pages<AskView>(call, '/v1/asks'),
    pages<PendingQuestionView>(call, '/v1/questions'),
    pages<PendingQuestionView>(call, '/v1/approvals'),
    pages<EventView>(call, '/v1/events'),
  ]);
  return { sessions, runs, asks, pendingQuestions, pendingApprovals, events };
}

/** Every page of a list, by its Link header. */
export async function pages<T>(call: Call, path: string): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined = `${path}?limit=500`;
  while (next !== undefined) {
    const page: Received<T[]> = await call<T[]>({ path: next });
    if (page.status !== 200) throw new Error(`${next} answered ${page.status}: ${page.text}`);
    all.push(...page.body);
    next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
  }
  return all;
}
