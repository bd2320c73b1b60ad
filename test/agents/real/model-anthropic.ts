// The Anthropic Messages wire of the scripted model, as much of it as a session of Claude Code needs.
import type { Front, Said } from './model.ts';

export const anthropic: Front = {
  takes: (method, path) => method === 'POST' && path === '/v1/messages',
  // Its adapter for ACP also has the model make up a title for the session, and gives it no tools then.
  isAside: ({ tools }) => !Array.isArray(tools) || tools.length === 0,
  reply(response, { model }, said, serial) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${serial}` });
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { id: `msg_${serial}`, type: 'message', role: 'assistant', model, content: [] };
    send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    for (const [index, block] of said.entries()) {
      const [content_block, delta] = wireOf(block);
      send('content_block_start', { index, content_block });
      send('content_block_delta', { index, delta });
      send('content_block_stop', { index });
    }
    const stop_reason = said.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn';
    send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
    send('message_stop', {});
    response.end();
  },
};

function wireOf(block: Said): [object, object] {
  if ('text' in block)
    return [
      { type: 'text', text: '' },
      { type: 'text_delta', text: block.text },
    ];
  const call = { type: 'tool_use', id: block.id, name: block.tool, input: {} };
  return [call, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
}
