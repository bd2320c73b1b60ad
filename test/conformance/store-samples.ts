// Records for the store suite: each complete and plain, with every optional field left out unless a test gives it.
import { createHash } from 'node:crypto';
import { type EndedAsk, type EndedStatus, endAsk, type PendingAsk } from '../../src/core/ask.ts';
import type { StoredResponse } from '../../src/core/idempotency.ts';
import type { Message } from '../../src/core/mailbox.ts';
import type { Output } from '../../src/core/output.ts';
import type { Store } from '../../src/core/ports.ts';
import { completeQuestions } from '../../src/core/question.ts';
import type { Clarification, Run } from '../../src/core/run.ts';
import type { Session } from '../../src/core/session.ts';
import type { Token } from '../../src/core/token.ts';
import { newSession } from '../../src/gateway/session.ts';
import { newRun } from '../../src/gateway/slot.ts';

/** What the store under test must hash events with. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Text that a careless store would lose: quotes, placeholders, other scripts, both ends of the plane. */
export const AWKWARD = `'"\\ ? $1 :a %s {} \n\t — ß 漢字 \u05d0\u202e 🦀 \u007f \ufffd ]]>--`;
/** The largest instant a date can have. */
export const LATEST = 8_640_000_000_000_000;

export const sessionOf = (id: string, given: Partial<Session> = {}): Session => ({
  ...newSession(id, { agent: 'external', permissions: 'approval' }, 1),
  ...given,
});

export const runOf = (id: string, sessionId: string, given: Partial<Run> = {}): Run => ({
  ...newRun({ ...sessionOf(sessionId), runCount: 1 }, 1, {
    id,
    kind: 'input',
    input: {},
    source: 'api',
    actor: 'operator',
  }),
  ...given,
});

export const clarificationOf = (requestId: string, given: Partial<Clarification> = {}): Clarification => ({
  requestId,
  requesterAgentId: 'agent',
  requesterSessionId: 'ses_child',
  requesterRunId: 'run_child',
  requesterToolCallId: 'call',
  requesterProjectIds: ['p'],
  requesterChannelIds: [],
  parentProjectIds: [],
  parentChannelIds: ['c'],
  questions: completeQuestions([{ question: AWKWARD }]),
  payloadHash: 'sha256:x',
  expiresAt: undefined,
  ...given,
});

type AskGiven = Partial<Pick<PendingAsk, 'mode' | 'toolCallId' | 'createdAt' | 'expiresAt'>>;

export const questionOf = (id: string, run: Run, given: AskGiven = {}): PendingAsk => ({
  ...askBase(id, run, given),
  kind: 'question',
  content: { questions: completeQuestions([{ question: AWKWARD, options: [{ label: AWKWARD, recommended: true }] }]) },
});

export const approvalOf = (id: string, run: Run, given: AskGiven & { input?: Record<string, unknown> } = {}) => {
  const { input = { command: AWKWARD }, ...rest } = given;
  const content = { tool_name: 'Bash', input, reason: AWKWARD, scope: 'session' };
  return { ...askBase(id, run, rest), kind: 'approval', content } satisfies PendingAsk;
};

const askBase = (id: string, run: Run, given: AskGiven) => ({
  id,
  mode: 'blocking' as const,
  status: 'pending' as const,
  sessionId: run.sessionId,
  runId: run.id,
  toolCallId: `call ${id}`,
  digest: `digest of ${id}`,
  payloadHash: `payload of ${id}`,
  createdAt: 1,
  expiresAt: undefined,
  seenBy: [],
  activity: {},
  raisedBy: undefined,
  ...given,
});

export const endedOf = (ask: PendingAsk, status: EndedStatus = 'answered', by = 'lead', at = 2): EndedAsk =>
  endAsk(ask, status, { justification: AWKWARD }, { answeredBy: by, surface: 'api' }, at, { answerMac: `mac ${by}` });

export const messageOf = (id: string, sessionId: string, given: Partial<Message> = {}): Message => ({
  id,
  sessionId,
  fromSessionId: 'ses_parent',
  subject: 'clarification_answer',
  payload: { text: AWKWARD },
  attempts: 0,
  createdAt: 1,
  ackedAt: undefined,
  deadAt: undefined,
  reason: undefined,
  ...given,
});

export const outputOf = (runId: string, position: number, given: Partial<Output> = {}): Output => ({
  id: `out_${position}`,
  runId,
  position,
  at: 1,
  content: { text: AWKWARD },
  ...given,
});

export const tokenOf = (id: string, given: Partial<Token> = {}): Token => ({
  id,
  kind: 'bearer',
  name: AWKWARD,
  scope: 'viewer',
  sessionId: undefined,
  labels: undefined,
  isBuiltIn: false,
  person: undefined,
  hash: `hash of ${id}`,
  createdAt: 1,
  expiresAt: undefined,
  revokedAt: undefined,
  ...given,
});

export const responseOf = (scope: string, given: Partial<StoredResponse> = {}): StoredResponse => ({
  scope,
  fingerprint: 'f',
  created: false,
  body: AWKWARD,
  createdAt: 1,
  ...given,
});

/** A session with its runs and pending asks, in one unit. */
export function keep(
  store: Store,
  records: { sessions?: Session[]; runs?: Run[]; asks?: PendingAsk[] },
): Promise<void> {
  return store.write(async (tx) => {
    for (const session of records.sessions ?? []) await tx.insert('session', session);
    for (const run of records.runs ?? []) await tx.insert('run', run);
    for (const ask of records.asks ?? []) await tx.insert('ask', ask);
  });
}

/** Appends to a session's log under its lock, as every writer does. */
export function append(store: Store, sessionId: string, texts: string[], runId?: string): Promise<void> {
  return store.write(async (tx) => {
    const session = await tx.lockSession(sessionId);
    if (!session) throw new Error(`no session ${sessionId}`);
    const drafts = texts.map((text) => ({ type: 'output' as const, data: { text }, runId }));
    await tx.appendEvents(session, drafts, 5);
    await tx.update('session', session);
  });
}
