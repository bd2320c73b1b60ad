// Tests the page of rules and grants: what is allowed in advance, by whom, and revoking it.
// Covers: web/src/pages/rules.tsx
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the page of rules and grants', () => {
  const testBed = useTestBed();

  it('lists grants and rules, and revokes a grant after a second press', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Granted' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const input = { command: 'git push origin' };
    const call = { kind: 'approval', tool_name: 'Bash', input } as const;
    const ask = await client.asks.raise(run_id, { ...call, tool_call_id: 'first' });
    const resolution = { request_id: ask.ask_id, behavior: 'allow' as const, always: { uses: 3 } };
    await client.approvals.decideRun(run_id, { resolutions: [resolution] });
    const { page } = await testBed.signedIn('lead');
    await page.getByRole('link', { name: 'Rules and grants' }).click();
    const grants = page.getByRole('region', { name: 'Grants' });
    await grants.getByText('git push origin').waitFor();
    await grants.getByText('Not used yet, at most 3 times').waitFor();
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByText(/built-in rules come first/).click();
    await rules.getByText('rule 1 of the built-in rules').waitFor();
    await grants.getByRole('button', { name: 'Revoke' }).click();
    await expect
      .poll(async () => {
        const sure = grants.getByRole('button', { name: 'Revoke it?' });
        if (await sure.count()) await sure.click({ timeout: 2000 }).catch(() => {});
        return (await client.grants.list()).items[0]?.is_usable;
      })
      .toBe(false);
    await grants.getByText('Nothing yet.').waitFor();
    expect(await client.asks.raise(run_id, { ...call, tool_call_id: 'second' })).toMatchObject({ status: 'pending' });
    await client.sessions.end(session_id);
  });
});
