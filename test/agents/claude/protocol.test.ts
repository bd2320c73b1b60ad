// Messages of Claude Code with fields of another shape: the call is still asked about.
import { expect, it } from 'vitest';
import { type ClaudeMessage, readMessage } from '../../../src/agents/claude/protocol.ts';
import { createStreamReader } from '../../../src/agents/claude/stream-events.ts';

it.each([
  ['a rule without content', [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: null }] }]],
  ['no list', 'always'],
  ['nothing', null],
])('reads a permission request whose suggestions have another shape: %s', (_, suggestions) => {
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'touch x' },
    tool_use_id: 'toolu_1',
    permission_suggestions: suggestions,
  };
  const message = readMessage(JSON.stringify({ type: 'control_request', request_id: 'r', request })) as ClaudeMessage;
  expect(createStreamReader().read(message)).toMatchObject([
    { event: 'permission', call: { id: 'toolu_1', input: { command: 'touch x' }, suggestions: [] } },
  ]);
});
