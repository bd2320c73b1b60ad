// The tables as Kysely sees them: one interface for every dialect. Instants are epoch milliseconds, lists and objects
// are JSON text, `n` is the order of arrival and the cursor of lists.

export interface Tables {
  sessions: SessionRow;
  runs: RunRow;
  asks: AskRow;
  events: EventRow;
  outputs: OutputRow;
  messages: MessageRow;
  tokens: TokenRow;
  responses: ResponseRow;
  facts: FactRow;
  partial_states: PartialStateRow;
  forms: FormRow;
  sign_in_links: SignInLinkRow;
  drafts: DraftRow;
  skills: SkillRow;
  skill_archives: SkillArchiveRow;
}

export interface SessionRow {
  n: number;
  id: string;
  agent: string;
  agent_id: string;
  title: string | null;
  work_folder: string | null;
  project_ids: string;
  channel_ids: string;
  labels: string;
  parent_session_id: string | null;
  permissions: string;
  task_id: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  active_run_id: string | null;
  queued_count: number;
  pending_count: number;
  kept_count: number;
  run_count: number;
  last_message: string | null;
  head_seq: number;
  head_hash: string;
}

export interface RunRow {
  n: number;
  id: string;
  session_id: string;
  agent: string;
  kind: string;
  status: string;
  input: string;
  source: string;
  actor: string;
  text_preview: string;
  submitted_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  error: string | null;
  outcome: string | null;
  resumes_run_id: string | null;
  carries_ask_id: string | null;
  subtask_id: string | null;
  queue_order: number;
  output_count: number;
  clarification: string | null;
  clarification_id: string | null;
  clarification_expires_at: number | null;
  lease_worker: string | null;
  lease_until: number | null;
  lease_epoch: number;
  recovery: string;
  labels: string;
  permissions: string | null;
}

export interface AskRow {
  n: number;
  id: string;
  kind: string;
  mode: string;
  status: string;
  session_id: string;
  run_id: string;
  tool_call_id: string;
  content: string;
  digest: string;
  payload_hash: string;
  created_at: number;
  expires_at: number | null;
  answer: string | null;
  answer_mac: string | null;
  sealed: string | null;
  delivery: string;
  attempts: number;
  delivered_at: number | null;
  delivery_reason: string | null;
  seen_by: string | null;
}

export interface EventRow {
  seq: number;
  session_seq: number;
  id: string;
  at: number;
  session_id: string;
  run_id: string | null;
  ask_id: string | null;
  type: string;
  data: string;
  prev_hash: string;
  hash: string;
}

export interface OutputRow {
  run_id: string;
  id: string;
  position: number;
  at: number;
  content: string;
}

export interface MessageRow {
  n: number;
  id: string;
  session_id: string;
  from_session_id: string;
  subject: string;
  payload: string;
  attempts: number;
  created_at: number;
  acked_at: number | null;
  dead_at: number | null;
  reason: string | null;
}

export interface TokenRow {
  n: number;
  id: string;
  kind: string;
  name: string;
  scope: string;
  session_id: string | null;
  hash: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface ResponseRow {
  scope: string;
  fingerprint: string;
  created: number;
  body: string;
  created_at: number;
}

/** What is true of the whole database, such as which key its secrets are sealed with. */
export interface FactRow {
  name: string;
  value: string;
}

/** What a dispatch left for the next one; beside the ask, because it may be large and belongs in no list. */
export interface PartialStateRow {
  ask_id: string;
  state: string;
}

/** Which subtask displayed which form: its key allows one. */
export interface FormRow {
  session_id: string;
  subtask_id: string;
  ask_id: string;
}

export interface SignInLinkRow {
  hash: string;
  scope: string;
  name: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** What a person has typed and not sent. */
export interface DraftRow {
  ask_id: string;
  revision: number;
  content: string;
  saved_at: number;
  saved_by: string;
}

export interface SkillRow {
  n: number;
  id: string;
  name: string;
  namespace: string;
  description: string;
  version: string | null;
  sha256: string;
  size: number;
  author: string;
  created_at: number;
  updated_at: number;
}

/** The zip of a skill, in base 64. */
export interface SkillArchiveRow {
  skill_id: string;
  zip: string;
}
