// Replays a session's events into the columns that they determine of the session's row and of the rows of its runs, asks and grants;
// of the system session, those of tokens.
// A column that is absent here is not determined: leases, attempts, sealed answers, and what an older version did not log.
import { type Act, type Activity, type ActivityEvent, acted } from './activity.ts';
import { type Answer, type AskKind, type AskMode, isWithdrawn, WORKER_RESTART } from './ask.ts';
import { canonical, type Hash } from './digest.ts';
import { type Event, isOnlyLooking } from './event.ts';
import { GrantReplay } from './grant-replay.ts';
import { labelKey } from './label.ts';
import { heldStatus, previewOf, type RunKind, type RunStatus } from './run.ts';
import type { Permissions } from './session.ts';
import { TokenReplay } from './token-replay.ts';

/** The value of a column; of a large text its SHA-256, of JSON the SHA-256 of its RFC 8785 form. */
export type Expected = string | number | null | { text: string } | { json: string };
export type Columns = Record<string, Expected>;
type Data = Record<string, unknown>;

interface RunState {
  columns: Columns;
  /** Pending asks that hold it, and whether one ended that the next run carries. */
  held: Map<string, AskKind>;
  isHandedOver: boolean;
}
interface AskState {
  columns: Columns;
  mode: AskMode | undefined;
  seen: object[];
  activity: Activity;
}

/** Of an event whose data cannot be read the chain is broken, which is reported of the log. */
function dataOf({ data }: Event): Data {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}

const orNull = (value: unknown): Expected => (value as Expected) ?? null;

export class SessionReplay {
  readonly session: Columns = {};
  headSeq = 0;
  readonly #id: string;
  readonly #hash: Hash;
  readonly #runs = new Map<string, RunState>();
  readonly #asks = new Map<string, AskState>();
  readonly #grants: GrantReplay;
  readonly #tokens = new TokenReplay();
  #counts = { queued: 0, pending: 0, run: 0 };
  #activeRunId: string | undefined;

  constructor(id: string, hash: Hash) {
    this.#id = id;
    this.#hash = hash;
    this.#grants = new GrantReplay(hash);
  }

  run = (id: string): Columns | undefined => this.#runs.get(id)?.columns;
  ask = (id: string): Columns | undefined => this.#asks.get(id)?.columns;
  grant = (id: string): Columns | undefined => this.#grants.columns.get(id);
  token = (id: string): Columns | undefined => this.#tokens.columns.get(id);
  get tokenIds(): string[] {
    return [...this.#tokens.columns.keys()];
  }
  get grantIds(): string[] {
    return [...this.#grants.columns.keys()];
  }
  get runIds(): string[] {
    return [...this.#runs.keys()];
  }
  get askIds(): string[] {
    return [...this.#asks.keys()];
  }

  /** The next event of the session. */
  take(event: Event): void {
    const data = dataOf(event);
    this.#effects[event.type]?.(event, data);
    this.headSeq = event.sessionSeq;
    if (!isOnlyLooking(event.type)) this.session.updated_at = event.at;
    Object.assign(this.session, {
      id: this.#id,
      head_seq: event.sessionSeq,
      head_hash: event.hash,
      queued_count: this.#counts.queued,
      pending_count: this.#counts.pending,
      run_count: this.#counts.run,
      active_run_id: orNull(this.#activeRunId),
    });
  }

  readonly #effects: Partial<Record<Event['type'], (event: Event, data: Data) => void>> = {
    'session.created': ({ at }, data) =>
      void Object.assign(this.session, { status: 'active', ended_at: null, last_message: null }, created(data, at), {
        rules: data.rules === undefined ? null : this.#json(data.rules),
      }),
    'session.ended': ({ at }) => void Object.assign(this.session, { status: 'ended', ended_at: at }),
    accepted: (event, data) => this.#accept(event, data),
    started: (event) => {
      this.#counts.queued -= 1;
      this.#activeRunId = event.runId;
      const { started_at } = this.#columnsOf(event);
      this.#changeRun(event, { status: 'running', started_at: started_at ?? event.at });
    },
    waiting_for_approval: (event, data) => this.#hold(event, data, 'approval'),
    waiting_for_user_question: (event, data) => this.#hold(event, data, 'question'),
    output: (event, { type = 'text', text }) => {
      if (text !== undefined && type === 'text') this.session.last_message = text as string;
      this.#changeRun(event, { output_count: (this.#columnsOf(event).output_count as number) + 1 });
    },
    completed: (event, data) => this.#finish(event, data),
    failed: (event, data) => this.#finish(event, data),
    interrupted: (event, data) => this.#finish(event, data),
    cancelled: (event, data) => this.#finish(event, data),
    'run.recovered': (event, { as }) => this.#recover(event, as as RunStatus),
    'item.posted': ({ runId = '' }, { input_hash, text_preview }) => {
      const run = this.#runs.get(runId);
      if (run && input_hash !== undefined) Object.assign(run.columns, { input: { text: input_hash }, text_preview });
    },
    'ask.raised': (event, data) => this.#raise(event, data),
    'ask.seen': ({ askId = '', at }, { by, surface }) => {
      const ask = this.#asks.get(askId);
      ask?.seen.push({ by, surface, at_ms: at });
      if (ask) ask.columns.seen_by = this.#json(ask.seen);
    },
    'ask.commented': (event, data) => this.#act(event, data),
    'ask.taken': (event, data) => this.#act(event, data),
    'ask.released': (event, data) => this.#act(event, data),
    'ask.snoozed': (event, data) => this.#act(event, data),
    'grant.given': ({ at }, data) => this.#grants.give(this.#id, at, data),
    'grant.revoked': ({ at }, data) => this.#grants.revoke(at, data),
    'token.created': (_, data) => this.#tokens.create(data),
    'token.recorded': (_, data) => this.#tokens.create(data),
    'token.revoked': ({ at }, data) => this.#tokens.revoke(at, data),
    'ask.claimed': (event, data) => this.#end(event, data),
    'ask.delivered': ({ askId = '', at }, { reason }) =>
      this.#deliver(askId, { delivery: 'delivered', delivered_at: at, delivery_reason: orNull(reason) }),
    'ask.undeliverable': ({ askId = '' }, { reason }) => {
      this.#deliver(askId, { delivery: 'undeliverable', delivered_at: null, delivery_reason: orNull(reason) });
      // A kept answer that is given again says so in its row.
      if (reason === WORKER_RESTART) delete this.#asks.get(askId)?.columns.delivery_reason;
    },
  };

  #accept({ runId = '', at }: Event, data: Data): void {
    this.#counts.run += 1;
    this.#counts.queued += 1;
    const resumed = this.#runs.get(data.resumes_run_id as string);
    const { agent, labels } = this.session;
    const columns: Columns = {
      id: runId,
      session_id: this.#id,
      ...(agent !== undefined && { agent }),
      ...(labels !== undefined && { labels }),
      kind: data.kind as RunKind,
      status: 'queued',
      source: data.source as string,
      actor: data.actor_id as string,
      submitted_at: at,
      updated_at: at,
      started_at: null,
      finished_at: null,
      error: null,
      outcome: null,
      output_count: 0,
      ...(data.input_hash !== undefined && {
        input: { text: data.input_hash as string },
        text_preview: (data.text_preview as string) ?? previewOf(data.text),
        resumes_run_id: orNull(data.resumes_run_id),
        carries_ask_id: orNull(data.carries_ask_id),
        subtask_id: orNull(data.subtask_id),
        queue_order: resumed?.columns.queue_order ?? this.#counts.run,
        clarification: data.clarification_hash === undefined ? null : { text: data.clarification_hash as string },
        clarification_id: orNull(data.request_id),
        clarification_expires_at: orNull(data.expires_at_ms),
      }),
    };
    this.#runs.set(runId, { columns, held: new Map(), isHandedOver: false });
  }

  #hold(event: Event, data: Data, kind: AskKind): void {
    const { askId = '', runId = '' } = event;
    this.#counts.pending += 1;
    const ask = this.#asks.get(askId);
    const [request] = (data.requests ?? []) as Data[];
    if (ask && request) Object.assign(ask.columns, this.#requested(request, ask.mode));
    const run = this.#runs.get(runId);
    run?.held.set(askId, kind);
    if (run) this.#changeRun(event, { status: heldBy(run) });
  }

  /** The request holds all of the content, but not whose form it is. */
  #requested(
    { created_at_ms, digest, expires_at_ms, id: _, tool_call_id: __, ...content }: Data,
    mode?: AskMode,
  ): Columns {
    const shown = { created_at: created_at_ms as number, digest: digest as string, expires_at: orNull(expires_at_ms) };
    return mode === 'form' ? shown : { ...shown, content: this.#json(content) };
  }

  #raise({ askId = '', runId = '', at }: Event, data: Data): void {
    const { kind, mode, tool_call_id, payload_hash, content_hash, digest, expires_at_ms } = data as Record<
      string,
      string
    >;
    const activity: Activity = data.takes_comments === true ? { takes_comments: true } : {};
    const columns: Columns = {
      id: askId,
      session_id: this.#id,
      run_id: runId,
      kind: kind as AskKind,
      mode: mode as AskMode,
      status: 'pending',
      created_at: at,
      seen_by: null,
      activity: this.#stored(activity),
      answer: null,
      delivery: 'none',
      attempts: 0,
      delivered_at: null,
      delivery_reason: null,
      ...(tool_call_id !== undefined && { tool_call_id }),
      ...(payload_hash !== undefined && { payload_hash }),
      ...(content_hash !== undefined && { content: { text: content_hash } }),
      ...(digest !== undefined && { digest, expires_at: orNull(expires_at_ms) }),
    };
    this.#asks.set(askId, { columns, mode: mode as AskMode, seen: [], activity });
  }

  #act({ askId = '', at, type }: Event, data: Data): void {
    const ask = this.#asks.get(askId);
    if (!ask) return;
    ask.activity = acted(ask.activity, type as ActivityEvent, data as unknown as Act, at);
    ask.columns.activity = this.#stored(ask.activity);
  }

  #end(event: Event, { answer, kind }: Data): void {
    const { askId = '', runId = '' } = event;
    const said = (answer ?? {}) as Answer;
    // A clarification that ends before its run has the slot was never raised.
    if (!this.#asks.has(askId)) this.#raise(event, { kind, mode: 'blocking' });
    const ask = this.#asks.get(askId);
    if (!ask) return;
    Object.assign(ask.columns, { status: said.outcome, answer: this.#json(said), delivery: 'due' });
    for (const column of ['attempts', 'delivered_at']) delete ask.columns[column];
    const run = this.#runs.get(runId);
    if (!run?.held.delete(askId)) return;
    this.#counts.pending -= 1;
    if (ask.mode === 'form' || ask.mode === 'restart') run.isHandedOver = true;
    run.columns.status = heldBy(run);
    if (said.reason === WORKER_RESTART && said.surface === 'system') return;
    run.columns.updated_at = event.at;
    if (run.held.size === 0 && resumes(run, said, kind as AskKind))
      run.columns.kind = kind === 'approval' ? 'approval_resume' : 'user_question_resume';
  }

  #deliver(askId: string, columns: Columns): void {
    const ask = this.#asks.get(askId);
    if (ask) Object.assign(ask.columns, columns);
  }

  #finish(event: Event, data: Data): void {
    if (this.#columnsOf(event).status === 'queued') this.#counts.queued -= 1;
    if (this.#activeRunId === event.runId) this.#activeRunId = undefined;
    this.#changeRun(event, {
      status: event.type,
      finished_at: event.at,
      error: orNull(data.error),
      outcome: orNull(data.outcome ?? data.stop_reason),
    });
  }

  #recover(event: Event, as: RunStatus): void {
    if (as !== 'queued') return;
    this.#counts.queued += 1;
    if (this.#activeRunId === event.runId) this.#activeRunId = undefined;
    this.#changeRun(event, { status: 'queued' });
  }

  #columnsOf = ({ runId = '' }: Event): Columns => this.#runs.get(runId)?.columns ?? {};
  #changeRun(event: Event, changes: Columns): void {
    Object.assign(this.#columnsOf(event), changes, { updated_at: event.at });
  }
  #stored = (activity: Activity): Expected => (Object.keys(activity).length === 0 ? null : this.#json(activity));
  #json = (value: unknown): Expected => ({ json: this.#hash(canonical(value)) });
}

/** What the log of an older version left out is not determined. */
function created({ agent, parent_session_id, work_folder, agent_id, ...data }: Data, at: number): Columns {
  const known = {
    agent: agent as string,
    parent_session_id: orNull(parent_session_id),
    work_folder: orNull(work_folder),
  };
  if (agent_id === undefined) return known;
  return {
    ...known,
    created_at: at,
    agent_id: agent_id as string,
    title: orNull(data.title),
    project_ids: JSON.stringify(data.project_ids ?? []),
    channel_ids: JSON.stringify(data.channel_ids ?? []),
    labels: labelKey((data.labels as string[]) ?? []),
    permissions: (data.permissions as Permissions) ?? 'inherit',
    task_id: orNull(data.task_id),
    made_by: orNull(data.made_by),
  };
}

function heldBy({ held }: RunState): RunStatus {
  return heldStatus(Array.from(held.values(), (kind) => ({ kind })));
}

/** Whether the run itself goes on after its last ask has ended this way. */
function resumes({ columns, isHandedOver }: RunState, answer: Answer, kind: AskKind): boolean {
  if (columns.kind === 'parent_clarification' || isHandedOver) return false;
  if (answer.outcome === 'answered' || answer.outcome === 'declined') return true;
  return isWithdrawn(answer) || (answer.outcome === 'expired' && kind === 'approval');
}
