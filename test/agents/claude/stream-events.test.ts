// Whether the process of Claude Code may exit on a call: only on the one call of a message, whether that is received in
// parts or whole.
import { describe, expect, it } from 'vitest';
import { type ClaudeMessage, readMessage } from '../../../src/agents/claude/protocol.ts';
import { createStreamReader, type StreamEvent } from '../../../src/agents/claude/stream-events.ts';

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

function hooks(...messages: ClaudeMessage[]) {
  const { read: events } = createStreamReader();
  return messages
    .flatMap(events)
    .filter((event): event is Extract<StreamEvent, { event: 'hook' }> => event.event === 'hook')
    .map(({ call, obstacle, isResumed }) => [call.id, obstacle ?? 'none', isResumed]);
}

it('shows people the name of a form tool that the model calls, and nothing that the model wrote', () => {
  const input = { questions: [], RAW_JUNK: '<img>' };
  const content = [{ type: 'tool_use', id: 't', name: 'mcp__holdpoint__interactive_form_question', input }];
  const events = createStreamReader().read(read({ type: 'assistant', uuid: 'u', message: { id: 'm', content } }));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_call', text: 'mcp__holdpoint__interactive_form_question' }),
  );
  expect(JSON.stringify(events)).not.toContain('RAW_JUNK');
});

it('shows people the name of the question tool only: the question is a prompt of its own', () => {
  const input = { questions: [{ question: 'Which colour?' }] };
  const content = [{ type: 'tool_use', id: 't', name: 'AskUserQuestion', input }];
  const events = createStreamReader().read(read({ type: 'assistant', uuid: 'u', message: { id: 'm', content } }));
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call', text: 'AskUserQuestion' }));
});

describe('the obstacle to exiting on a call', () => {
  it.each([
    [
      'is none for the only call of a partial message',
      [begins('msg_1'), block, calls('a'), asks('a'), streams('message_stop')],
      'none',
    ],
    ['is none for the only call of a whole message', [calls('a'), asks('a')], 'none'],
    [
      'is none for the only call of a whole message after a partial one',
      [begins('m'), block, streams('message_stop'), calls('a'), asks('a')],
      'none',
    ],
    [
      'is another call of the same partial message',
      [begins('msg_1'), block, calls('a'), asks('a'), block, streams('message_stop')],
      'other_calls',
    ],
    ['is another call of the same whole message', [calls('a'), calls('b'), asks('a')], 'other_calls'],
    ['is that the message was never complete', [begins('msg_1'), block, calls('a'), asks('a'), result], 'other_calls'],
  ])('%s', (_, messages, obstacle) => {
    expect(hooks(...messages)).toEqual([['a', obstacle, false]]);
  });

  it('is not waited for if the process would not exit on the call', () => {
    const { read: events } = createStreamReader((tool) => tool !== 'Bash');
    const messages = [begins('msg_1'), block, calls('a'), asks('a')];
    expect(messages.flatMap(events)).toContainEqual(expect.objectContaining({ event: 'hook', requestId: 'a' }));
    expect(hooks(...messages)).toEqual([]);
  });

  it('is none for the resumed call, which is the only one before the process says anything', () => {
    expect(hooks(asks('a'), asks('b'))).toEqual([
      ['a', 'none', true],
      ['b', 'other_calls', false],
    ]);
  });
});
