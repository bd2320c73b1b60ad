// Defines every view of the questions-and-approvals API as a schema: the OpenAPI document is generated from them, the client
// takes its types here, and tests validate real responses with them.

import { z } from 'zod';
import { AgentDescription } from './agent-description.ts';
import { QuestionAnswer } from './answer.ts';
import { ASK_MODES, ASK_RAISERS, ASK_STATUSES, DELIVERY_STATES, SURFACES } from './ask.ts';
import { TOOL_DEFERRED } from './deferred.ts';
import { DraftContent } from './draft.ts';
import { EVENT_TYPES } from './event.ts';
import { instant, looseObject, ownId } from './fields.ts';
import { RenderPayload } from './form.ts';
import { NoticeView } from './notice-views.ts';
import { Question } from './question.ts';
import { RiskSign } from './risk.ts';
import { RECORD_TABLES } from './row-audit.ts';
import { RUN_KINDS, RUN_STATUSES } from './run.ts';
import { PERMISSIONS } from './session.ts';
import { SCOPES, TOKEN_KINDS } from './token.ts';
import { ToolRule } from './tool-rules.ts';
import { WinnerView } from './winner.ts';

/** Named in the OpenAPI document, because several views have them. */
export const RunKindView = z.enum(RUN_KINDS);
export const RunStatusView = z.enum(RUN_STATUSES);
export const AskStatusView = z.enum(ASK_STATUSES);
export const AskModeView = z.enum(ASK_MODES);
export const SurfaceView = z.enum(SURFACES);
export const ScopeView = z.enum(SCOPES);

export const UserQuestionRequest = z.object({
  id: z.string(),
  tool_call_id: z.string(),
  questions: z.array(Question),
  context: z.string().optional(),
  lineage: z.array(z.string()).optional(),
  digest: z.string(),
  created_at_ms: instant,
  expires_at_ms: instant.optional(),
});
export type UserQuestionRequest = z.infer<typeof UserQuestionRequest>;

export const ApprovalRequest = z.object({
  id: z.string(),
  tool_call_id: z.string(),
  tool_name: z.string(),
  input: looseObject,
  scope: z.string(),
  reason: z.string(),
  suggestions: z.array(z.unknown()).optional(),
  diff: z.string().optional(),
  editable: z.literal(false).optional().describe('The caller cannot accept a changed input'),
  lineage: z.array(z.string()).optional(),
  work_folder: z.string().optional().describe('Where it runs, if not in the folder of the session'),
  files: z
    .array(z.object({ path: z.string(), sha256: z.string(), text: z.string().optional() }))
    .optional()
    .describe(
      'Files that it names, as they were when it was asked; it is asked again if they have changed. `text` of short scripts that it runs, and of a file that it replaces',
    ),
  earlier: z
    .object({
      ask_id: z.string(),
      behavior: z.enum(['allow', 'deny']),
      answered_by: z.string(),
      answered_at_ms: instant,
      reason: z.string().optional(),
    })
    .optional()
    .describe('What was decided about the same action before its worker was lost; it must be decided again'),
  asked_because: z
    .object({ why: z.string(), delegate_to: z.string().optional() })
    .optional()
    .describe(
      'Which rule asks, or which part no rule covers; absent where no rule applies. The delegate is being consulted',
    ),
  digest: z.string(),
  created_at_ms: instant,
  expires_at_ms: instant.optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const OutputView = z.object({
  output_id: z.string(),
  at_ms: instant,
  type: z.string().optional(),
  text: z.string().optional(),
  data: looseObject.optional(),
});

export const RunView = z.object({
  run_id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  kind: RunKindView,
  status: RunStatusView,
  submitted_at_ms: instant,
  updated_at_ms: instant,
  started_at_ms: instant.optional(),
  finished_at_ms: instant.optional(),
  winner: WinnerView.optional().describe(
    'Of a message that came after the answer to the prompt: it is for the next run',
  ),
  queued_position: z.int().positive().optional(),
  request: z.object({ source: z.string(), actor_id: z.string(), text_preview: z.string() }),
  pending_approval_ids: z.array(z.string()),
  pending_approvals: z.array(ApprovalRequest),
  pending_question_ids: z.array(z.string()),
  pending_questions: z.array(UserQuestionRequest),
  outputs: z.array(OutputView),
  error: z.string().optional(),
  outcome: z.string().optional(),
  resumes_run_id: z.string().optional(),
  subtask_id: ownId.optional(),
  /** Held on a form: the agent has stopped and continues with the next message. */
  stop_reason: z.literal(TOOL_DEFERRED).optional(),
});
export type RunView = z.infer<typeof RunView>;

export const SessionView = z.object({
  session_id: z.string(),
  agent_id: z.string(),
  agent: z.string(),
  title: z.string().optional(),
  work_folder: z.string().optional(),
  project_ids: z.array(z.string()),
  labels: z.array(z.string()),
  channel_ids: z.array(z.string()),
  parent_session_id: z.string().optional(),
  permissions: z.enum(PERMISSIONS),
  permissions_from: z
    .enum(['session', 'worker', 'default'])
    .describe('`default`: no worker has the session now; the next one may be set to autonomous'),
  status: z.string(),
  snapshot: z.object({
    pending_approvals: z.array(ApprovalRequest),
    pending_questions: z.array(UserQuestionRequest),
    status: z.string(),
    last_message: z.string().nullable(),
  }),
  active_run_id: z.string().optional(),
  queued_run_ids: z.array(z.string()),
  thread_id: z.string(),
  task_id: ownId.optional(),
  created_at_ms: instant,
  updated_at_ms: instant,
});
export type SessionView = z.infer<typeof SessionView>;

const requester = {
  requester_agent_id: z.string().optional(),
  requester_session_id: z.string().optional(),
  requester_run_id: z.string().optional(),
  requester_tool_call_id: z.string().optional(),
  requester_project_ids: z.array(z.string()).optional(),
  requester_channel_ids: z.array(z.string()).optional(),
  parent_project_ids: z.array(z.string()).optional(),
  parent_channel_ids: z.array(z.string()).optional(),
};
const pendingOf = { session_id: z.string(), agent_id: z.string(), run_id: z.string(), run_kind: RunKindView };

export const PendingQuestionView = z.object({ ...pendingOf, ...requester, request: UserQuestionRequest });
export type PendingQuestionView = z.infer<typeof PendingQuestionView>;
export const PendingApprovalView = z.object({ ...pendingOf, request: ApprovalRequest });
export type PendingApprovalView = z.infer<typeof PendingApprovalView>;

export const AnswerView = z.object({
  outcome: AskStatusView.exclude(['pending']),
  answers: z.array(QuestionAnswer.extend({ secret: z.boolean().optional() })).optional(),
  behavior: z.enum(['allow', 'deny']).optional(),
  updated_input: looseObject.optional(),
  suggestion_ids: z.array(z.string()).optional(),
  grant_id: z.string().optional().describe('The grant that was given with it'),
  digest: z.string().optional(),
  justification: z.string().optional(),
  reason: z.string().optional(),
  answered_by: z.string(),
  surface: SurfaceView,
  answered_at_ms: instant,
  kept_from: z
    .string()
    .optional()
    .describe(
      'The ask that was answered so before its worker was lost; `answered_at_ms` is the instant of that answer',
    ),
});

export const Place = z.object({ session_id: z.string(), agent: z.string(), title: z.string().optional() });

/** Where an ask comes from: shown to operators and viewers. */
export const AskedFrom = z.object({
  agent: z.string(),
  agent_id: z.string(),
  title: z.string().optional(),
  work_folder: z.string().optional(),
  project_ids: z.array(z.string()),
  lineage: z.array(Place).describe('The sessions above this one, the topmost first'),
  requester: Place.optional().describe('The child session a clarification is for'),
});
export type AskedFrom = z.infer<typeof AskedFrom>;

export const SightingView = z.object({ by: z.string(), surface: SurfaceView, at_ms: instant });
export type SightingView = z.infer<typeof SightingView>;

export const CommentView = SightingView.extend({
  comment_id: z.string(),
  role: z.enum(['person', 'agent']),
  text: z.string(),
  comments_read: z
    .int()
    .nonnegative()
    .optional()
    .describe('Of a reply: how many comments of people it was written after'),
});
export type CommentView = z.infer<typeof CommentView>;

export const SnoozedView = SightingView.extend({ until_ms: instant });

export const DeliveryView = z.object({
  state: z.enum(DELIVERY_STATES),
  attempts: z.int().nonnegative(),
  sent_at_ms: instant.optional().describe('When it was handed to the agent, which has not shown yet that it has it'),
  delivered_at_ms: instant.optional(),
  reason: z.string().optional(),
});

const askFields = {
  ask_id: z.string(),
  status: AskStatusView,
  session_id: z.string(),
  run_id: z.string(),
  tool_call_id: z.string(),
  mode: AskModeView,
  raised_by: z
    .enum(ASK_RAISERS)
    .optional()
    .describe('`worker`: the worker that hosts the run, under its lease. `agent`: with the token of a session or run'),
  created_at_ms: instant,
  expires_at_ms: instant.optional(),
  asked_from: AskedFrom.optional(),
  seen_by: z.array(SightingView).optional().describe('Who has seen it while it was pending, the first 20; for people'),
  risk: z
    .array(RiskSign)
    .optional()
    .describe('What to notice before deciding, the gravest first; for people. Empty: nothing was recognised'),
  takes_comments: z.literal(true).optional().describe('Its agent reads comments while it waits, and may reply'),
  comments: z.array(CommentView).optional().describe('Of people and the agent, oldest first; none is an answer'),
  taken_by: SightingView.optional().describe('Who said "I\'m on it"; for people'),
  snoozed: SnoozedView.optional().describe('Until when it should be out of the way; for people'),
  notices: z.array(NoticeView).optional().describe('Who was notified, when and how; of one ask, for people'),
  answer: AnswerView.optional(),
  delivery: DeliveryView,
};

export const ApprovalAskView = z.object({ ...askFields, kind: z.literal('approval'), request: ApprovalRequest });
export type ApprovalAskView = z.infer<typeof ApprovalAskView>;

export const QuestionAskView = z.object({
  ...askFields,
  kind: z.literal('question'),
  request: UserQuestionRequest,
  render_payload: RenderPayload.optional().describe('Only of a form: all that a page may draw it from'),
});
export type QuestionAskView = z.infer<typeof QuestionAskView>;

export const AskView = z.discriminatedUnion('kind', [ApprovalAskView, QuestionAskView]);
export type AskView = z.infer<typeof AskView>;
/** The view of an ask of one kind. */
export type AskViewOf<K extends AskView['kind']> = Extract<AskView, { kind: K }>;

export const EventView = z.object({
  seq: z.int().positive(),
  session_seq: z.int().positive(),
  id: z.string(),
  at_ms: instant,
  session_id: z.string(),
  run_id: z.string().optional(),
  ask_id: z.string().optional(),
  type: z.enum(EVENT_TYPES),
  data: looseObject,
  prev_hash: z.string(),
  hash: z.string(),
});
export type EventView = z.infer<typeof EventView>;

export const RecordView = z.object({
  table: z.enum(RECORD_TABLES),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).describe('Its columns, as they are stored'),
  is_sealed: z.boolean().optional().describe('Of a session: whether the server itself wrote the end of its log'),
  event_count: z.number().int().optional().describe('Of a session: how many events are found by its id'),
});
export type RecordView = z.infer<typeof RecordView>;

export const ClarificationView = z.object({
  run_id: z.string(),
  request_id: z.string(),
  parent_session_id: z.string(),
});
export type ClarificationView = z.infer<typeof ClarificationView>;

export const MessageView = z.object({
  message_id: z.string(),
  subject: z.string(),
  from_session_id: z.string(),
  payload: looseObject,
  attempts: z.int().nonnegative(),
  created_at_ms: instant,
});
export type MessageView = z.infer<typeof MessageView>;
export const DeadLetterView = MessageView.extend({ reason: z.string(), dead_at_ms: instant });

export const ItemView = z.object({
  item_id: z.string(),
  thread_id: z.string(),
  author: z.object({ role: z.enum(['user', 'worker']), name: z.string() }),
  content: z.array(z.unknown()),
  metadata: looseObject.optional(),
  run_id: z.string().optional().describe('Of a post: the run it is input for, or whose ask it answers'),
  ask_id: z.string().optional().describe('Of a post: the ask it answers'),
  winner: WinnerView.optional().describe('Of a post that came after the answer to the prompt: it is for the next run'),
  created_at_ms: instant,
});
export type ItemView = z.infer<typeof ItemView>;

export const TokenView = z.object({
  token_id: z.string(),
  kind: z.enum(TOKEN_KINDS),
  name: z.string(),
  scope: ScopeView,
  session_id: z.string().optional(),
  labels: z.array(z.string()).optional().describe('Of a worker: the work it may claim; absent where any'),
  created_at_ms: instant,
  expires_at_ms: instant.optional(),
  revoked_at_ms: instant.optional(),
});
export const NewTokenView = TokenView.extend({ token: z.string() });
export type NewTokenView = z.infer<typeof NewTokenView>;

/** A public key that signs checkpoints of the log. */
export const AuditKeyView = z.object({
  key: z.string().describe('Ed25519 public key, base64url'),
  introduced_at_ms: instant.optional().describe('When the key before it introduced it; absent for the first'),
  is_current: z.boolean().describe('Whether it signs from now on'),
});
export type AuditKeyView = z.infer<typeof AuditKeyView>;

/** An agent that some worker hosts now. */
export const AgentView = AgentDescription.extend({
  is_connectable: z.boolean().describe("Whether a person's own copy can be connected: `holdpoint connect`"),
  workers: z.int().positive(),
  labels: z.array(z.array(z.string())).describe('What its workers have: each different set of labels once'),
  seen_at_ms: instant,
});
export type AgentView = z.infer<typeof AgentView>;

/** Who the caller is. */
export const MeView = TokenView.pick({ token_id: true, kind: true, name: true, scope: true, session_id: true }).extend({
  expires_at_ms: instant.optional(),
});
export type MeView = z.infer<typeof MeView>;

export const SignInLinkView = z.object({ url: z.string(), expires_at_ms: instant });
export type SignInLinkView = z.infer<typeof SignInLinkView>;

export const DraftView = DraftContent.extend({
  ask_id: z.string(),
  revision: z.int().positive(),
  saved_at_ms: instant,
  saved_by: z.string(),
});
export type DraftView = z.infer<typeof DraftView>;

/** A run claimed by a worker: its input and its undelivered answers. */
export const ClaimedRunView = z.object({
  run: RunView,
  session: SessionView,
  input: looseObject,
  lease: z.object({ epoch: z.int().positive(), until_ms: instant }),
  /** For the programs of this run. */
  env: z.record(z.string(), z.string()),
  resumed: z.boolean(),
  due: z.array(AskView),
  tool_rules: z.array(ToolRule).optional().describe('What the rules of the server say about whole tools, in order'),
});
export type ClaimedRunView = z.infer<typeof ClaimedRunView>;
