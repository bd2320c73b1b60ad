// An ask that outlives its program. Kill this while it waits, start it again, a week later if you like: the id makes it
// the same ask, and the answer that was given meanwhile is there. Nothing is asked twice.
import assert from 'node:assert/strict';
import * as holdpoint from '../src/client/holdpoint.ts'; // in your own project: from 'holdpoint'

const [release = 'v1.0.0'] = process.argv.slice(2);
const question = { id: `ship-${release}`, question: `Ship ${release} tonight?`, options: ['Ship it', 'Wait'] };

const first = await holdpoint.ask(question);
const second = await holdpoint.ask(question);
assert.equal(second.ask_id, first.ask_id);
assert(first.status === 'answered' && second.status === 'answered');
assert.equal(second.answer, first.answer);
console.log(`${release}: ${first.answer}`);
