// Tests the insights: which plots are shown, and their figures as tables.
// Covers: web/src/pages/insights.tsx, web/src/ui/plots.tsx, web/src/ui/always-allowed.tsx
import { expect, it } from 'vitest';
import { makeEndedAsks } from './ended-asks.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the insights page', () => {
  const testBed = useTestBed();

  it('says that there is nothing to show, and later shows every plot', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.getByRole('link', { name: 'Insights' }).click();
    await page.getByText('No requests were resolved').waitFor();
    await makeEndedAsks(testBed.client);
    await page.reload();
    await page.getByRole('figure', { name: 'Time to answer', exact: true }).waitFor();
    const figures = await page
      .getByRole('figure')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(figures).toEqual([
      'Time to answer',
      'Time to answer, over time',
      'Requests over time',
      'Agent time lost waiting',
      'By agent',
      'By project',
      'By person',
      'By tool',
      'Outcome',
      'Answered from',
      'Who decided',
    ]);
    for (const figure of await page.getByRole('figure').all())
      await figure.locator('svg.recharts-surface').last().waitFor();
  });

  it('prepares a rule for what is always allowed, and shows what it would have allowed', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', work_folder: '/shop' });
    const { run_id } = await client.runs.start(session_id, { input: {} });
    for (let n = 0; n < 10; n++) {
      const call = { tool_call_id: `call_${n}`, tool_name: 'Bash', input: { command: 'npm test' } };
      const { ask_id } = await client.asks.raise(run_id, { kind: 'approval', ...call });
      await client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'allow' }] });
    }
    const { page } = await testBed.signedIn('lead');
    await page.goto('/insights?days=1');
    const always = page.getByRole('region', { name: 'Always allowed' });
    await always.getByText('npm test asked 10 times, allowed every time').waitFor();
    await always.getByText('Show the rule').click();
    expect(await always.getByText('"action":"allow"').textContent()).toContain('"command":["npm test"]');
    await always.getByRole('link', { name: 'npm test' }).click();
    await page.waitForURL('**/history/ask_*');
    const { rules } = await client.rules.list();
    expect(rules.filter(({ source }) => source !== 'builtin')).toEqual([]);
  });

  it('shows the figures of a plot as a table', async () => {
    await makeEndedAsks(testBed.client);
    const { page } = await testBed.signedIn('lead');
    await page.goto('/insights?days=1');
    const ends = page.getByRole('figure', { name: 'Outcome' });
    await ends.getByText('As a table').click();
    const rows = await ends.getByRole('row').allInnerTexts();
    const shown = await testBed.client.insights.show();
    expect(rows.slice(1).map((row) => row.split(/\s+/).slice(0, 2))).toEqual(
      shown.by_outcome.map(({ name, count }) => [name, String(count)]),
    );
    const agents = page.getByRole('figure', { name: 'By agent' });
    await agents.getByText('As a table').click();
    const [agent] = shown.by_agent;
    await agents.getByRole('link', { name: agent?.name ?? '', exact: true }).click();
    await page.waitForURL(
      (url) => url.pathname === '/history' && url.searchParams.get('q') === `agent:"${agent?.name}"`,
    );
    await page.getByText(/^[1-9]\d* requests?/).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL('**/insights?days=7');
  });
});
