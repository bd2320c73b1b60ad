// What a session of Claude Code says, made into what it means here: something said, something asked, an end. Pure: one
// message in, meanings out. Keeps what later messages refer to: who the sub-agents are, what was said last, where a
// call was made, what is in the background, and whether a call is the only one of its message, which is known only when
// the message is complete.

import type { Elicited } from '../kit/elicitation.ts';
import { fittingText } from '../kit/fitting-text.ts';
import { PLAN_TOOL, QUESTION_TOOL } from './asks.ts';
import { type Background, createBackground, isQuiet } from './background-tasks.ts';
import { createPlan } from './plan.ts';
import {
  type ClaudeMessage,
  type ClaudeResult,
  type Content,
  INITIALIZE,
  REFUSED,
  type StreamedEvent,
  type Suggestion,
} from './protocol.ts';

export interface ToolCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The sub-agent that calls; none for the session itself. */
  agentId?: string | undefined;
  /** The sub-agents that lead to the one that calls, the outermost first; none for the session itself. */
  lineage: string[];
  /** What Claude Code says about it, and what else it suggests to allow. */
  reason: string;
  suggestions: Suggestion[];
  /** Where it is made, if not in the folder of the session. */
  folder?: string | undefined;
  /** The permission mode of whoever makes it, as far as that is told. */
  mode?: string | undefined;
}

/** Two sub-agents may use one id, each for a call of its own. */
export type CallName = Pick<ToolCall, 'id' | 'agentId'>;
export const keyOf = ({ id, agentId = '' }: CallName): string => `${agentId} ${id}`;

/** What would be lost if the process ended on a call. */
export type Hindrance = 'sub_agent' | 'other_calls' | 'background';

export type Heard =
  | { heard: 'begun'; sessionId: string }
  | { heard: 'mode'; mode: string }
  | { heard: 'said'; id: string; type: 'text' | 'thinking' | 'tool_call' | 'tool_result'; text: string }
  /** It has started, and listens. */
  | { heard: 'ready' }
  /** Before a tool is used, whether or not it needs a permission. `isKept`: nothing was said yet in this process, so it
   * is the call that the conversation had been held on. */
  | { heard: 'before'; requestId: string; call: ToolCall; hindrance: Hindrance | undefined; isKept: boolean }
  /** It needs a permission. */
  | { heard: 'permission'; requestId: string; call: ToolCall }
  /** One of its MCP servers asks something of the person. */
  | { heard: 'elicitation'; requestId: string; asked: Elicited }
  | { heard: 'unknown_request'; requestId: string; subtype: string }
  /** To a request of ours. */
  | { heard: 'reply'; requestId: string; response: unknown }
  | { heard: 'taken_back'; requestId: string }
  /** A tool call has its result: the model is about to be told. */
  | { heard: 'settled'; call: CallName }
  | { heard: 'carries_on' }
  | { heard: 'background'; background: Background }
  /** `hadAgents`: sub-agents have worked, also where the session's own model did not. */
  | { heard: 'ended'; result: ClaudeResult; background: Background; hadAgents: boolean };

type Before = Extract<Heard, { heard: 'before' }>;

const TEXT_CHARACTERS = 100_000;
const RESULT_CHARACTERS = 4000;

/**
 * `mayEndOn`: whether it matters for a call of that tool if it is the only one; any other need not wait for that.
 * `home`: the folder of the session.
 */
export function createHearing(mayEndOn: (toolName: string) => boolean = () => true, home?: string) {
  const agents = new Map<string, { label: string; calledBy: string | undefined }>();
  const callers = new Map<string, string | undefined>();
  /** How the calls are made that have no result yet: only the hook says so, not the request for permission. */
  const manners = new Map<string, Pick<ToolCall, 'folder' | 'mode'>>();
  const plan = createPlan();
  /** The message of the session itself that is coming in, and what was asked about before it was complete. */
  let message: { id: string | undefined; calls: number; isStreamed: boolean; isComplete: boolean } | undefined;
  let early: Before[] = [];
  let hasSpoken = false;
  /** Why a hook would not have the prompt: Claude Code takes that for a success. */
  let refusal: string | undefined;
  const background = createBackground();

  function hear(heard: ClaudeMessage): Heard[] {
    background.hear(heard);
    switch (heard.type) {
      case 'system':
        return system(heard);
      case 'assistant':
      case 'user':
        if (heard.type === 'assistant' && heard.agent_id === undefined) whole(heard.message);
        return spoken(heard);
      case 'stream_event':
        return heard.parent_tool_use_id ? [] : streamed(heard.event);
      case 'control_request':
        return request(heard.request_id, heard.request);
      case 'control_response':
        return [reply(heard.response)];
      case 'control_cancel_request':
        return [{ heard: 'taken_back', requestId: heard.request_id }];
      case 'command_lifecycle':
        return heard.state === 'started' ? [{ heard: 'carries_on' }] : [];
      case 'result':
        return [...release('other_calls'), ended(heard)];
    }
  }

  function reply({ request_id: requestId, response }: { request_id: string; response?: unknown }): Heard {
    return requestId === INITIALIZE ? { heard: 'ready' } : { heard: 'reply', requestId, response };
  }

  function ended(said: ClaudeResult): Heard {
    const result = refusal === undefined ? said : { ...said, is_error: true, subtype: REFUSED, errors: [refusal] };
    refusal = undefined;
    return { heard: 'ended', result, background: background.now(), hadAgents: agents.size > 0 };
  }

  function system(heard: Extract<ClaudeMessage, { type: 'system' }>): Heard[] {
    const { subtype, task_id, tool_use_id, subagent_type, description } = heard;
    const { kind, reason } = heard.prompt_submit_outcome ?? {};
    if (kind === 'blocked_by_hook') refusal = reason ?? 'it gave no reason';
    if (heard.tasks) return [{ heard: 'background', background: background.now() }];
    if (subtype === 'task_started' && task_id !== undefined) {
      const label = [subagent_type, description].filter(Boolean).join(': ').slice(0, 300) || task_id;
      agents.set(task_id, { label, calledBy: callers.get(tool_use_id ?? '') });
    }
    const mode: Heard[] = heard.permissionMode === undefined ? [] : [{ heard: 'mode', mode: heard.permissionMode }];
    if (subtype !== 'init' || heard.session_id === undefined) return mode;
    return [{ heard: 'begun', sessionId: heard.session_id }, ...mode];
  }

  function spoken({
    type,
    message: { content },
    uuid,
    agent_id,
  }: Extract<ClaudeMessage, { type: 'assistant' | 'user' }>) {
    if (typeof content === 'string') return [];
    return content.flatMap((part, i) => {
      if (type === 'assistant') remember(part, agent_id);
      const heard = partOf(part, `${uuid}.${i}`, type, agent_id);
      if (part.type !== 'tool_result') return heard;
      const call = { id: part.tool_use_id, agentId: agent_id };
      manners.delete(keyOf(call));
      return [{ heard: 'settled', call } as const, ...heard];
    });
  }

  function remember(part: Content, agentId: string | undefined): void {
    if (agentId === undefined) plan.said(part);
    if (part.type === 'tool_use') callers.set(part.id, agentId);
  }

  function partOf(part: Content, id: string, by: 'assistant' | 'user', agentId: string | undefined): Heard[] {
    const who = agentId === undefined ? '' : `[${lineageOf(agentId).at(-1)}] `;
    const said = (type: Extract<Heard, { heard: 'said' }>['type'], text: string): Heard[] =>
      text.trim() === '' ? [] : [{ heard: 'said', id, type, text: who + text }];
    if (part.type === 'tool_result') return said('tool_result', fittingText(textOf(part.content), RESULT_CHARACTERS));
    if (by === 'user') return [];
    if (part.type === 'tool_use') return said('tool_call', `${part.name}: ${gist(part.input)}`);
    if (part.type === 'thinking') return said('thinking', fittingText(part.thinking, TEXT_CHARACTERS));
    // What a sub-agent says is for the agent that called it.
    return said(agentId === undefined ? 'text' : 'thinking', fittingText(part.text, TEXT_CHARACTERS));
  }

  /** What does not come as a stream comes in parts with one id, all of them before its calls are made. */
  function whole({ id, content }: { id?: string | undefined; content: string | Content[] }): void {
    hasSpoken = true;
    const isOfStream = message?.isStreamed && (!message.isComplete || message.id === id);
    if (isOfStream || typeof content === 'string') return;
    if (!message || message.isStreamed || message.id !== id)
      message = { id, calls: 0, isStreamed: false, isComplete: true };
    message.calls += content.filter((part) => part.type === 'tool_use').length;
  }

  function streamed(event: StreamedEvent): Heard[] {
    if (event.type === 'message_start') {
      const left = release('other_calls');
      hasSpoken = true;
      message = { id: event.message?.id, calls: 0, isStreamed: true, isComplete: false };
      return left;
    }
    if (message && event.content_block?.type === 'tool_use') message.calls += 1;
    if (!message || event.type !== 'message_stop') return [];
    message.isComplete = true;
    return release(hindrance());
  }

  function release(why: Hindrance | undefined): Heard[] {
    const waiting = early.map((before) => ({ ...before, hindrance: why }));
    early = [];
    return waiting;
  }

  function hindrance(): Hindrance | undefined {
    if (hasSpoken && message?.calls !== 1) return 'other_calls';
    return isQuiet(background.now()) ? undefined : 'background';
  }

  function request(requestId: string, asked: Extract<ClaudeMessage, { type: 'control_request' }>['request']): Heard[] {
    if ('tool_name' in asked) {
      const { tool_name: name, tool_use_id: id, input, agent_id, permission_suggestions: suggestions = [] } = asked;
      const reason = [asked.title ?? asked.description, asked.decision_reason].filter(Boolean).join('\n');
      const whose = { agentId: agent_id, lineage: lineageOf(agent_id) };
      const manner = manners.get(keyOf({ id, agentId: agent_id }));
      const call = { id, name, input, ...whose, reason: reasonOf(name, input, reason), suggestions, ...manner };
      return [{ heard: 'permission', requestId, call }];
    }
    if ('mcp_server_name' in asked) {
      const { mcp_server_name: serverName, message, mode, url, requested_schema: requestedSchema } = asked;
      return [{ heard: 'elicitation', requestId, asked: { serverName, message, mode, url, requestedSchema } }];
    }
    if (!('input' in asked)) return [{ heard: 'unknown_request', requestId, subtype: asked.subtype }];
    const { tool_name: name, tool_use_id: id, tool_input: input, agent_id, cwd, permission_mode: mode } = asked.input;
    const whose = { agentId: agent_id, lineage: lineageOf(agent_id) };
    // Questions and plans do not depend on the folder, so their asks name none.
    const isNowhere = name === PLAN_TOOL || name === QUESTION_TOOL || cwd === home;
    const folder = isNowhere ? undefined : cwd;
    const call = { id, name, input, ...whose, reason: reasonOf(name, input, ''), suggestions: [], folder, mode };
    manners.set(keyOf(call), { folder, mode });
    const before: Before = { heard: 'before', requestId, call, hindrance: 'sub_agent', isKept: false };
    if (agent_id !== undefined) return [before];
    if (!message || message.isComplete || !mayEndOn(name)) {
      const kept = { ...before, hindrance: hindrance(), isKept: !hasSpoken };
      // Claude Code keeps one deferred call at most, and only the first call of a process can be it.
      hasSpoken = true;
      return [kept];
    }
    early.push(before);
    return [];
  }

  const reasonOf = (name: string, input: ToolCall['input'], given: string): string =>
    name === PLAN_TOOL ? plan.text(input) : given;

  function lineageOf(agentId: string | undefined): string[] {
    if (agentId === undefined) return [];
    const known = agents.get(agentId);
    return known ? [...lineageOf(known.calledBy), known.label] : [agentId];
  }

  return { hear };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

/** What a call is about, on one line. */
function gist(input: Record<string, unknown>): string {
  const { command, file_path, path, pattern, url, query, description, prompt } = input;
  const named = [command, file_path, path, pattern, url, query, description, prompt];
  const text = named.find((value) => typeof value === 'string') ?? JSON.stringify(input);
  return fittingText(String(text).replaceAll(/\s+/g, ' '), 300);
}
