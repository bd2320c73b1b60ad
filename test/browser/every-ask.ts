// Raises one ask of every kind that has a card, as an external agent.
import type { Client } from '../../src/client/client.ts';
import type { AskView } from '../../src/core/views.ts';

type Raised = Parameters<Client['asks']['raise']>[1];

const CHOICES = [
  { id: 'staging', label: 'Staging', description: 'the team sees it', recommended: true },
  { id: 'production', label: 'Production', preview: 'traffic: 100%' },
];

const ASKS: Raised[] = [
  {
    kind: 'approval',
    tool_call_id: 'command',
    tool_name: 'Bash',
    input: { command: 'rm -rf build && npm test\u202e' },
    reason: 'Starts from scratch',
    suggestions: [{ id: 'session', label: 'Always for this session' }],
  },
  {
    kind: 'approval',
    tool_call_id: 'edit',
    tool_name: 'Edit',
    input: { file_path: 'src/a.ts', old_string: 'const a = 1;\n', new_string: 'const a = 2;\n' },
  },
  { kind: 'approval', tool_call_id: 'json', tool_name: 'Fetch', input: { url: 'https://example.com', depth: 2 } },
  {
    kind: 'question',
    tool_call_id: 'choice',
    questions: [{ id: 'target', header: 'Target', question: 'Where to?', options: CHOICES }],
    expires_after_ms: 3_600_000,
  },
  {
    kind: 'question',
    tool_call_id: 'several',
    questions: [
      { id: 'target', question: 'Where to?', options: CHOICES },
      { id: 'checks', question: 'Which checks?', options: CHOICES, multi_select: true, required: false },
      { id: 'note', question: 'What should the note say?' },
      { id: 'key', question: 'The key?', secret: true },
    ],
  },
];

/** In one run, oldest first. */
export async function raiseEveryAsk(client: Client): Promise<AskView[]> {
  const { session_id } = await client.sessions.create({
    agent: 'external',
    title: 'Everything',
    project_ids: ['shop'],
    work_folder: '/srv/shop',
  });
  const { run_id } = await client.runs.start(session_id, { input: { text: 'ask everything' } });
  const asks: AskView[] = [];
  for (const ask of ASKS) asks.push(await client.asks.raise(run_id, ask));
  return asks;
}
