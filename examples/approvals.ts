// Three actions at once, each with its own approval. Only what somebody allowed runs, with the input they allowed;
// a denial comes with its reason. No answer at all is a denial too: here after an hour.
import assert from 'node:assert/strict';
import { connect } from '../src/client/holdpoint.ts'; // in your own project: from 'holdpoint'

const holdpoint = connect();
const commands = ['npm ci', 'npm run build', 'rm -rf node_modules'];
const ran: string[] = [];
const refused: string[] = [];

await Promise.all(
  commands.map(async (command) => {
    const decision = await holdpoint.approve({ tool_name: 'Bash', input: { command }, expires_after_ms: 3_600_000 });
    if (!decision.allowed) {
      refused.push(command);
      return console.log(`not ${command}: ${decision.reason}`);
    }
    ran.push(String(decision.input.command));
    console.log(`ran ${decision.input.command}`);
  }),
);

assert.equal(ran.length + refused.length, commands.length);
console.log(`${ran.length} of ${commands.length} ran`);
