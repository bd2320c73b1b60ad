// Translates the messages of a Claude Code process into events: an output, a request, the end of a turn. Pure: one message
// in, events out. Remembers what later messages refer to: sub-agents, the text before a plan, the folder and mode of a
// call, background tasks, and how many calls a message makes, which is known only when the message is complete.
import { FORM_TOOL } from '../../core/form-input.ts';
import { truncate } from '../../core/text-limit.ts';
import type { Elicited } from '../kit/elicitation.ts';
import { PLAN_TOOL, QUESTION_TOOL } from './asks.ts';
import { type Background, createBackground, isQuiet } from './background-tasks.ts';
import { createPlan } from './plan.ts';
import {
  type ClaudeMessage,
  type ClaudeResult,
  type Content,
  INITIALIZE,
  isAfterCall,
  type PartialMessageEvent,
  REFUSED,
  type Suggestion,
} from './protocol.ts';

export interface ToolCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The sub-agent that calls; undefined for the session itself. */
  agentId?: string | undefined;
  /** The names of the sub-agents down to the one that calls, the outermost first. */
  lineage: string[];
  /** Claude Code's description of the call, and the rules that it suggests. */
  reason: string;
  suggestions: Suggestion[];
  /** The working directory, if it is not the folder of the session. */
  folder?: string | undefined;
  /** The permission mode of the caller, if it is known. */
  mode?: string | undefined;
}

/** Two sub-agents may use the same call id. */
export type CallName = Pick<ToolCall, 'id' | 'agentId'>;
export const keyOf = ({ id, agentId = '' }: CallName): string => `${agentId} ${id}`;

/** Why the process must not exit on a call: what would be lost with it. */
export type Obstacle = 'sub_agent' | 'other_calls' | 'background';

export type StreamEvent =
  | { event: 'ready' }
  | { event: 'session_started'; sessionId: string }
  | { event: 'mode_changed'; mode: string }
  | { event: 'output'; id: string; type: 'text' | 'thinking' | 'tool_call' | 'tool_result'; text: string }
  /** PreToolUse, for every call. `isResumed`: the process has said nothing yet, so this is the call it had deferred. */
  | { event: 'hook'; requestId: string; call: ToolCall; obstacle: Obstacle | undefined; isResumed: boolean }
  | { event: 'permission'; requestId: string; call: ToolCall }
  /** PostToolUse: the call ran; its result has not reached the model yet. */
  | { event: 'after_call'; requestId: string; hookEvent: string; call: CallName }
  | { event: 'elicitation'; requestId: string; elicited: Elicited }
  | { event: 'unknown_request'; requestId: string; subtype: string }
  | { event: 'request_cancelled'; requestId: string }
  /** The response to a request of ours. */
  | { event: 'response'; requestId: string; response: unknown }
  /** The model is about to get the result of the call. */
  | { event: 'call_ended'; call: CallName }
  /** A request to the model failed and is retried. */
  | { event: 'model_retried'; reason: string }
  | { event: 'model_responded' }
  | { event: 'command_started' }
  | { event: 'background_changed'; background: Background }
  /** `hadAgents`: sub-agents have worked, perhaps while the session's own model did not. */
  | { event: 'turn_ended'; result: ClaudeResult; background: Background; hadAgents: boolean };

type HookEvent = Extract<StreamEvent, { event: 'hook' }>;
type ControlRequest = Extract<ClaudeMessage, { type: 'control_request' }>['request'];

const TEXT_CHARACTERS = 100_000;
const RESULT_CHARACTERS = 4000;

/**
 * `mayExitOn`: whether the process may exit on a call of that tool, so that its event has to wait for the whole message.
 * `home`: the folder of the session.
 */
export function createStreamReader(mayExitOn: (toolName: string) => boolean = () => true, home?: string) {
  const agents = new Map<string, { label: string; calledBy: string | undefined }>();
  const callers = new Map<string, string | undefined>();
  /** By call, until it ends: only its hook says so, not its permission request. */
  const callSettings = new Map<string, Pick<ToolCall, 'folder' | 'mode'>>();
  const plan = createPlan();
  const background = createBackground();
  /** The message of the session itself that is being received, and the hooks that came before it was complete. */
  let message: { id: string | undefined; calls: number; isPartial: boolean; isComplete: boolean } | undefined;
  let early: HookEvent[] = [];
  let hasSpoken = false;
  /** Claude Code reports a prompt that a hook refused as a success. */
  let refusal: string | undefined;

  function read(received: ClaudeMessage): StreamEvent[] {
    background.receive(received);
    switch (received.type) {
      case 'system':
        return system(received);
      case 'assistant':
      case 'user':
        if (received.type === 'assistant' && received.agent_id === undefined) countCalls(received.message);
        return content(received);
      case 'stream_event':
        return [...responded(received.event), ...(received.parent_tool_use_id ? [] : partial(received.event))];
      case 'control_request':
        return request(received.request_id, received.request);
      case 'control_response': {
        const { request_id: requestId, response } = received.response;
        return [requestId === INITIALIZE ? { event: 'ready' } : { event: 'response', requestId, response }];
      }
      case 'control_cancel_request':
        return [{ event: 'request_cancelled', requestId: received.request_id }];
      case 'command_lifecycle':
        return received.state === 'started' ? [{ event: 'command_started' }] : [];
      case 'result':
        return [...release('other_calls'), turnEnded(received)];
    }
  }

  function turnEnded(received: ClaudeResult): StreamEvent {
    const refused = refusal !== undefined && { is_error: true, subtype: REFUSED, errors: [refusal] };
    refusal = undefined;
    const result = { ...received, ...refused };
    return { event: 'turn_ended', result, background: background.now(), hadAgents: agents.size > 0 };
  }

  function system(received: Extract<ClaudeMessage, { type: 'system' }>): StreamEvent[] {
    const { subtype, session_id, permissionMode, task_id, tool_use_id, subagent_type, description } = received;
    const { kind, reason } = received.prompt_submit_outcome ?? {};
    if (kind === 'blocked_by_hook') refusal = reason ?? 'it gave no reason';
    if (subtype === 'api_retry') return [{ event: 'model_retried', reason: retryReason(received) }];
    if (received.tasks) return [{ event: 'background_changed', background: background.now() }];
    if (subtype === 'task_started' && task_id !== undefined) {
      const label = [subagent_type, description].filter(Boolean).join(': ').slice(0, 300) || task_id;
      agents.set(task_id, { label, calledBy: callers.get(tool_use_id ?? '') });
    }
    const mode: StreamEvent[] = permissionMode === undefined ? [] : [{ event: 'mode_changed', mode: permissionMode }];
    if (subtype !== 'init' || session_id === undefined) return mode;
    return [{ event: 'session_started', sessionId: session_id }, ...mode];
  }

  function content({ type, message, uuid, agent_id: agentId }: Extract<ClaudeMessage, { type: 'assistant' | 'user' }>) {
    if (typeof message.content === 'string') return [];
    return message.content.flatMap((part, i): StreamEvent[] => {
      if (type === 'assistant') remember(part, agentId);
      const outputs = outputOf(part, `${uuid}.${i}`, type, agentId);
      if (part.type !== 'tool_result') return outputs;
      const call = { id: part.tool_use_id, agentId };
      callSettings.delete(keyOf(call));
      return [{ event: 'call_ended', call }, ...outputs];
    });
  }

  function remember(part: Content, agentId: string | undefined): void {
    if (agentId === undefined) plan.said(part);
    if (part.type === 'tool_use') callers.set(part.id, agentId);
  }

  function outputOf(part: Content, id: string, by: 'assistant' | 'user', agentId: string | undefined): StreamEvent[] {
    const prefix = agentId === undefined ? '' : `[${lineageOf(agentId).at(-1)}] `;
    const output = (type: Extract<StreamEvent, { event: 'output' }>['type'], text: string): StreamEvent[] =>
      text.trim() === '' ? [] : [{ event: 'output', id, type, text: prefix + text }];
    if (part.type === 'tool_result') return output('tool_result', truncate(textOf(part.content), RESULT_CHARACTERS));
    if (by === 'user') return [];
    // People are shown a question or a form as the server prepared it, never what the model wrote.
    if (part.type === 'tool_use' && (part.name.includes(FORM_TOOL) || part.name === QUESTION_TOOL))
      return output('tool_call', part.name);
    if (part.type === 'tool_use') return output('tool_call', `${part.name}: ${summaryOf(part.input)}`);
    if (part.type === 'thinking') return output('thinking', truncate(part.thinking, TEXT_CHARACTERS));
    // The text of a sub-agent is for the agent that called it.
    return output(agentId === undefined ? 'text' : 'thinking', truncate(part.text, TEXT_CHARACTERS));
  }

  /** A message without partial messages comes in pieces with the same id, all of them before its calls are made. */
  function countCalls({ id, content }: { id?: string | undefined; content: string | Content[] }): void {
    hasSpoken = true;
    const isCounted = message?.isPartial && (!message.isComplete || message.id === id);
    if (isCounted || typeof content === 'string') return;
    if (!message || message.isPartial || message.id !== id)
      message = { id, calls: 0, isPartial: false, isComplete: true };
    message.calls += content.filter((part) => part.type === 'tool_use').length;
  }

  function partial(event: PartialMessageEvent): StreamEvent[] {
    if (event.type === 'message_start') {
      const released = release('other_calls');
      hasSpoken = true;
      message = { id: event.message?.id, calls: 0, isPartial: true, isComplete: false };
      return released;
    }
    if (message && event.content_block?.type === 'tool_use') message.calls += 1;
    if (!message || event.type !== 'message_stop') return [];
    message.isComplete = true;
    return release(obstacle());
  }

  function release(obstacle: Obstacle | undefined): StreamEvent[] {
    const released = early.map((hook) => ({ ...hook, obstacle }));
    early = [];
    return released;
  }

  function obstacle(): Obstacle | undefined {
    if (hasSpoken && message?.calls !== 1) return 'other_calls';
    return isQuiet(background.now()) ? undefined : 'background';
  }

  function request(requestId: string, received: ControlRequest): StreamEvent[] {
    if ('tool_name' in received) {
      const { tool_name: name, tool_use_id: id, input, agent_id: agentId, permission_suggestions } = received;
      const described = [received.title ?? received.description, received.decision_reason].filter(Boolean).join('\n');
      const call = toolCall({ id, name, input, agentId }, described, permission_suggestions);
      return [{ event: 'permission', requestId, call: { ...call, ...callSettings.get(keyOf(call)) } }];
    }
    if ('mcp_server_name' in received) {
      const { mcp_server_name: serverName, message, mode, url, requested_schema: requestedSchema } = received;
      return [{ event: 'elicitation', requestId, elicited: { serverName, message, mode, url, requestedSchema } }];
    }
    if ('input' in received) return hook(requestId, received.input);
    return [{ event: 'unknown_request', requestId, subtype: received.subtype }];
  }

  function hook(
    requestId: string,
    input: Extract<ControlRequest, { subtype: 'hook_callback' }>['input'],
  ): StreamEvent[] {
    const { tool_name: name, tool_use_id: id, tool_input, agent_id: agentId, cwd, permission_mode: mode } = input;
    const { hook_event_name: hookEvent } = input;
    if (isAfterCall(hookEvent)) return [{ event: 'after_call', requestId, hookEvent, call: { id, agentId } }];
    // Questions and plans do not depend on the folder, so their asks name none.
    const hasNoFolder = name === PLAN_TOOL || name === QUESTION_TOOL || cwd === home;
    const settings = { folder: hasNoFolder ? undefined : cwd, mode };
    const call = { ...toolCall({ id, name, input: tool_input, agentId }), ...settings };
    callSettings.set(keyOf(call), settings);
    const event: HookEvent = { event: 'hook', requestId, call, obstacle: 'sub_agent', isResumed: false };
    if (agentId !== undefined) return [event];
    if (message && !message.isComplete && mayExitOn(name)) {
      early.push(event);
      return [];
    }
    const alone = { ...event, obstacle: obstacle(), isResumed: !hasSpoken };
    // Claude Code defers at most one call, and only the first call of a process can be it.
    hasSpoken = true;
    return [alone];
  }

  function toolCall(
    call: Pick<ToolCall, 'id' | 'name' | 'input' | 'agentId'>,
    description = '',
    suggestions: Suggestion[] = [],
  ): ToolCall {
    const reason = call.name === PLAN_TOOL ? plan.text(call.input) : description;
    return { ...call, lineage: lineageOf(call.agentId), reason, suggestions };
  }

  function lineageOf(agentId: string | undefined): string[] {
    if (agentId === undefined) return [];
    const known = agents.get(agentId);
    return known ? [...lineageOf(known.calledBy), known.label] : [agentId];
  }

  return { read };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

/** The input of a call on one line. */
function summaryOf(input: Record<string, unknown>): string {
  const { command, file_path, path, pattern, url, query, description, prompt } = input;
  const named = [command, file_path, path, pattern, url, query, description, prompt];
  const text = named.find((value) => typeof value === 'string') ?? JSON.stringify(input);
  return truncate(String(text).replaceAll(/\s+/g, ' '), 300);
}

/** The message that reports an error of the API is not one of the model: it has no beginning. */
const responded = ({ type }: PartialMessageEvent): StreamEvent[] =>
  type === 'message_start' ? [{ event: 'model_responded' }] : [];

function retryReason({ error_status, error = '' }: Extract<ClaudeMessage, { type: 'system' }>): string {
  const said = error === 'unknown' ? [] : [error];
  return [...(error_status ? [`HTTP ${error_status}`] : []), ...said].join(', ');
}
