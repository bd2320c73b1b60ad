// Your own agent loop with a form in it. The tool that displays the form returns a deferred result: the loop says that the
// tool is done, stops, and is started again by the next message, in which the answer is the result of that same call. The
// model here is a script; everything else is as it would be. Nothing about waiting is ever told to the model.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connect, DeferredExit, exitIfDeferred, nextMessage } from '../src/client/holdpoint.ts'; // or from 'holdpoint'

type Message = { role: 'user' | 'assistant' | 'tool'; tool_use_id?: string; content: unknown };

const { api, start, close } = connect();
const work = await start({ title: 'painter', text: 'Paint the gate.' });
const { token } = await api.tokens.create({ scope: 'agent', session_id: work.session_id });
const tools = new Client({ name: 'painter', version: '1.0.0' });
await tools.connect(
  new StreamableHTTPClientTransport(new URL('/mcp', api.http.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  }),
);

/** One turn: either a call of a tool, or something said. */
function model(messages: readonly Message[]) {
  const answered = messages.find((message) => message.role === 'tool');
  if (answered) return { text: `I paint it ${(answered.content as { colour: string }).colour}.` };
  const questions = [{ id: 'colour', question: 'Which colour?', input_type: 'choice', options: ['red', 'blue'] }];
  return { call: { tool_use_id: 'toolu_1', tool_name: 'interactive_form_question', input: { questions } } };
}

async function loop(messages: Message[]): Promise<void> {
  for (;;) {
    const { text, call } = model(messages);
    if (!call) return console.log(text);
    const result = await tools.callTool({
      name: call.tool_name,
      arguments: call.input,
      _meta: { tool_use_id: call.tool_use_id },
    });
    await exitIfDeferred(result, call, (done) => console.log(`tool done: ${done.tool_name}`));
    messages.push({ role: 'tool', tool_use_id: call.tool_use_id, content: result });
  }
}

const messages: Message[] = [{ role: 'user', content: 'Paint the gate.' }];
const exit = await loop(messages).catch((error: unknown) => error);
assert(exit instanceof DeferredExit);
assert.equal(messages.length, 1);
console.log(`stopped: ${exit.stop_reason}`);

const next = await nextMessage(api, exit);
const answer = next.input.interactive_form_answer as { tool_use_id: string; answers: object };
messages.push({ role: 'tool', tool_use_id: answer.tool_use_id, content: answer.answers });
await loop(messages);
assert.doesNotMatch(JSON.stringify(messages), /deferred|waiting/);
await api.runs.complete(next.run_id);
await tools.close();
close();
