// The tables, for every dialect: in which columns each record is stored. A column is named after its field, in snake case.
// Instants are epoch milliseconds, lists and objects are JSON text, `n` is the order of arrival and the cursor of lists.
import type { Activity } from '../core/activity.ts';
import type { Ask, EndedAsk, PendingAsk } from '../core/ask.ts';
import type { Draft } from '../core/draft.ts';
import type { Event } from '../core/event.ts';
import type { Grant } from '../core/grant.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import { labelKey } from '../core/label.ts';
import type { Message } from '../core/mailbox.ts';
import type { Contact, Notice } from '../core/notice.ts';
import type { Output } from '../core/output.ts';
import type { Records } from '../core/records.ts';
import type { Run } from '../core/run.ts';
import type { Permissions, Session } from '../core/session.ts';
import type { Sighting } from '../core/sighting.ts';
import type { SignInLink } from '../core/sign-in.ts';
import type { Skill } from '../core/skill.ts';
import type { Token } from '../core/token.ts';
import { type Codec, type RowOf, rowMapping } from './row-mapping.ts';

type Numbered<Mapping> = RowOf<Mapping> & { n: number };

/** As Kysely sees them. */
export interface Tables {
  sessions: Numbered<typeof SESSION>;
  runs: RunRow;
  asks: AskRow;
  events: EventRow;
  outputs: RowOf<typeof OUTPUT>;
  messages: Numbered<typeof MESSAGE>;
  tokens: Numbered<typeof TOKEN>;
  responses: RowOf<typeof RESPONSE>;
  /** What is true of the whole database, such as which key its secrets are sealed with. */
  facts: { name: string; value: string };
  partial_states: RowOf<typeof PARTIAL_STATE>;
  forms: RowOf<typeof FORM>;
  sign_in_links: RowOf<typeof SIGN_IN_LINK>;
  /** What a person has typed and not sent. */
  drafts: RowOf<typeof DRAFT>;
  grants: Numbered<typeof GRANT>;
  contacts: Numbered<typeof CONTACT>;
  notices: Numbered<typeof NOTICE>;
  notice_cursor: { name: string; seq: number };
  quiet_hours: RowOf<typeof QUIET_HOURS>;
  skills: Numbered<typeof SKILL>;
  skill_archives: RowOf<typeof SKILL_ARCHIVE>;
}

const LABELS: Codec<string[], string> = { write: labelKey, read: (key) => (key === '' ? [] : key.split(' ')) };
const OWN_LABELS: Codec<string[] | undefined, string | null> = {
  write: (labels) => (labels === undefined ? null : LABELS.write(labels)),
  read: (key) => (key === null ? undefined : LABELS.read(key)),
};
/** The column takes no NULL. */
const OWN_PERMISSIONS: Codec<Permissions | undefined, string> = {
  write: (permissions) => permissions ?? 'inherit',
  read: (text) => (text === 'inherit' ? undefined : (text as Permissions)),
};
const SIGHTINGS: Codec<readonly Sighting[], string | null> = {
  write: (sightings) => (sightings.length === 0 ? null : JSON.stringify(sightings)),
  read: (text) => (text === null ? [] : JSON.parse(text)),
};
const ACTIVITY: Codec<Activity, string | null> = {
  write: (activity) => (Object.keys(activity).length === 0 ? null : JSON.stringify(activity)),
  read: (text) => (text === null ? {} : JSON.parse(text)),
};
const BOOLEAN: Codec<boolean, number> = { write: Number, read: (stored) => stored === 1 };

export const SESSION = rowMapping<Session>()('sessions', {
  id: 'plain',
  agent: 'plain',
  agentId: 'plain',
  title: 'plain',
  workFolder: 'plain',
  projectIds: 'json',
  channelIds: 'json',
  labels: LABELS,
  parentSessionId: 'plain',
  permissions: OWN_PERMISSIONS,
  rules: 'json',
  taskId: 'plain',
  madeBy: 'plain',
  status: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
  endedAt: 'plain',
  activeRunId: 'plain',
  queuedCount: 'plain',
  pendingCount: 'plain',
  keptCount: 'plain',
  runCount: 'plain',
  lastMessage: 'plain',
  headSeq: 'plain',
  headHash: 'plain',
  bytesDay: 'plain',
  bytesStored: 'plain',
  headMac: 'plain',
});

export const RUN = rowMapping<Run, Exclude<keyof Run, 'lease'>>()(
  'runs',
  {
    id: 'plain',
    sessionId: 'plain',
    agent: 'plain',
    labels: LABELS,
    kind: 'plain',
    status: 'plain',
    input: 'json',
    source: 'plain',
    actor: 'plain',
    textPreview: 'plain',
    submittedAt: 'plain',
    updatedAt: 'plain',
    startedAt: 'plain',
    finishedAt: 'plain',
    error: 'plain',
    outcome: 'plain',
    resumesRunId: 'plain',
    carriesAskId: 'plain',
    subtaskId: 'plain',
    queueOrder: 'plain',
    outputCount: 'plain',
    clarification: 'json',
    leaseEpoch: 'plain',
    leaseHolder: 'plain',
    recovery: 'plain',
    permissions: 'plain',
  },
  {
    clarification_id: (run) => run.clarification?.requestId ?? null,
    clarification_expires_at: (run) => run.clarification?.expiresAt ?? null,
    lease_worker: (run) => run.lease?.workerId ?? null,
    lease_until: (run) => run.lease?.until ?? null,
  },
);

type RunRow = Numbered<typeof RUN>;

export const toRun = (row: RunRow): Run => {
  const { lease_worker: workerId, lease_until: until } = row;
  return { ...RUN.read(row), lease: workerId === null ? undefined : { workerId, until: until ?? 0 } };
};

const ended = (ask: Ask): EndedAsk | undefined => (ask.status === 'pending' ? undefined : ask);

export const ASK = rowMapping<Ask>()(
  'asks',
  {
    id: 'plain',
    kind: 'plain',
    mode: 'plain',
    status: 'plain',
    sessionId: 'plain',
    runId: 'plain',
    toolCallId: 'plain',
    content: 'json',
    digest: 'plain',
    payloadHash: 'plain',
    createdAt: 'plain',
    expiresAt: 'plain',
    seenBy: SIGHTINGS,
    activity: ACTIVITY,
    raisedBy: 'plain',
  },
  {
    answer: (ask) => (ask.status === 'pending' ? null : JSON.stringify(ask.answer)),
    answer_mac: (ask) => ended(ask)?.answerMac ?? null,
    sealed: (ask) => ended(ask)?.sealed ?? null,
    delivery: (ask): string => ended(ask)?.delivery.state ?? 'none',
    attempts: (ask) => ended(ask)?.delivery.attempts ?? 0,
    // Of an answer that is due: when it was sent.
    delivered_at: (ask) => ended(ask)?.delivery.deliveredAt ?? ended(ask)?.delivery.sentAt ?? null,
    delivery_reason: (ask) => ended(ask)?.delivery.reason ?? null,
  },
);

export type AskRow = Numbered<typeof ASK>;

export const toAsk = (row: AskRow): Ask => {
  const ask = ASK.read(row);
  if (ask.status === 'pending' || row.answer === null) return { ...ask, status: 'pending' } as PendingAsk;
  const at = row.delivered_at ?? undefined;
  return {
    ...ask,
    answer: JSON.parse(row.answer),
    answerMac: row.answer_mac ?? '',
    sealed: row.sealed ?? undefined,
    delivery: {
      state: row.delivery,
      attempts: row.attempts,
      sentAt: row.delivery === 'due' ? at : undefined,
      deliveredAt: row.delivery === 'due' ? undefined : at,
      reason: row.delivery_reason ?? undefined,
    },
  } as EndedAsk;
};

export const toPending = (row: AskRow): PendingAsk => toAsk(row) as PendingAsk;
export const toEnded = (row: AskRow): EndedAsk => toAsk(row) as EndedAsk;

export const EVENT = rowMapping<Omit<Event, 'seq'>>()('events', {
  sessionSeq: 'plain',
  id: 'plain',
  at: 'plain',
  sessionId: 'plain',
  runId: 'plain',
  askId: 'plain',
  type: 'plain',
  data: 'plain',
  prevHash: 'plain',
  hash: 'plain',
});

type EventRow = RowOf<typeof EVENT> & { seq: number };

export const toEvent = (row: EventRow): Event => ({ seq: row.seq, ...EVENT.read(row) });

export const OUTPUT = rowMapping<Output>()('outputs', {
  runId: 'plain',
  id: 'plain',
  position: 'plain',
  at: 'plain',
  content: 'json',
});

export const MESSAGE = rowMapping<Message>()('messages', {
  id: 'plain',
  sessionId: 'plain',
  fromSessionId: 'plain',
  subject: 'plain',
  payload: 'json',
  attempts: 'plain',
  createdAt: 'plain',
  ackedAt: 'plain',
  deadAt: 'plain',
  reason: 'plain',
});

export const TOKEN = rowMapping<Token>()('tokens', {
  id: 'plain',
  kind: 'plain',
  name: 'plain',
  scope: 'plain',
  sessionId: 'plain',
  labels: OWN_LABELS,
  isBuiltIn: BOOLEAN,
  person: 'plain',
  hash: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  revokedAt: 'plain',
});

export const RESPONSE = rowMapping<StoredResponse>()('responses', {
  scope: 'plain',
  fingerprint: 'plain',
  created: BOOLEAN,
  body: 'plain',
  createdAt: 'plain',
});

export const SIGN_IN_LINK = rowMapping<SignInLink>()('sign_in_links', {
  hash: 'plain',
  scope: 'plain',
  name: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  usedAt: 'plain',
});

export const DRAFT = rowMapping<Draft>()('drafts', {
  askId: 'plain',
  revision: 'plain',
  content: 'json',
  savedAt: 'plain',
  savedBy: 'plain',
});

export const GRANT = rowMapping<Grant>()('grants', {
  id: 'plain',
  askId: 'plain',
  sessionId: 'plain',
  scope: 'plain',
  target: 'plain',
  workFolder: 'plain',
  tool: 'plain',
  matches: 'json',
  files: 'json',
  uses: 'plain',
  mostUses: 'plain',
  expiresAt: 'plain',
  givenBy: 'plain',
  createdAt: 'plain',
  revokedAt: 'plain',
  revokedBy: 'plain',
});

export const CONTACT = rowMapping<Contact>()('contacts', {
  id: 'plain',
  channel: 'plain',
  person: 'plain',
  name: 'plain',
  label: 'plain',
  address: 'plain',
  addressMac: 'plain',
  tokenId: 'plain',
  mayAnswer: BOOLEAN,
  settings: 'json',
  createdAt: 'plain',
  endedAt: 'plain',
  endedReason: 'plain',
});

export const NOTICE = rowMapping<Notice>()('notices', {
  id: 'plain',
  event: 'plain',
  askId: 'plain',
  runId: 'plain',
  sessionId: 'plain',
  contactId: 'plain',
  channel: 'plain',
  who: 'plain',
  handle: 'plain',
  orderKey: 'plain',
  batch: 'plain',
  detail: 'json',
  state: 'plain',
  reason: 'plain',
  attempts: 'plain',
  dueAt: 'plain',
  retryUntil: 'plain',
  createdAt: 'plain',
  sentAt: 'plain',
  settledAt: 'plain',
});

export const SKILL = rowMapping<Skill>()('skills', {
  id: 'plain',
  name: 'plain',
  namespace: 'plain',
  description: 'plain',
  version: 'plain',
  sha256: 'plain',
  size: 'plain',
  author: 'plain',
  sessionId: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
});

export const SKILL_ARCHIVE = rowMapping<Records['skillArchive']>()('skill_archives', {
  skillId: 'plain',
  zip: 'plain',
});

export const PARTIAL_STATE = rowMapping<Records['partialState']>()('partial_states', {
  askId: 'plain',
  state: 'plain',
});

export const FORM = rowMapping<Records['form']>()('forms', {
  sessionId: 'plain',
  subtaskId: 'plain',
  askId: 'plain',
});

export const QUIET_HOURS = rowMapping<Records['quietHours']>()('quiet_hours', { person: 'plain', hours: 'json' });
