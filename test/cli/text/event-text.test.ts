// Events as lines of a terminal.
import { expect, it } from 'vitest';
import { eventLine } from '../../../src/cli/text/event-text.ts';
import { plain } from '../../../src/cli/text/spans.ts';

const event = { seq: 1, session_seq: 1, id: 'e', at_ms: 0, session_id: 's', ask_id: 'a', prev_hash: '', hash: '' };

it('tells the reply of an agent from the comment of a person with the same name', () => {
  const said = (role: string) =>
    plain(eventLine({ ...event, type: 'ask.commented', data: { role, by: 'mo', text: 'Safe.' } }));
  expect(said('agent')).toMatch(/a mo \(agent\): Safe\.$/);
  expect(said('person')).toMatch(/a mo: Safe\.$/);
});
