// A script that is rewritten between the ask and the allow: the real Claude Code and the real Codex run nothing that was
// not shown. What was allowed then is used for nothing; the same call is asked again with the difference.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { claude, claudeVersion, codex, codexVersion } from './binaries.ts';
import { bash } from './claude-calls.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';
import { CodexTestBed, escalated } from './codex-test-bed.ts';

const STAGING = 'echo to staging\n';
const PRODUCTION = 'echo to production\n';

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: a script that changes`, () => {
  let testBed: ClaudeTestBed;
  beforeAll(async () => {
    testBed = await ClaudeTestBed.open();
  });
  afterAll(() => testBed.close());

  it('is asked again; allowed as it is now, it runs once', async () => {
    const folder = testBed.folder();
    const script = join(folder, 'deploy.sh');
    writeFileSync(script, STAGING);
    testBed.model.play([[bash('bash deploy.sh', 'toolu_f1')], [{ text: 'Done.' }]]);
    const run = await testBed.start({}, { work_folder: folder });
    const first = await testBed.ask(run);
    writeFileSync(script, PRODUCTION);
    await testBed.bed.decide(first, { behavior: 'allow' });
    const again = await testBed.ask(run);
    expect((again.request as ApprovalRequest).diff).toMatch(/-echo to staging\n\+echo to production/);
    expect(testBed.result('toolu_f1')).toBeUndefined();
    await testBed.bed.decide(again, { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_f1')).toEqual({ text: 'to production', isError: false });
    expect(await deliveries(testBed.bed.api, run.run_id)).toEqual(['undeliverable', 'delivered']);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion}: a script that changes`, () => {
  let c: CodexTestBed;
  beforeAll(async () => {
    c = await CodexTestBed.open();
  });
  afterAll(() => c.close());

  it('is asked again; denied then, it does not run', async () => {
    const folder = c.folder({ 'deploy.sh': STAGING });
    const call = { ...escalated('bash deploy.sh > ran.txt'), id: 'call_F' };
    const run = await c.start('changed-script', [[call], [{ text: 'Done.' }]], {}, folder);
    const first = await c.asked(run);
    writeFileSync(join(folder, 'deploy.sh'), PRODUCTION);
    await c.bed.decide(first, { behavior: 'allow' });
    const again = await c.asked(run);
    expect((again.request as ApprovalRequest).reason).toContain('deploy.sh has changed since this was asked');
    await c.bed.decide(again, { behavior: 'deny', reason: 'not to production' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(c.model.resultOf('changed-script', 'call_F')).toMatch(/rejected/i);
    expect(await deliveries(c.bed.api, run.run_id)).toEqual(['undeliverable', 'delivered']);
  });

  it('after another use of it was allowed is asked for, and not allowed as decided before', async () => {
    const folder = c.folder({ 'deploy.sh': STAGING });
    const rewrites = { call: 'exec_command', id: 'call_W', input: { cmd: "echo 'echo to production' > deploy.sh" } };
    const script = [
      [{ ...escalated('bash deploy.sh > ran.txt'), id: 'call_1' }],
      [rewrites],
      [{ ...escalated('bash deploy.sh --dry > ran.txt'), id: 'call_2' }],
      [{ text: 'Done.' }],
    ];
    const run = await c.start('rewritten-after', script, {}, folder);
    const instead = { command: 'bash deploy.sh --dry > ran.txt' };
    const first = await c.asked(run);
    const input = { ...(first.request as ApprovalRequest).input, ...instead };
    await c.bed.decide(first, { behavior: 'allow', updated_input: input });
    const again = await c.asked(run);
    expect(again.request).toMatchObject({ input: instead });
    await c.bed.decide(again, { behavior: 'deny' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
  });
});

async function deliveries(api: CodexTestBed['bed']['api'], run_id: string): Promise<string[]> {
  const { items } = await api.asks.list({ run_id });
  return items.map(({ delivery }) => delivery.state);
}
