// `comment`: a remark on a request of either kind, and the agent's reply; `insights`: what came of decisions.
// Covers: src/cli/text/comment-text.ts, src/cli/commands/insights.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../../src/client/holdpoint.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
}, PATIENT.timeout);
afterAll(closeTestBeds);

it('prints the reply of the agent, and the request stays open until it is answered', PATIENT, async () => {
  const holdpoint = connect({ url: bed.server.url, token: bed.server.token });
  const asked = holdpoint.ask({
    id: 'where',
    question: 'Where to?',
    onComment: (text) => `You ask "${text}": to \u202estaging.`,
  });
  await expect.poll(async () => (await bed.client.asks.list({ status: 'pending' })).items, PATIENT).toHaveLength(1);
  const [ask] = (await bed.client.asks.list({ status: 'pending' })).items;
  const id = ask?.ask_id ?? '';
  expect((await bed.run(['questions', 'show', id])).stdout).toMatch(/^comments +The agent reads comments/m);
  const replied = await bed.run(['comment', id.slice(-8), 'staging', '--wait-ms', '60000']);
  expect([replied.code, replied.stdout]).toEqual([
    0,
    expect.stringMatching(/\(agent\): You ask "staging": to .*staging\./),
  ]);
  expect(replied.stdout).not.toContain('\u202e');
  const { status, comments } = await bed.client.asks.get(id);
  expect([status, comments?.map(({ role }) => role)]).toEqual(['pending', ['person', 'agent']]);
  expect((await bed.run(['questions', 'answer', id, 'prod'])).code).toBe(0);
  expect(await asked).toMatchObject({ status: 'answered', answer: 'prod' });
  expect((await bed.run(['comment', id, 'why?'])).code).toBe(4);
  holdpoint.close();
});

it('refuses to wait for an agent that reads no comments', PATIENT, async () => {
  const { ask_id } = await (await bed.work()).approval('silent');
  const refused = await bed.run(['comment', ask_id, 'why?', '--wait-ms', '5']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not told of comments')]);
  expect((await bed.client.asks.get(ask_id)).comments).toBeUndefined();
});

it('shows what agents lost by waiting, and prepares rules for what is always allowed', PATIENT, async () => {
  const work = await bed.work();
  for (const name of ['one', 'two', 'three']) {
    const { ask_id, run_id } = await work.approval(name, { tool_name: 'Bash', input: { command: 'npm test' } });
    await bed.client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'allow' }] });
  }
  const { stdout } = await bed.run(['insights', '--at-least', '3']);
  expect(stdout).toMatch(/^Agents waited +\d+/m);
  expect(stdout).toMatch(
    /^asked 3 ×, allowed 3 ×.*\n {2}3 × {2}npm test\n {2}\{"tool":"Bash","matches":\{"command":\["npm test"\]\}/m,
  );
  const json = JSON.parse((await bed.run(['insights', '--json'])).stdout) as {
    lost_ms: number;
    always_allowed: object;
  };
  expect(json).toMatchObject({ always_allowed: { at_least: 10, suggestions: [] }, lost_ms: expect.any(Number) });
});
