// Stands in for an agent that speaks ACP, written with the SDK of the protocol: plays the plan of a test. Commands are asked
// for as permissions, questions as an elicitation, or as Qwen Code does it where a call has `qwen`. Further fields of a
// call: `edit` asks to change a file, `plan` reports a plan, `say` is said, `stop` ends the turn with that reason, `dies` ends the process
// once the permission is answered, `needs` names a method of the client that is called with its other fields. A prompt
// after the first is one more turn of the same plan. `options` in a call replaces what it offers.
import { appendFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { playPlan, ran, received, wasStarted } from './planned-agent.mjs';

const sessionId = process.argv.find((arg) => arg.startsWith('--session='))?.slice(10) ?? 'session-1';
const hadTurn = wasStarted();
const has = (flag) => process.argv.includes(flag);
/** The option of the protocol that is easily taken by mistake comes first. */
const OPTIONS = [
  { optionId: 'always', name: 'Always allow echo', kind: 'allow_always' },
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'never', name: 'Never allow', kind: 'reject_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const asking = new Map();
let peer;
let isCancelled = false;
let stopReason = 'end_turn';
process.stdout.write('A warning that is no message of the protocol.\n');

agent({ name: 'planned-acp' })
  .onConnect(({ client }) => {
    peer = client;
  })
  .onRequest('initialize', ({ params }) => {
    appendFileSync('initialized.txt', `${JSON.stringify(params.clientCapabilities)}\n`);
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: has('--forgets')
        ? {}
        : has('--loads')
          ? { loadSession: true }
          : { sessionCapabilities: { resume: {} } },
      authMethods: [],
    };
  })
  .onRequest('session/new', () => ({
    sessionId,
    ...(has('--options') ? { configOptions: OPTIONS_OF_SESSION } : { modes: MODES }),
  }))
  .onRequest('session/load', async () => {
    await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'said before' } });
    received('(loaded)');
    return { modes: MODES };
  })
  .onRequest('session/resume', () => {
    received('(resumed)');
    return { modes: MODES };
  })
  .onRequest('session/set_mode', ({ params }) => {
    received(`(mode ${params.modeId})`);
    return {};
  })
  .onRequest('session/set_config_option', ({ params }) => {
    received(`(${params.configId} ${params.value})`);
    return { configOptions: OPTIONS_OF_SESSION };
  })
  .onRequest('session/prompt', async ({ params }) => {
    received(params.prompt[0].text);
    await Promise.race([playPlan(ask, ({ id }) => asking.get(id)?.abort()), cancelled.promise]);
    return { stopReason: isCancelled ? 'cancelled' : stopReason };
  })
  .onNotification('session/cancel', () => {
    isCancelled = true;
    received('(cancelled)');
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
  .closed.then(() => process.exit(0));

const MODES = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Code' },
  ],
};
const select = (id, ...values) => ({
  id,
  name: id,
  category: id,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const OPTIONS_OF_SESSION = [select('model', 'small', 'large'), select('mode', 'build', 'plan')];
const cancelled = Promise.withResolvers();
const update = (update) => peer.notify('session/update', { sessionId, update });

async function ask(call) {
  if (call.say)
    for (const text of call.say)
      await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  if (call.plan) await update({ sessionUpdate: 'plan', entries: call.plan });
  if (call.stop) stopReason = call.stop;
  if (call.needs) return requested(call);
  if (call.questions) return call.qwen ? qwenQuestion(call) : question(call);
  return call.command || call.edit ? permission(call) : 'nothing asked';
}

async function permission({ id: toolCallId, command, edit, dies, client, options = OPTIONS }) {
  const toolCall = command
    ? { kind: 'execute', title: command, rawInput: { command, description: 'May I?' } }
    : { kind: 'edit', title: `Edit ${edit.path}`, content: [{ type: 'diff', ...edit }] };
  await update({ sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...toolCall });
  const { outcome } = await request(toolCallId, 'session/request_permission', {
    toolCall: { toolCallId, status: 'pending', ...toolCall },
    options,
  });
  appendFileSync('outcomes.txt', `${JSON.stringify(outcome)}\n`);
  if (outcome.outcome === 'cancelled') {
    if (isCancelled) cancelled.resolve();
    return 'The request was cancelled.';
  }
  if (dies) process.exit(1);
  const { kind } = options.find(({ optionId }) => optionId === outcome.optionId);
  const isAllowed = kind.startsWith('allow');
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'in_progress' : 'failed' });
  const runs = { needs: 'terminal/create', command };
  const served = client && isAllowed ? `${await requested(runs)} ${await requested(runs)}` : undefined;
  const result = served ?? (isAllowed && command ? ran(command) : `The person chose ${kind}.`);
  const content = [{ type: 'content', content: { type: 'text', text: result } }];
  if (isAllowed) await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
  return result;
}

async function question({ id: toolCallId, questions }) {
  const properties = questions.map(({ question, options }, i) => [
    `question_${i}`,
    { type: 'string', title: `Question ${i + 1}`, description: question, oneOf: options.map(optionOf) },
  ]);
  const reply = await request(toolCallId, 'elicitation/create', {
    mode: 'form',
    toolCallId,
    message: 'Please decide.',
    requestedSchema: { type: 'object', properties: Object.fromEntries(properties) },
  });
  return JSON.stringify(reply);
}

const optionOf = (label) => ({ const: label, title: label });

async function qwenQuestion({ id: toolCallId, questions }) {
  const rawInput = {
    questions: questions.map(({ question, options }) => ({
      question,
      header: 'h',
      options: options.map((label) => ({ label, description: label })),
      multiSelect: false,
    })),
  };
  const reply = await request(toolCallId, 'session/request_permission', {
    toolCall: { toolCallId, status: 'pending', kind: 'think', title: 'Ask user 1 question', rawInput },
    options: [
      { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
    ],
  });
  return JSON.stringify(reply);
}

/** What the client says to a request for its files or terminals. What a command printed is part of it. */
async function requested({ needs: method, path = '/etc/hostname', ...params }) {
  const named = { path: isAbsolute(path) ? path : join(process.cwd(), path), command: 'true', ...params };
  try {
    const reply = await peer.request(method, { sessionId, ...named });
    return `${method} was served: ${JSON.stringify(reply.terminalId ? await printed(reply) : reply)}`;
  } catch ({ message }) {
    return `${method}: ${message}`;
  }
}

async function printed({ terminalId }) {
  const about = { sessionId, terminalId };
  await peer.request('terminal/wait_for_exit', about);
  const shown = await peer.request('terminal/output', about);
  await peer.request('terminal/release', about);
  return shown;
}

function request(id, method, params) {
  const stop = new AbortController();
  asking.set(id, stop);
  return peer.request(method, { sessionId, ...params }, { cancellationSignal: stop.signal });
}
if (hadTurn) appendFileSync('received.txt', '(started again)\n');
