// Declares the stream-json protocol of Claude Code: one JSON value per line in both directions. Owns the fields of its
// messages that this adapter reads, and writes the messages that it sends. stream-events.ts interprets them.
import { z } from 'zod';
import { parsedJson } from '../wire/json-rpc.ts';

const text = z.string();
const optionalText = text.optional();
const input = z.record(text, z.unknown());

const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('thinking'), thinking: text }),
  z.object({ type: z.literal('tool_use'), id: text, name: text, input }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: text,
    content: z.unknown().optional(),
    is_error: z.boolean().optional(),
  }),
]);
export type Content = z.infer<typeof Content>;

/** Drops content of unknown types. */
const contents = z.array(z.unknown()).transform((list) => list.flatMap((item) => Content.safeParse(item).data ?? []));
const message = z.object({ id: optionalText, content: z.union([text, contents]) });
const spokenFields = { message, uuid: text, agent_id: optionalText };

export const Rule = z.object({ toolName: text, ruleContent: optionalText });
export type Rule = z.infer<typeof Rule>;
export const Suggestion = z.looseObject({
  type: text,
  behavior: optionalText,
  rules: z.array(Rule).optional(),
});
export type Suggestion = z.infer<typeof Suggestion>;

const HookCallback = z.object({
  subtype: z.literal('hook_callback'),
  input: z.object({
    hook_event_name: text,
    tool_name: text,
    tool_input: input,
    tool_use_id: text,
    agent_id: optionalText,
    /** Of the caller: a sub-agent may have its own. */
    permission_mode: optionalText,
    /** The current working directory. */
    cwd: optionalText,
  }),
});
const CanUseTool = z.object({
  subtype: z.literal('can_use_tool'),
  tool_name: text,
  input,
  tool_use_id: text,
  agent_id: optionalText,
  description: optionalText,
  title: optionalText,
  decision_reason: optionalText,
  /** Optional information: a value of another shape must not keep the call from being asked about. */
  permission_suggestions: z.array(Suggestion).optional().catch([]),
});

/** An elicitation of one of its MCP servers. It does not name the tool call. */
const Elicitation = z.object({
  subtype: z.literal('elicitation'),
  mcp_server_name: text,
  message: optionalText,
  mode: optionalText,
  url: optionalText,
  requested_schema: z.unknown().optional(),
});

const BackgroundTask = z.object({
  task_id: text,
  task_type: text.default(''),
  description: text.default(''),
});

/** Where a message starts and ends, and which calls it makes. */
const PartialMessage = z.object({
  type: z.literal('stream_event'),
  parent_tool_use_id: text.nullable().optional(),
  event: z.object({
    type: text,
    message: z.object({ id: optionalText }).optional(),
    content_block: z.object({ type: text }).optional(),
  }),
});

export type PartialMessageEvent = z.infer<typeof PartialMessage>['event'];

export const ClaudeMessage = z.union([
  z.object({
    type: z.literal('system'),
    subtype: text,
    session_id: optionalText,
    permissionMode: optionalText,
    task_id: optionalText,
    tool_use_id: optionalText,
    subagent_type: optionalText,
    description: optionalText,
    /** Why a prompt did not reach the model. */
    prompt_submit_outcome: z.object({ kind: text, reason: optionalText }).optional().catch(undefined),
    /** Of `api_retry`: null where there was no response. */
    error_status: z.number().nullable().optional().catch(undefined),
    error: optionalText.catch(undefined),
    /** All running background tasks, whenever that set changes. */
    tasks: z.array(BackgroundTask).optional(),
  }),
  z.object({ type: z.literal('assistant'), ...spokenFields }),
  z.object({ type: z.literal('user'), ...spokenFields }),
  PartialMessage,
  z.object({
    type: z.literal('control_request'),
    request_id: text,
    request: z.union([HookCallback, CanUseTool, Elicitation, z.object({ subtype: text })]),
  }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({ request_id: text, response: z.unknown().optional() }),
  }),
  z.object({ type: z.literal('control_cancel_request'), request_id: text }),
  z.object({
    type: z.literal('result'),
    subtype: text,
    is_error: z.boolean(),
    result: optionalText,
    errors: z.array(text).optional(),
    stop_reason: text.nullable().optional(),
    session_id: text,
    /** 0 for a slash command of Claude Code that does not call the model. */
    num_turns: z.int().optional(),
  }),
  z.object({ type: z.literal('command_lifecycle'), state: text }),
]);
export type ClaudeMessage = z.infer<typeof ClaudeMessage>;
/** Our own `subtype` of a result: a hook refused the prompt. */
export const REFUSED = 'prompt_refused';
export type ClaudeResult = Extract<ClaudeMessage, { type: 'result' }>;

/** Undefined for lines that are not JSON, and for unknown messages. */
export const readMessage = (line: string): ClaudeMessage | undefined => ClaudeMessage.safeParse(parsedJson(line)).data;

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

/** Registers the hooks that are called before and after any tool is used. */
export function initialize(timeoutSeconds: number): string {
  const before = { hookCallbackIds: ['before'], timeout: timeoutSeconds };
  const after = { hookCallbackIds: ['after'], timeout: AFTER_SECONDS };
  const hooks = { PreToolUse: [before], PostToolUse: [after], PostToolUseFailure: [after] };
  return controlRequest(INITIALIZE, { subtype: 'initialize', hooks });
}

/** Answered at once, without the server. */
const AFTER_SECONDS = 10;
/** The events by which Claude Code reports that a call ran. */
export const isAfterCall = (hookEvent: string): boolean =>
  hookEvent === 'PostToolUse' || hookEvent === 'PostToolUseFailure';

export const interrupt = (): string => controlRequest('interrupt', { subtype: 'interrupt' });

/** A settings layer above those of files. If the command line names settings too, rules cannot be removed from it. */
export const applySettings = (requestId: string, settings: object): string =>
  controlRequest(requestId, { subtype: 'apply_flag_settings', settings });

export const getSettings = (requestId: string): string => controlRequest(requestId, { subtype: 'get_settings' });

export const sideRequest = (requestId: string, question: string): string =>
  controlRequest(requestId, { subtype: 'side_question', question });

/** What it replied; undefined where it did not, or does not know the request. */
export const sideReply = (response: unknown): string | undefined =>
  z.object({ response: text }).safeParse(response).data?.response;

const permissions = z.object({ allow: z.array(text).optional() }).optional();
const EffectiveSettings = z.object({
  sources: z.array(z.object({ source: text, settings: z.object({ permissions }) })),
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
