// A run of an external agent that asks to run commands.
import type { Client } from '../../src/client/client.ts';
import type { AskView } from '../../src/core/views.ts';

export async function beginRun(client: Client, session: { title: string; project_ids?: string[] }) {
  const { session_id } = await client.sessions.create({ agent: 'external', ...session });
  const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
  let calls = 0;
  return {
    session_id,
    run_id,
    ask: (command: string, more: object = {}): Promise<AskView> =>
      client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: `c${calls++}`,
        tool_name: 'Bash',
        input: { command },
        ...more,
      }),
    end: () => client.sessions.end(session_id),
  };
}
