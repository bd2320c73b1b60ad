// Whether the process of Claude Code may end on a call: only where that is the one call of its message, as far as that
// can be known, whether the message came as a stream or whole.
import { describe, expect, it } from 'vitest';
import { type ClaudeMessage, readMessage } from '../../../src/agents/claude/protocol.ts';
import { createHearing, type Heard } from '../../../src/agents/claude/stream-events.ts';

const read = (message: object) => readMessage(JSON.stringify(message)) as ClaudeMessage;
const calls = (id: string, message = 'msg_1') => {
  const content = [{ type: 'tool_use', id, name: 'Bash', input: {} }];
  return read({ type: 'assistant', uuid: id, message: { id: message, content } });
};
const asks = (tool_use_id: string) => {
  const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {}, tool_use_id };
  return read({ type: 'control_request', request_id: tool_use_id, request: { subtype: 'hook_callback', input } });
};
const streams = (type: string, more = {}) => read({ type: 'stream_event', event: { type, ...more } });
const begins = (id: string) => streams('message_start', { message: { id } });
const block = streams('content_block_start', { content_block: { type: 'tool_use' } });
const result = read({ type: 'result', subtype: 'success', is_error: false, session_id: 's' });

function befores(...messages: ClaudeMessage[]) {
  const { hear } = createHearing();
  return messages
    .flatMap(hear)
    .filter((heard): heard is Extract<Heard, { heard: 'before' }> => heard.heard === 'before')
    .map(({ call, hindrance, isKept }) => [call.id, hindrance ?? 'none', isKept]);
}

describe('what hinders Claude Code to end on a call', () => {
  it.each([
    [
      'nothing, by itself in a stream',
      [begins('msg_1'), block, calls('a'), asks('a'), streams('message_stop')],
      'none',
    ],
    ['nothing, by itself in one piece', [calls('a'), asks('a')], 'none'],
    [
      'nothing, in one piece after a stream',
      [begins('m'), block, streams('message_stop'), calls('a'), asks('a')],
      'none',
    ],
    [
      'another call of its message, in a stream',
      [begins('msg_1'), block, calls('a'), asks('a'), block, streams('message_stop')],
      'other_calls',
    ],
    ['another call of its message, in one piece', [calls('a'), calls('b'), asks('a')], 'other_calls'],
    ['that its message was never complete', [begins('msg_1'), block, calls('a'), asks('a'), result], 'other_calls'],
  ])('%s', (_, messages, hindrance) => {
    expect(befores(...messages)).toEqual([['a', hindrance, false]]);
  });

  it('is not waited for where the process would not end on the call', () => {
    const { hear } = createHearing((tool) => tool !== 'Bash');
    const messages = [begins('msg_1'), block, calls('a'), asks('a')];
    expect(messages.flatMap(hear)).toContainEqual(expect.objectContaining({ heard: 'before', requestId: 'a' }));
    expect(befores(...messages)).toEqual([]);
  });

  it('nothing for the call that it has kept, which is the first and only one before it says anything', () => {
    expect(befores(asks('a'), asks('b'))).toEqual([
      ['a', 'none', true],
      ['b', 'other_calls', false],
    ]);
  });
});
