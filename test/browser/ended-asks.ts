// Raises and ends asks of several kinds, for tests of the history and the insights.
import type { Client } from '../../src/client/client.ts';
import type { AskView } from '../../src/core/views.ts';

export async function makeEndedAsks(client: Client): Promise<AskView[]> {
  const { session_id } = await client.sessions.create({
    agent: 'external',
    title: 'Nightly build',
    project_ids: ['shop'],
  });
  const { run_id } = await client.runs.start(session_id, { input: { text: 'build' } });
  const approval = (n: number, command: string) =>
    client.asks.raise(run_id, { kind: 'approval', tool_call_id: `a${n}`, tool_name: 'Bash', input: { command } });
  const allowed = await approval(1, 'npm publish --dry-run');
  const denied = await approval(2, 'rm -rf / # <img src=x onerror=alert(1)>');
  await client.approvals.decideRun(run_id, {
    resolutions: [
      { request_id: allowed.ask_id, behavior: 'allow' },
      { request_id: denied.ask_id, behavior: 'deny', reason: 'never the whole disk' },
    ],
  });
  const question = await client.asks.raise(run_id, {
    kind: 'question',
    tool_call_id: 'q',
    questions: [
      { id: 'target', header: 'Target', question: 'Where does it go?', options: [{ id: 's', label: 'Staging' }] },
    ],
  });
  const answers = [{ question_id: 'target', selected_option_ids: ['s'] }];
  await client.questions.answerRun(run_id, { resolution: { request_id: question.ask_id, answers } });
  return [allowed, denied, question];
}
