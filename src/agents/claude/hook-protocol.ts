// Declares the fields of Claude Code's hook events that attach.ts reads. Unknown events and fields are accepted.
import { z } from 'zod';
import { Suggestion } from './protocol.ts';

const callId = z.string().min(1).max(200);
const toolName = z.string().min(1).optional();
const toolInput = z.record(z.string(), z.unknown()).optional();

/** Why an ask is withdrawn, and its run interrupted, when its hook is given up. */
export const GONE = 'Claude Code no longer waits for it';
export const STOPPED = { error: 'interrupted at the terminal of Claude Code', interrupted_by: 'person' } as const;

/** How long a call of a hook process waits for an answer before the process calls again. */
export const POLL_MS = 25_000;

const AskIds = z.object({ ask_id: z.string(), run_id: z.string(), call_id: z.string() });

/**
 * Added to an event by a hook process, which repeats its call until it is answered. `key` is in the id of its ask. `ask`: as
 * the reply named it; without it, `is_repeat` says that an earlier call may have raised it.
 */
const HookPoll = z.object({
  key: z.int().positive(),
  ask: AskIds.optional(),
  is_repeat: z.boolean().optional(),
  is_given_up: z.boolean().optional(),
});
export type HookPoll = z.infer<typeof HookPoll>;

/** The reply while the ask is open. */
export const OpenAsk = z.object({ holdpoint: AskIds });

export const HookEvent = z.looseObject({
  session_id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/),
  hook_event_name: z.string(),
  cwd: z.string().min(1).max(4096),
  agent_id: z.string().optional(),
  agent_type: z.string().optional(),
  tool_name: toolName,
  tool_input: toolInput,
  tool_use_id: callId.optional(),
  // Optional information: a value of another shape must not keep a request from being asked, or an end from being seen.
  tool_calls: z
    .array(z.looseObject({ tool_use_id: callId, tool_name: toolName, tool_input: toolInput.catch(undefined) }))
    .optional()
    .describe('Of PostToolBatch: the calls of one message, when all of them have ended'),
  tool_response: z
    .looseObject({ agentId: z.string(), description: z.string().max(2000) })
    .optional()
    .catch(undefined)
    .describe('Of a call that has started a sub-agent'),
  permission_suggestions: z.array(Suggestion).optional().catch(undefined),
  prompt: z.string().optional().catch(undefined),
  holdpoint: HookPoll.optional(),
  error: z.string().max(2000).optional().catch(undefined),
});
/** `session_label`: of the hook token that sent it. The server sets it, whatever the payload has. */
export type HookEvent = z.infer<typeof HookEvent> & { session_label?: string | undefined };
