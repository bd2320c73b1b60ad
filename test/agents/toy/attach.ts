// Answers the hook calls of a person's own toy agent: each is one approval in the session of its conversation.
import { z } from 'zod';
import type { AttachedContext, HookServer } from '../../../src/agents/agent.ts';
import { askApproval } from '../../../src/client/asking.ts';
import { approvalBody } from '../../../src/client/spec.ts';
import { ATTACHED_LABEL, EXTERNAL_AGENT } from '../../../src/core/session.ts';

const HookCall = z.object({ conversation: z.string(), call: z.string(), command: z.string() });

export function serveHooks({ client, waits }: AttachedContext): HookServer {
  return {
    async handle(payload, signal) {
      const { conversation, call, command } = HookCall.parse(payload);
      const { session_id } = await client.sessions.create({
        session_id: `toy.${conversation}`,
        agent: EXTERNAL_AGENT,
        agent_id: 'toy',
        labels: [ATTACHED_LABEL],
      });
      const { run_id: runId } = await client.runs.start(session_id, { input: { text: command }, source: 'toy' });
      const body = approvalBody({ tool_name: 'Toy', input: { command } }, call);
      const outcome = await askApproval({ calls: client, waits, runId, workFolder: undefined, signal }, body);
      await client.runs.complete(runId);
      return { allowed: outcome.status !== 'held' && outcome.allowed };
    },
    recover: async () => {},
    close: async () => {},
  };
}
