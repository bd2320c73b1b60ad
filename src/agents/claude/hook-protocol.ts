// Declares the fields of Claude Code's hook events that attach.ts reads. Unknown events and fields are accepted.
import { z } from 'zod';
import { Suggestion } from './protocol.ts';

const callId = z.string().min(1).max(200);
const toolName = z.string().min(1).optional();
const toolInput = z.record(z.string(), z.unknown()).optional();

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
  permission_suggestions: z.array(Suggestion).optional().catch(undefined),
  prompt: z.string().optional().catch(undefined),
  error: z.string().max(2000).optional().catch(undefined),
});
export type HookEvent = z.infer<typeof HookEvent>;
