// Declares the stream-json protocol of Claude Code: one JSON value per line in both directions. Owns the fields of its
// messages that this adapter reads, and writes the messages that it sends. stream-events.ts interprets them.
import { z } from 'zod';

const input = z.record(z.string(), z.unknown());

const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
    is_error: z.boolean().optional(),
  }),
]);
export type Content = z.infer<typeof Content>;

/** Drops content of unknown types. */
const contents = z.array(z.unknown()).transform((list) => list.flatMap((item) => Content.safeParse(item).data ?? []));
const message = z.object({ id: z.string().optional(), content: z.union([z.string(), contents]) });
const spokenFields = { message, uuid: z.string(), agent_id: z.string().optional() };

export const Suggestion = z.looseObject({
  type: z.string(),
  behavior: z.string().optional(),
  rules: z.array(z.object({ toolName: z.string(), ruleContent: z.string().optional() })).optional(),
});
export type Suggestion = z.infer<typeof Suggestion>;

const HookCallback = z.object({
  subtype: z.literal('hook_callback'),
  input: z.object({
    hook_event_name: z.string(),
    tool_name: z.string(),
    tool_input: input,
    tool_use_id: z.string(),
    agent_id: z.string().optional(),
    /** Of the caller: a sub-agent may have its own. */
    permission_mode: z.string().optional(),
    /** The current working directory. */
    cwd: z.string().optional(),
  }),
});
const CanUseTool = z.object({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  input,
  tool_use_id: z.string(),
  agent_id: z.string().optional(),
  description: z.string().optional(),
  title: z.string().optional(),
  decision_reason: z.string().optional(),
  /** Optional information: a value of another shape must not keep the call from being asked about. */
  permission_suggestions: z.array(Suggestion).optional().catch([]),
});

/** An elicitation of one of its MCP servers. It does not name the tool call. */
const Elicitation = z.object({
  subtype: z.literal('elicitation'),
  mcp_server_name: z.string(),
  message: z.string().optional(),
  mode: z.string().optional(),
  url: z.string().optional(),
  requested_schema: z.unknown().optional(),
});

const BackgroundTask = z.object({
  task_id: z.string(),
  task_type: z.string().default(''),
  description: z.string().default(''),
});

/** Where a message starts and ends, and which calls it makes. */
const PartialMessage = z.object({
  type: z.literal('stream_event'),
  parent_tool_use_id: z.string().nullable().optional(),
  event: z.object({
    type: z.string(),
    message: z.object({ id: z.string().optional() }).optional(),
    content_block: z.object({ type: z.string(), id: z.string().optional() }).optional(),
  }),
});

export type PartialMessageEvent = z.infer<typeof PartialMessage>['event'];

export const ClaudeMessage = z.union([
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: z.string().optional(),
    permissionMode: z.string().optional(),
    task_id: z.string().optional(),
    tool_use_id: z.string().optional(),
    subagent_type: z.string().optional(),
    description: z.string().optional(),
    /** Why a prompt did not reach the model. */
    prompt_submit_outcome: z.object({ kind: z.string(), reason: z.string().optional() }).optional().catch(undefined),
    /** All running background tasks, whenever that set changes. */
    tasks: z.array(BackgroundTask).optional(),
  }),
  z.object({ type: z.literal('assistant'), ...spokenFields }),
  z.object({ type: z.literal('user'), ...spokenFields }),
  PartialMessage,
  z.object({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.union([HookCallback, CanUseTool, Elicitation, z.object({ subtype: z.string() })]),
  }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({ request_id: z.string(), response: z.unknown().optional() }),
  }),
  z.object({ type: z.literal('control_cancel_request'), request_id: z.string() }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    stop_reason: z.string().nullable().optional(),
    session_id: z.string(),
    /** 0 for a slash command of Claude Code that does not call the model. */
    num_turns: z.int().optional(),
    deferred_tool_use: z.object({ id: z.string() }).optional(),
  }),
  z.object({ type: z.literal('command_lifecycle'), state: z.string() }),
]);
export type ClaudeMessage = z.infer<typeof ClaudeMessage>;
/** Our own `subtype` of a result: a hook refused the prompt. */
export const REFUSED = 'prompt_refused';
export type ClaudeResult = Extract<ClaudeMessage, { type: 'result' }>;

/** Undefined for lines that are not JSON, and for unknown messages. */
export function readMessage(line: string): ClaudeMessage | undefined {
  try {
    return ClaudeMessage.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export const userMessage = (text: string): string =>
  JSON.stringify({
    type: 'user',
    message: { role: 'user', content: text },
    parent_tool_use_id: null,
    session_id: '',
  });

const controlRequest = (request_id: string, request: object): string =>
  JSON.stringify({ type: 'control_request', request_id, request });

/** The id of the first request. */
export const INITIALIZE = 'initialize';

/** Registers the hook that is called before any tool is used. */
export function initialize(timeoutSeconds: number): string {
  const hook = { hookCallbackIds: ['before'], timeout: timeoutSeconds };
  return controlRequest(INITIALIZE, { subtype: 'initialize', hooks: { PreToolUse: [hook] } });
}

export const interrupt = (): string => controlRequest('interrupt', { subtype: 'interrupt' });

/** A settings layer above those of files. If the command line names settings too, rules cannot be removed from it. */
export const applySettings = (requestId: string, settings: object): string =>
  controlRequest(requestId, { subtype: 'apply_flag_settings', settings });

export const getSettings = (requestId: string): string => controlRequest(requestId, { subtype: 'get_settings' });

const permissions = z.object({ allow: z.array(z.string()).optional() }).optional();
const EffectiveSettings = z.object({
  sources: z.array(z.object({ source: z.string(), settings: z.object({ permissions }) })),
});

/** The allow rules of that layer, from the response to `getSettings`. Undefined if it is not understood. */
export function allowedIn(response: unknown): readonly string[] | undefined {
  const read = EffectiveSettings.safeParse(response).data;
  return read && (read.sources.find(({ source }) => source === 'flagSettings')?.settings.permissions?.allow ?? []);
}

const controlResponse = (response: object): string => JSON.stringify({ type: 'control_response', response });

export const controlReply = (requestId: string, response: object): string =>
  controlResponse({ subtype: 'success', request_id: requestId, response });

export const controlRefusal = (requestId: string, error: string): string =>
  controlResponse({ subtype: 'error', request_id: requestId, error });
