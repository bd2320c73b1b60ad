// Stands in for `claude -p` with stream-json: plays the plan of a test over the wire that the real one speaks, asking for
// every call with `can_use_tool`, as the real one does for what its rules do not decide.
import { createInterface } from 'node:readline';
import { playPlan, ran, received } from './planned-agent.mjs';

const session_id = '00000000-0000-8000-a000-000000000000';
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const open = new Map();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { type, request_id, request, response, message } = JSON.parse(line);
    if (type === 'user') return void turn(message.content);
    if (type === 'control_response') return open.get(response.request_id)?.(response.response);
    if (request?.subtype === 'interrupt') process.exit(0);
    say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  })
  .on('close', () => process.exit(0));

async function turn(text) {
  received(text);
  say({ type: 'system', subtype: 'init', session_id });
  await playPlan(ask, ({ id }) => say({ type: 'control_cancel_request', request_id: id }));
  say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id, num_turns: 1 });
}

async function ask(call) {
  const { id } = call;
  const [name, input] = call.command
    ? ['Bash', { command: call.command }]
    : ['AskUserQuestion', { questions: call.questions.map(questionOf) }];
  say({ type: 'assistant', uuid: id, message: { id: `of ${id}`, content: [{ type: 'tool_use', id, name, input }] } });
  const request = { subtype: 'can_use_tool', tool_name: name, tool_use_id: id, input };
  say({ type: 'control_request', request_id: id, request });
  const reply = await new Promise((resolve) => open.set(id, resolve));
  const result = resultOf(reply, call);
  const content = [{ type: 'tool_result', tool_use_id: id, content: result }];
  say({ type: 'user', uuid: `result of ${id}`, message: { content } });
  return result;
}

function resultOf({ behavior, message, updatedInput }, call) {
  if (behavior !== 'allow') return message;
  return call.command ? ran(updatedInput.command) : JSON.stringify(updatedInput.answers);
}

const questionOf = ({ question, options }) => ({ question, options: options.map((label) => ({ label })) });
