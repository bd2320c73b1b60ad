// The OpenAI chat completions wire of the scripted model, as much of it as OpenCode needs.
import type { Front, Said } from './model.ts';

export const chat: Front = {
  takes: (method, path) => method === 'POST' && path === '/v1/chat/completions',
  // OpenCode also has the model make up a title for the session, and gives it no tools then.
  isAside: ({ tools }) => tools === undefined,
  reply(response, { model }, said, serial) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (choice: object, more: object = {}) => {
      const chunk = { id: `cc_${serial}`, created: 1, model, object: 'chat.completion.chunk' };
      response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }], ...more })}\n\n`);
    };
    const calls = said.filter((block) => 'tool' in block);
    const content = said.map((block) => ('text' in block ? block.text : '')).join('') || null;
    const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls.map(wireOf) }) };
    send({ delta: message, finish_reason: null });
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    send({ delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }, { usage });
    response.end('data: [DONE]\n\n');
  },
};

const wireOf = ({ id, tool: name, input }: Extract<Said, { tool: string }>, index: number) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
