// What Claude Code says that is not quite as it should be: a call is asked about all the same.
import { expect, it } from 'vitest';
import { type ClaudeMessage, readMessage } from '../../../src/agents/claude/protocol.ts';
import { createHearing } from '../../../src/agents/claude/stream-events.ts';

it.each([
  ['a rule without content', [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: null }] }]],
  ['no list', 'always'],
  ['nothing', null],
])('a call with suggestions of another shape is still a call that needs a permission: %s', (_, suggestions) => {
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'touch x' },
    tool_use_id: 'toolu_1',
    permission_suggestions: suggestions,
  };
  const message = readMessage(JSON.stringify({ type: 'control_request', request_id: 'r', request })) as ClaudeMessage;
  expect(createHearing().hear(message)).toMatchObject([
    { heard: 'permission', call: { id: 'toolu_1', input: { command: 'touch x' }, suggestions: [] } },
  ]);
});
