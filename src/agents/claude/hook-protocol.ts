// What Claude Code sends to a hook, as much of it as anything here reads. Events that are not known, and whatever else
// they say, are let through: what they mean is decided elsewhere.
import { z } from 'zod';
import { Suggestion } from './protocol.ts';

const callId = z.string().min(1).max(200);

export const HookEvent = z.looseObject({
  session_id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/),
  hook_event_name: z.string(),
  cwd: z.string().min(1).max(4096),
  agent_id: z.string().optional(),
  agent_type: z.string().optional(),
  tool_name: z.string().min(1).optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: callId.optional(),
  /** The calls of one message, when all of them are over. */
  tool_calls: z.array(z.looseObject({ tool_use_id: callId })).optional(),
  // Nothing hangs on these: one that has another shape some day must not keep a request from being asked.
  permission_suggestions: z.array(Suggestion).optional().catch(undefined),
  prompt: z.string().optional().catch(undefined),
  error: z.string().max(2000).optional().catch(undefined),
});
export type HookEvent = z.infer<typeof HookEvent>;
