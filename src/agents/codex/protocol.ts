// Declares the messages of `codex app-server` (version 0.166) that this adapter reads, with only the members it uses, and
// the few values it sends in more than one place. Owns shapes and identifiers; what a message means is decided elsewhere.
import { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';

const CLIENT = { name: 'holdpoint', title: 'Holdpoint', version: '0' };

/** The first messages of every connection. */
export async function initialize(peer: Pick<Peer, 'request' | 'notify'>): Promise<void> {
  await peer.request('initialize', { clientInfo: CLIENT, capabilities: { experimentalApi: true } });
  peer.notify('initialized');
}

/** The ids of the threads that run in this app-server. */
export const loadedThreads = async (peer: Pick<Peer, 'request'>): Promise<string[]> =>
  z.looseObject({ data: z.array(z.string()) }).parse(await peer.request('thread/loaded/list', {})).data;

/** A turn of the conversation's thread or of a sub-agent's; without an id, the thread alone is known. */
export interface TurnRef {
  threadId: string;
  turnId?: string | undefined;
}

/** The turn that a request belongs to; undefined for a request about no thread. */
export function turnRefOf(params: unknown): TurnRef | undefined {
  const { threadId, turnId } = Object(params) as Partial<Record<keyof TurnRef, unknown>>;
  if (typeof threadId !== 'string') return undefined;
  return { threadId, turnId: typeof turnId === 'string' ? turnId : undefined };
}

/** Call and item ids are unique only in their turn. */
export const idInTurn = (id: string, turnId: string | null | undefined): string => (turnId ? `${id}@${turnId}` : id);

/** The response to an elicitation; without content it declines. */
export const elicitationResponse = (content: object | null, meta: object | null = null) => ({
  action: content ? 'accept' : 'decline',
  content,
  _meta: content && meta,
});

const text = z.string();
const maybe = <T extends z.ZodType>(type: T) => type.nullish();
const itemRef = { threadId: text, turnId: text, itemId: text };

const FileChange = z.looseObject({
  path: text,
  kind: z.looseObject({ type: text, move_path: maybe(text) }),
  diff: text,
});

export const Item = z.looseObject({
  type: text,
  id: maybe(text),
  text: maybe(text),
  delivery: maybe(text),
  questions: maybe(z.array(z.looseObject({ title: text, options: maybe(z.array(text)) }))),
  summary: maybe(z.array(text)),
  command: maybe(text),
  status: maybe(text),
  aggregatedOutput: maybe(text),
  exitCode: maybe(z.number()),
  changes: maybe(z.array(FileChange)),
  server: maybe(text),
  tool: maybe(text),
  arguments: z.unknown().optional(),
  error: z.unknown().optional(),
  clientId: maybe(text),
});
export type Item = z.infer<typeof Item>;

export const ItemNotice = z.looseObject({ threadId: text, turnId: text, item: Item });
export type ItemNotice = z.infer<typeof ItemNotice>;

export const CommandApproval = z.looseObject({
  ...itemRef,
  approvalId: maybe(text),
  kind: maybe(text),
  reason: maybe(text),
  command: maybe(text),
  cwd: maybe(text),
  networkApprovalContext: maybe(z.looseObject({ host: text, protocol: maybe(text) })),
  additionalPermissions: z.unknown().optional(),
  proposedExecpolicyAmendment: maybe(z.array(text)),
  proposedNetworkPolicyAmendments: maybe(z.array(z.looseObject({ host: text, action: text }))),
});
export const FileApproval = z.looseObject({ ...itemRef, reason: maybe(text), grantRoot: maybe(text) });
export const PermissionsApproval = z.looseObject({
  ...itemRef,
  cwd: maybe(text),
  reason: maybe(text),
  permissions: z.record(z.string(), z.unknown()),
});
export const UserInput = z.looseObject({
  ...itemRef,
  questions: z
    .array(
      z.looseObject({
        id: text,
        header: maybe(text),
        question: text,
        isOther: maybe(z.boolean()),
        isSecret: maybe(z.boolean()),
        options: maybe(z.array(z.looseObject({ label: text, description: maybe(text) }))),
      }),
    )
    .min(1),
});
export const Elicitation = z.looseObject({
  threadId: text,
  turnId: maybe(text),
  serverName: text,
  mode: maybe(text),
  message: maybe(text),
  requestedSchema: z.unknown().optional(),
  url: maybe(text),
  _meta: maybe(z.looseObject({})),
});
export const ToolApprovalMeta = z.looseObject({
  codex_approval_kind: z.literal('mcp_tool_call'),
  persist: maybe(z.union([text, z.array(text)])),
  tool_params: maybe(z.record(z.string(), z.unknown())),
});
export const DynamicCall = z.looseObject({
  threadId: text,
  turnId: text,
  callId: text,
  tool: text,
  arguments: z.unknown().optional(),
});

export const Turn = z.looseObject({
  id: text,
  status: text,
  error: maybe(z.looseObject({ message: text })),
  items: z.array(Item).catch([]),
});
export const TurnNotice = z.looseObject({ threadId: text, turn: Turn });
/** An error of a turn. With `willRetry` the turn continues. */
export const ErrorNotice = z.looseObject({
  error: z.looseObject({ message: text.catch(''), additionalDetails: maybe(text).catch(undefined) }),
  willRetry: z.boolean().optional(),
});
export const ThreadClosed = z.looseObject({ threadId: text });
export const Resolved = z.looseObject({ threadId: text, requestId: z.union([text, z.number()]) });
export const ThreadReply = z.looseObject({
  thread: z.looseObject({
    id: text,
    name: maybe(text),
    preview: maybe(text),
    turns: z.array(Turn).catch([]),
    parentThreadId: maybe(text),
    agentNickname: maybe(text),
    agentRole: maybe(text),
    source: z.unknown().optional(),
  }),
  model: maybe(text),
  reasoningEffort: maybe(text),
  approvalPolicy: z.unknown().optional(),
  sandbox: maybe(z.looseObject({ type: text })),
  activePermissionProfile: maybe(z.looseObject({ id: text })),
});
/** The reply to `thread/resume` with a page of the newest turns. */
export const NewestTurns = z.looseObject({ initialTurnsPage: maybe(z.looseObject({ data: z.array(Turn) })) });
export const TurnReply = z.looseObject({ turn: Turn });

/** The input as a person changed it, in the folder that was asked for unless they named another. */
export const changedInput = (changed: Record<string, unknown>, { cwd }: Record<string, unknown>) =>
  cwd === undefined || 'cwd' in changed ? changed : { ...changed, cwd };
