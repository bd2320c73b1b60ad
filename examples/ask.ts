// Ask a person from any program. Start `npm start` in another terminal, run this, and answer wherever you like.
import assert from 'node:assert/strict';
import * as holdpoint from '../src/client/holdpoint.ts'; // in your own project: from 'holdpoint'

const outcome = await holdpoint.ask({
  question: 'Which provider should the summary use?',
  options: ['Hosted', 'Local'],
});
assert(outcome.status === 'answered', `no answer: ${outcome.status}`);
console.log(`You said: ${outcome.answer}`);
