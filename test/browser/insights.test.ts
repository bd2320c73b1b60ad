// Tests the insights: which plots are shown, and their figures as tables.
// Covers: web/src/pages/insights.tsx, web/src/ui/plots.tsx
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
      'By agent',
      'By tool',
      'Outcome',
      'Answered from',
      'Who decided',
    ]);
    for (const figure of await page.getByRole('figure').all()) await figure.locator('svg.recharts-surface').waitFor();
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
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL('**/insights?days=7');
  });
});
