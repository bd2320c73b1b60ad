// The stream-json wire of Claude Code: one JSON value a line, both ways. Owns its shapes, as much of them as anything
// here reads, and how our side of it is written. What a message means is decided elsewhere.
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

/** Kinds of content that nobody here reads are left out. */
const contents = z.array(z.unknown()).transform((list) => list.flatMap((item) => Content.safeParse(item).data ?? []));
const message = z.object({ id: z.string().optional(), content: z.union([z.string(), contents]) });
const spoken = { message, uuid: z.string(), agent_id: z.string().optional() };

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
    /** Of whoever calls, which a sub-agent may have of its own. */
    permission_mode: z.string().optional(),
    /** Where it is by now. */
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
  /** Of another shape: the call is still one that somebody is to decide about. */
  permission_suggestions: z.array(Suggestion).optional().catch([]),
});

/** What one of its MCP servers asks of the person. It does not say for which call. */
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

/** Partial messages: only where a message begins and ends, and what it calls. */
const StreamEvent = z.object({
  type: z.literal('stream_event'),
  parent_tool_use_id: z.string().nullable().optional(),
  event: z.object({
    type: z.string(),
    message: z.object({ id: z.string().optional() }).optional(),
    content_block: z.object({ type: z.string(), id: z.string().optional() }).optional(),
  }),
});

export type StreamedEvent = z.infer<typeof StreamEvent>['event'];

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
    /** What became of a prompt that reached no model. */
    prompt_submit_outcome: z.object({ kind: z.string(), reason: z.string().optional() }).optional().catch(undefined),
    /** All that goes on in the background, whenever that changes. */
    tasks: z.array(BackgroundTask).optional(),
  }),
  z.object({ type: z.literal('assistant'), ...spoken }),
  z.object({ type: z.literal('user'), ...spoken }),
  StreamEvent,
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
    /** None where it was a command of Claude Code's own, which no model hears of. */
    num_turns: z.int().optional(),
    deferred_tool_use: z.object({ id: z.string() }).optional(),
  }),
  z.object({ type: z.literal('command_lifecycle'), state: z.string() }),
]);
export type ClaudeMessage = z.infer<typeof ClaudeMessage>;
/** In the place of its `subtype`: a hook would not have the prompt. */
export const REFUSED = 'prompt_refused';
export type ClaudeResult = Extract<ClaudeMessage, { type: 'result' }>;

/** Nothing for a line that is no JSON, and for messages that nobody here reads. */
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

/** The id of our first request. */
export const INITIALIZE = 'initialize';

/** Declares the hook that is asked before any tool is used. */
export function initialize(timeoutSeconds: number): string {
  const hook = { hookCallbackIds: ['before'], timeout: timeoutSeconds };
  const request = { subtype: 'initialize', hooks: { PreToolUse: [hook] } };
  return JSON.stringify({ type: 'control_request', request_id: INITIALIZE, request });
}

const request = (id: string, asked: object): string =>
  JSON.stringify({ type: 'control_request', request_id: id, request: asked });

/** As a layer of their own over the settings of files. Where its command line names settings, it cannot take rules out. */
export const applySettings = (requestId: string, settings: object): string =>
  request(requestId, { subtype: 'apply_flag_settings', settings });

export const getSettings = (requestId: string): string => request(requestId, { subtype: 'get_settings' });

const permissions = z.object({ allow: z.array(z.string()).optional() }).optional();
const SettingsInForce = z.object({
  sources: z.array(z.object({ source: z.string(), settings: z.object({ permissions }) })),
});

/** The rules of that layer, by its reply to `getSettings`. Nothing where it does not say. */
export function allowedIn(reply: unknown): readonly string[] | undefined {
  const read = SettingsInForce.safeParse(reply).data;
  return read && (read.sources.find(({ source }) => source === 'flagSettings')?.settings.permissions?.allow ?? []);
}

export const controlReply = (requestId: string, response: object): string =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } });

export const controlRefusal = (requestId: string, error: string): string =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } });

export const interrupt = (): string =>
  JSON.stringify({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } });
