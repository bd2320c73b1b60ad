// The toy agent's program: plays the plan of a test, one JSON object a line.
import { createInterface } from 'node:readline';
import { playPlan, ran } from '../../support/planned-agent.mjs';

if (process.argv.includes('--version')) {
  console.log('toy 1.2.3');
  process.exit(0);
}
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const open = new Map();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, ...reply } = JSON.parse(line);
    open.get(id)?.(reply);
  })
  .on('close', () => process.exit(1));

/** What it was asking when it was killed, it asks again under the same id. */
await playPlan(ask, ({ id }) => say({ settled: id }), { repeatsLast: true });
say({ done: true });
process.exit(0);

async function ask(call) {
  say({ ask: call });
  const { command, text } = await new Promise((resolve) => open.set(call.id, resolve));
  return command === undefined ? text : ran(command);
}
