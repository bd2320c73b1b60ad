// A model that cannot be reached is reported once per outage, and once more when it responds.
import { expect, it } from 'vitest';
import { createModelOutage } from '../../../src/agents/kit/model-outage.ts';

it('reports an outage once, its end once, and the next outage again', () => {
  const said: string[] = [];
  const outage = createModelOutage((text) => said.push(text));
  outage.responded();
  for (const reason of ['HTTP 529', 'HTTP 529', '']) outage.retried(reason);
  for (let n = 0; n < 3; n++) outage.responded();
  outage.retried('');
  expect(said).toEqual([
    'The model cannot be reached (HTTP 529). The agent tries again by itself.',
    'The model responds again.',
    'The model cannot be reached. The agent tries again by itself.',
  ]);
});
