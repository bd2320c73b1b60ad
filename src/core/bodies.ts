// Defines every request body of the questions-and-approvals API as a strict schema: an unknown field is an error that names
// it. The server validates with them and the OpenAPI document is generated from them.
import { z } from 'zod';
import { ApprovalResolution, LONGEST_TEXT, QuestionAnswer, QuestionResolution } from './answer.ts';
import { ASK_MODES } from './ask.ts';
import { hasInvisible, isReserved, normalName } from './author-name.ts';
import { DraftContent } from './draft.ts';
import { instant, looseObject, ownId } from './fields.ts';
import { InteractiveFormAnswer } from './form-answer.ts';
import { Always } from './grant.ts';
import { CHOSEN_ID } from './id.ts';
import { Labels } from './label.ts';
import { QuestionInputs } from './question.ts';
import { ProjectRules, SessionRules } from './rule.ts';
import { FAILURE_REASONS, INTERRUPTIONS, RECOVERIES } from './run.ts';
import { SCRIPT_BYTES } from './script-text.ts';
import { PERMISSIONS, SYSTEM_SESSION } from './session.ts';
import { SIGN_IN_SCOPES } from './sign-in.ts';

/** Named in the OpenAPI document. */
export const OwnId = ownId;

const chosenId = z
  .string()
  .regex(
    CHOSEN_ID,
    'use 1 to 128 letters, digits, dots, colons, dashes or underscores, beginning with a letter or digit',
  );
const callId = z.string().trim().min(1).max(256);
/** Any text: the format of a key is checked later, with an error code of its own (`invalid_idempotency_key`). */
export const IdempotencyKey = z
  .string()
  .max(10_000)
  .meta({ minLength: 1, maxLength: 256, description: '1 to 256 bytes without control characters' });
const idempotency_key = IdempotencyKey.optional();

const sessionId = chosenId.refine((id) => id !== SYSTEM_SESSION, 'this name is reserved');

const work_folder = z.string().min(1).max(4096).optional();

export const CreateSession = z.strictObject({
  session_id: sessionId.optional(),
  agent: chosenId,
  agent_id: chosenId.optional(),
  title: z.string().max(500).optional(),
  work_folder,
  project_ids: z.array(chosenId).max(100).optional(),
  channel_ids: z.array(chosenId).max(100).optional(),
  labels: Labels.optional(),
  parent_session_id: sessionId.optional(),
  permissions: z.enum(PERMISSIONS).optional(),
  rules: SessionRules.optional().describe(
    'Decide approvals of this session after the rules of the organisation; given by operators',
  ),
  task_id: ownId.optional(),
  idempotency_key,
});
export type CreateSession = z.infer<typeof CreateSession>;

export const StartRun = z.strictObject({
  input: z.looseObject({ text: z.string().max(500_000).optional() }),
  source: z.string().max(128).optional(),
  subtask_id: ownId.optional(),
  idempotency_key,
});
export type StartRun = z.infer<typeof StartRun>;

/** A person's message to a session: a text, or the answer to the form it waits for. */
export const PostMessage = z
  .strictObject({
    text: z.string().max(LONGEST_TEXT).optional(),
    interactive_form_answer: InteractiveFormAnswer.optional(),
    idempotency_key,
  })
  .refine(
    ({ text, interactive_form_answer: answer }) => (text === undefined) !== (answer === undefined),
    'send either `text` or `interactive_form_answer`',
  );
export type PostMessage = z.infer<typeof PostMessage>;

/** The caller that raises it reads comments while it waits (`comments_read` of the wait), and may reply. */
const takes_comments = z.boolean().optional();

const expiry = {
  expires_at_ms: instant.max(8_640_000_000_000_000).optional(),
  expires_after_ms: z.int().positive().max(3_155_760_000_000).optional(),
};

/** The sub-agents between the run and the one that asks, the outermost first. */
const lineage = z.array(z.string().trim().min(1).max(300)).min(1).max(20).optional();

export const RaiseApproval = z.strictObject({
  kind: z.literal('approval'),
  tool_call_id: callId,
  mode: z.enum(['blocking', 'deferred']).optional(),
  tool_name: z.string().trim().min(1).max(256),
  input: looseObject,
  reason: z.string().max(20_000).optional(),
  scope: z.string().max(128).optional(),
  suggestions: z.array(z.unknown()).max(100).optional(),
  diff: z.string().max(500_000).optional(),
  editable: z
    .boolean()
    .optional()
    .describe('`false`: the caller cannot accept a changed input, so `updated_input` is refused'),
  lineage,
  work_folder: work_folder.describe('Where it runs, if not in the folder of the session; part of what is allowed'),
  files: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(4096),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        text: z
          .string()
          .max(SCRIPT_BYTES)
          .optional()
          .describe(
            'Of a script that the action runs, or a file that it replaces: its whole text, whose SHA-256 is `sha256`; 32 KiB in all',
          ),
      }),
    )
    .max(100)
    .optional()
    .describe(
      'Files that the action names, as they are when it is asked; part of what is allowed, not of which ask it is. An empty list: it was asked again because such files had changed, and none is watched any more',
    ),
  project_rules: ProjectRules.optional().describe(
    'What `.holdpoint/rules.json` of the work folder says, or why it cannot be used. It may reject and ask, never allow',
  ),
  takes_comments,
  ...expiry,
  idempotency_key,
});

export const RaiseQuestion = z.strictObject({
  kind: z.literal('question'),
  tool_call_id: callId,
  mode: z.enum(ASK_MODES).optional(),
  questions: QuestionInputs,
  context: z.string().max(20_000).optional(),
  lineage,
  /** State for the next dispatch: any JSON, up to 1 MiB in its canonical form. Only in mode `restart`. */
  partial_state: z.unknown().optional(),
  takes_comments,
  ...expiry,
  idempotency_key,
});

export const RaiseAsk = z.discriminatedUnion('kind', [RaiseApproval, RaiseQuestion]);
export type RaiseAsk = z.infer<typeof RaiseAsk>;

export const Clarify = z.strictObject({
  tool_call_id: callId,
  questions: QuestionInputs,
  ...expiry,
  idempotency_key,
});
export type Clarify = z.infer<typeof Clarify>;

export const ResolveQuestion = z.strictObject({ resolution: QuestionResolution, idempotency_key });
export const ResolveApprovals = z.strictObject({ resolutions: z.array(ApprovalResolution).max(1000), idempotency_key });
export const CancelQuestion = z.strictObject({ justification: z.string().max(20_000).optional(), idempotency_key });
export const CancelRun = z.strictObject({ reason: z.string().max(20_000).optional(), idempotency_key });
export const EndSession = z.strictObject({ reason: z.string().max(20_000).optional(), idempotency_key });
export const Acknowledge = z.strictObject({ digest: z.string().max(128).optional(), idempotency_key });
export const Sent = Acknowledge.extend({
  returned: z.boolean().optional().describe('It did not arrive, because the agent was gone: it is due as before'),
});
export const Undeliverable = z.strictObject({ reason: z.string().max(20_000).optional(), idempotency_key });
export const Withdraw = z.strictObject({
  justification: z.string().max(20_000).optional(),
  answers: z
    .array(QuestionAnswer)
    .max(100)
    .optional()
    .describe("What a person said at the agent's own prompt: on the record, and no answer given here"),
  idempotency_key,
});
export const PostOutput = z.strictObject({
  output_id: z.string().min(1).max(128).optional(),
  type: z.string().min(1).max(64).optional(),
  text: z.string().max(500_000).optional(),
  data: looseObject.optional(),
  idempotency_key,
});
export type PostOutput = z.infer<typeof PostOutput>;
const exit_code = z.int().min(0).max(255).optional();
export const CompleteRun = z.strictObject({ text: z.string().max(500_000).optional(), exit_code, idempotency_key });
export const FailRun = z.strictObject({
  error: z.string().max(20_000).optional(),
  reason: z.enum(FAILURE_REASONS).optional(),
  interrupted_by: z
    .enum(INTERRUPTIONS)
    .optional()
    .describe('It did not fail: the person at the agent stopped it, or the process that hosted it was lost'),
  exit_code,
  idempotency_key,
});
export const FailMessage = z.strictObject({ reason: z.string().max(20_000).optional(), idempotency_key });
export const Comment = z.strictObject({
  text: z.string().max(20_000),
  role: z
    .literal('agent')
    .optional()
    .describe(
      'From an operator whose program asked: it is the reply of that program. Implied by the token of an agent',
    ),
  comments_read: z
    .int()
    .nonnegative()
    .optional()
    .describe('Of a reply: how many comments of people were read before it; without it all so far count as replied to'),
  idempotency_key,
});
export const Snooze = z.strictObject({
  until_ms: instant.nullable().describe('In the next 31 days; null: it is back'),
  idempotency_key,
});
export const Empty = z.strictObject({ idempotency_key });

export const PreviewGrant = z.strictObject({ request_id: z.string().min(1).max(256), always: Always.optional() });

const GivenAnswer = z.looseObject({
  question: z.string().max(20_000).optional(),
  answer: z.array(z.string().max(LONGEST_TEXT)).max(100),
});
export type GivenAnswer = z.infer<typeof GivenAnswer>;

/** A person's post. Its answer to a prompt has the shape of the item that resolves one. */
export const PostItem = z.strictObject({
  content: z.array(z.strictObject({ type: z.literal('text'), text: z.string().max(LONGEST_TEXT) })).max(100),
  metadata: z
    .looseObject({
      prompt: z
        .looseObject({
          prompt_id: z.string().min(1).max(256),
          answers: z.array(GivenAnswer).max(100).optional(),
          always: Always.optional().describe('With an answer that approves: from now on, without asking'),
        })
        .nullable()
        .optional()
        .describe('The prompt it is about; null where the writer saw none. Refused where the thread asks another'),
    })
    .refine((metadata) => !('type' in metadata), 'must not have `type`: only items that the server writes have one')
    .optional(),
  idempotency_key,
});
export type PostItem = z.infer<typeof PostItem>;

/** How a token's answers are signed. */
const authorName = z
  .string()
  .overwrite(normalName)
  .min(1)
  .max(128)
  .refine((name) => !hasInvisible(name), 'a name has only characters that can be seen')
  .refine(
    (name) => !isReserved(name),
    'this name is reserved: the server signs what it decides itself with it, or means all people by it',
  )
  .optional();

export const CreateToken = z.strictObject({
  /** `attached`: the hooks of a person's own agent. */
  scope: z.enum(['operator', 'viewer', 'agent', 'worker', 'attached']),
  name: authorName,
  session_id: sessionId.optional(),
  labels: Labels.optional().describe('Of a worker: the work it may claim; without any, work without labels'),
  expires_after_ms: z.int().positive().max(3_155_760_000_000).optional(),
  idempotency_key,
});
export type CreateToken = z.infer<typeof CreateToken>;

export const CreateSignInLink = z.strictObject({
  scope: z.enum(SIGN_IN_SCOPES).optional(),
  name: authorName.describe('Who it is for; otherwise the person says so, or is called operator'),
  idempotency_key,
});
export type CreateSignInLink = z.infer<typeof CreateSignInLink>;
export const SignIn = z.strictObject({ code: z.string().min(1).max(256), name: authorName });
export type SignIn = z.infer<typeof SignIn>;

export const SaveDraft = DraftContent.extend({ idempotency_key });

export const ClaimRun = z.strictObject({
  worker_id: chosenId,
  agents: z
    .array(
      z.strictObject({ name: chosenId, recovery: z.enum(RECOVERIES), permissions: z.enum(PERMISSIONS).optional() }),
    )
    .min(1)
    .max(50),
  labels: Labels.optional(),
  wait_ms: z.int().min(0).max(60_000).optional(),
  lease_ms: z.int().min(1000).max(600_000).optional(),
});
export type ClaimRun = z.infer<typeof ClaimRun>;
export const Heartbeat = z.strictObject({
  worker_id: chosenId,
  lease_epoch: z.int().positive(),
  lease_ms: z.int().min(1000).max(600_000).optional(),
  idempotency_key,
});
export type Heartbeat = z.infer<typeof Heartbeat>;
export const ReleaseRun = z.strictObject({ worker_id: chosenId, lease_epoch: z.int().positive(), idempotency_key });
