// Asks, answers and sessions as the server sends them, for tests of what the surfaces make of them.
import type { InboxEntry } from '../../src/client/inbox-model.ts';
import type { Question } from '../../src/core/question.ts';
import type { ApprovalAskView, AskView, QuestionAskView, SessionView } from '../../src/core/views.ts';

let count = 0;

export function approval(
  input: Record<string, unknown> = { command: 'npm test' },
  more: Partial<ApprovalAskView> = {},
): ApprovalAskView {
  count += 1;
  const id = more.ask_id ?? `ask_${String(count).padStart(6, '0')}`;
  const created_at_ms = more.created_at_ms ?? count;
  const request = {
    id,
    tool_call_id: id,
    tool_name: 'Bash',
    input,
    scope: 'session',
    reason: '',
    digest: 'd',
    created_at_ms,
  };
  return {
    ask_id: id,
    kind: 'approval',
    status: 'pending',
    session_id: 'ses_1',
    run_id: 'run_1',
    tool_call_id: id,
    mode: 'blocking',
    created_at_ms,
    request,
    delivery: { state: 'none', attempts: 0 },
    ...more,
  };
}

export function question(
  questions: Question[],
  more: Partial<Omit<QuestionAskView, 'kind' | 'request'>> = {},
): QuestionAskView {
  const base = approval({}, more);
  const { id, tool_call_id, digest, created_at_ms } = base.request;
  return { ...base, kind: 'question', request: { id, tool_call_id, questions, digest, created_at_ms }, ...more };
}

export const asked = (more: Partial<Question> = {}): Question => ({
  id: 'q',
  header: 'Target',
  question: 'Where to?',
  options: [],
  multi_select: false,
  required: true,
  allow_other: true,
  ...more,
});

export const options = (...labels: string[]) => labels.map((label) => ({ id: label, label, value: label }));

export const entry = (ask: AskView): InboxEntry => ({ ask });

export const session = (id: string, more: Partial<SessionView> = {}): SessionView => ({
  session_id: id,
  agent_id: 'claude',
  agent: 'claude',
  project_ids: [],
  channel_ids: [],
  labels: [],
  permissions: 'approval',
  permissions_from: 'default',
  status: 'idle',
  snapshot: { pending_approvals: [], pending_questions: [], status: 'idle', last_message: null },
  queued_run_ids: [],
  thread_id: `thr_${id}`,
  created_at_ms: 1,
  updated_at_ms: 1,
  ...more,
});

export const answer = (more: Partial<NonNullable<AskView['answer']>> = {}): NonNullable<AskView['answer']> => ({
  outcome: 'answered',
  behavior: 'allow',
  answered_by: 'mate',
  surface: 'cli',
  answered_at_ms: 5,
  ...more,
});
