// Signs of risk wherever a command shows an open approval, above what allows it.
import { expect, it } from 'vitest';
import { RISK_LABELS } from '../../src/client/risk-text.ts';
import { PATIENT, testBedForAll } from './test-bed.ts';

const bed = testBedForAll();
const SIGN = RISK_LABELS.destructive;

it('shows signs of risk in a run and in a thread', PATIENT, async () => {
  const work = await bed.work('risky');
  await work.approval('clean', { input: { command: 'rm -rf /' } });
  await work.question('where');
  const run = await bed.run(['runs', 'show', work.runId]);
  expect(run.stdout).toMatch(new RegExp(`\\$ rm -rf /\\n${SIGN}: .+\\n +allow: `));
  const thread = await bed.run(['threads', 'show', 'risky']);
  expect(thread.stdout).toMatch(new RegExp(`\\$ rm -rf /\\n${SIGN}: .+\\nReply`));
});

it.each([['--wait'], []])('shows signs of risk of what a run asks: run %s', PATIENT, async (...flags) => {
  const script = [{ do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'rm -rf /' } }];
  const running = bed.start(['run', 'mock', 'go', ...flags, '--input-json', JSON.stringify({ script })]);
  await expect.poll(() => running.stdout(), PATIENT).toContain('approvals allow');
  expect(running.stdout()).toMatch(new RegExp(`\\$ rm -rf /\\n${SIGN}: .+\\n +allow: `));
  await bed.clear();
  await running.ended;
});
