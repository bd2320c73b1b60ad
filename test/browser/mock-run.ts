// The mock agent as the other side of the page: plays a script, and tells what it was answered. What a card sends is
// judged by what the agent received, never by what the page shows.
import { expect } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import type { Client } from '../../src/client/client.ts';
import type { AskView } from '../../src/core/views.ts';

export interface MockRun {
  sessionId: string;
  runId: string;
  /** The ask of the step with this id, once it is open. */
  ask(id: string): Promise<AskView>;
  /** What the agent says it was told: `answered: …`, `declined: …`. */
  heard(id: string): Promise<string>;
}

const PATIENCE = { timeout: 15_000, interval: 50 };

export async function playMock(client: Client, ...script: Step[]): Promise<MockRun> {
  const { session_id: sessionId } = await client.sessions.create({ agent: 'mock', title: 'A mock at work' });
  const { run_id: runId } = await client.runs.start(sessionId, { input: { script } });
  const open = async (id: string) => {
    const { items } = await client.asks.list({ session_id: sessionId, status: 'pending' });
    return items.find((ask) => ask.tool_call_id === id);
  };
  const said = async (id: string) => {
    const { items } = await client.runs.list({ session_id: sessionId });
    const outputs = items.flatMap((run) => run.outputs);
    return outputs.find((output) => output.output_id === `heard-${id}`)?.text?.replace(`${id}: `, '');
  };
  return {
    sessionId,
    runId,
    async ask(id) {
      await expect.poll(() => open(id), PATIENCE).toBeDefined();
      return (await open(id)) as AskView;
    },
    async heard(id) {
      await expect.poll(() => said(id), PATIENCE).toBeDefined();
      return (await said(id)) as string;
    },
  };
}
