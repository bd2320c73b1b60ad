// A small MCP server for the tests of real agents: tools that need an approval, that ask for a form, and that ask the
// person to open a page, or just for a yes. What the form brought back is its result, and is also written to the work
// folder.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const waiting = new Map();
let made = 0;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const elicit = (params) =>
  new Promise((resolve) => {
    made += 1;
    waiting.set(`elicit-${made}`, resolve);
    send({ id: `elicit-${made}`, method: 'elicitation/create', params });
  });

const FORM = {
  type: 'object',
  properties: {
    region: { type: 'string', title: 'Region', enum: ['eu', 'us'], enumNames: ['Europe', 'America'] },
    count: { type: 'integer', title: 'Machines', minimum: 1, maximum: 9 },
    dry: { type: 'boolean', title: 'Dry run', description: 'Only pretend?' },
    note: { type: 'string', title: 'Note' },
  },
  required: ['region', 'count'],
};

/** More than one set of questions may have. */
const MANY = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`q${i + 1}`, { type: 'boolean' }]));

function logged(name, given) {
  appendFileSync(process.env.DEMO_LOG, `${name} ${JSON.stringify(given)}\n`);
  return text(`${name} did ${JSON.stringify(given)}`);
}

const tools = {
  plain: async (given) => logged('plain', given),
  other: async (given) => logged('other', given),
  own_interactive_form_question: async (given) => logged('form', given),
  deploy: async () => text(await elicit({ message: 'Deploy where?', requestedSchema: FORM })),
  confirm: async () => text(await elicit({ message: 'Really?', requestedSchema: { type: 'object', properties: {} } })),
  survey: async () =>
    text(await elicit({ message: 'How was it?', requestedSchema: { type: 'object', properties: MANY } })),
  visit: async () =>
    text(
      await elicit({ mode: 'url', message: 'Sign in there', url: 'https://example.com/sign-in', elicitationId: 'e1' }),
    ),
};
const isReadOnly = (name) => name !== 'plain' && name !== 'other';

async function answer(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'demo', version: '1' },
    };
  if (method === 'tools/list')
    return {
      tools: Object.keys(tools).map((name) => ({
        name,
        description: `the tool ${name}`,
        inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
        annotations: { readOnlyHint: isReadOnly(name) },
      })),
    };
  if (method === 'tools/call') return tools[params.name](params.arguments);
  return {};
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  if (id !== undefined) send({ id, result: await answer(method, params) });
});
