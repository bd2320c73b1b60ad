// Starts a run of the mock agent with a script, and reads what the agent received. A test of the page compares that, and
// never only what the page shows.
import { expect } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import type { Client } from '../../src/client/client.ts';
import type { AskView } from '../../src/core/views.ts';

export interface MockRun {
  sessionId: string;
  runId: string;
  /** The ask of the step with this id, once it is pending. */
  ask(id: string): Promise<AskView>;
  /** The answer to the step with this id, as the agent received it: `answered: …`, `declined: …`. */
  received(id: string): Promise<string>;
}

const POLL = { timeout: 15_000, interval: 50 };

export async function playMock(client: Client, ...script: Step[]): Promise<MockRun> {
  const { session_id: sessionId } = await client.sessions.create({ agent: 'mock', title: 'A mock at work' });
  const { run_id: runId } = await client.runs.start(sessionId, { input: { script } });
  const pendingAsk = async (id: string) => {
    const { items } = await client.asks.list({ session_id: sessionId, status: 'pending' });
    return items.find((ask) => ask.tool_call_id === id);
  };
  const answerOutput = async (id: string) => {
    const { items } = await client.runs.list({ session_id: sessionId });
    const outputs = items.flatMap((run) => run.outputs);
    return outputs.find((output) => output.output_id === `heard-${id}`)?.text?.replace(`${id}: `, '');
  };
  return {
    sessionId,
    runId,
    async ask(id) {
      await expect.poll(() => pendingAsk(id), POLL).toBeDefined();
      return (await pendingAsk(id)) as AskView;
    },
    async received(id) {
      await expect.poll(() => answerOutput(id), POLL).toBeDefined();
      return (await answerOutput(id)) as string;
    },
  };
}
