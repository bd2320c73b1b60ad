// Asks the parent session. Calls are numbered, so that the same questions asked again, before their answer was delivered,
// are the same clarification, and a model can name it by its number.
import type { z } from 'zod';
import type { Clarify } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import type { AskView } from '../core/views.ts';
import { clarificationCall } from './handle.ts';
import type { ToolBackend } from './tool-backend.ts';

type Asked = Omit<z.infer<typeof Clarify>, 'tool_call_id'>;

const MOST = 1000;

/** `callId`: the agent's own name for the call, where its client sends one. */
export async function askParent(backend: ToolBackend, asked: Asked, callId: string | undefined): Promise<AskView> {
  const runId = await backend.runId();
  const raise = async (tool_call_id: string): Promise<AskView> =>
    backend.look((await backend.clarify(runId, { ...asked, tool_call_id })).request_id, 0);
  if (callId !== undefined) return raise(callId);
  for (let n = 1; n <= MOST; n++) {
    const ask = await raise(clarificationCall(n)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ask_identity_conflict') return undefined;
      throw error;
    });
    if (ask && (ask.delivery.state === 'none' || ask.delivery.state === 'due')) return ask;
  }
  throw fail('pending_asks_limit', `This run has asked its parent ${MOST} times.`);
}
