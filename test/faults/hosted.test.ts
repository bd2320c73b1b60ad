// What the auditor learns about hosted agents: nothing for a true history, and each fault when the history is altered.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import { endEverything } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { audit } from './auditor.ts';
import { hear } from './hosted.ts';
import { type Account, type Knowledge, noKnowledge } from './knowledge.ts';
import { startLoad } from './load.ts';
import { Phoenix } from './phoenix.ts';

let knowledge: Knowledge;
let account: Account;
beforeAll(async () => {
  const server = await Phoenix.rise();
  const load = await startLoad(server, seeded('hosted'), 0, 2, { hosted: 6 });
  while (load.knowledge.attempts.length < 60) await sleep(100);
  account = await load.rest();
  knowledge = load.knowledge;
  await server.kill();
}, 180_000);
afterAll(endEverything);

/** As if the account had been this from the start. */
function verdict(doctor: (account: Account) => void = () => {}): string[] {
  const doctored = structuredClone(account);
  doctor(doctored);
  const { attempts, seen } = knowledge;
  const fresh = { ...noKnowledge(), attempts, seen };
  hear(fresh, doctored);
  return audit(fresh, doctored);
}

const heardIn = (runs: readonly RunView[]) =>
  runs
    .filter((run) => run.status === 'completed')
    .flatMap((run) => run.outputs.map((output) => ({ run, output })))
    .find(({ output }) => output.output_id.startsWith('heard-')) as {
    run: RunView;
    output: RunView['outputs'][number];
  };

it('reports nothing for a true history of hosted agents in every mode', () => {
  expect(verdict()).toEqual([]);
  const modes = new Set(account.asks.filter((ask) => ask.delivery.state === 'delivered').map((ask) => ask.mode));
  expect(modes.size).toBeGreaterThanOrEqual(3);
});

it.each<[string, RegExp, (account: Account) => void]>([
  [
    'an answer that was heard as another',
    /^applied something else: /,
    ({ runs }) => {
      heardIn(runs).output.text = 'r1-1: answered: Three';
    },
  ],
  [
    'an answer that was never heard',
    /^never applied: /,
    ({ runs }) => {
      const { run, output } = heardIn(runs);
      run.outputs.splice(run.outputs.indexOf(output), 1);
    },
  ],
  [
    'an answer that was heard twice',
    /^applied twice: /,
    ({ runs }) => {
      const { run, output } = heardIn(runs);
      run.outputs.push({ ...output });
    },
  ],
  [
    'an output that was said twice',
    /^said 2 times: /,
    ({ events }) => {
      const event = events.find((e) => e.type === 'output');
      if (event) events.push({ ...event, seq: 1_000_000 });
    },
  ],
  [
    'a run that nobody finishes',
    /^stuck: hosted run /,
    ({ runs }) => {
      heardIn(runs).run.status = 'running';
    },
  ],
])('reports %s', (_, complaint, doctor) => {
  expect(verdict(doctor).some((line) => complaint.test(line))).toBe(true);
});
