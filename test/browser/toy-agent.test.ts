// Tests that the page offers an agent that it has never heard of, with its settings, from what GET /v1/agents describes.
// Covers: web/src/ui/run-settings.tsx
import { expect, it } from 'vitest';
import { TOY_ENVIRONMENT } from '../agents/toy/environment.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the toy agent on the page', () => {
  const testBed = useTestBed({ env: TOY_ENVIRONMENT });

  it('is offered with its settings, and a choice becomes the input of its run', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    await page.locator('#run-agents option[value=toy]').waitFor({ state: 'attached' });
    await page.getByLabel('Task').fill('play');
    await page.getByLabel('Agent', { exact: true }).fill('toy');
    await page.getByLabel('Mood').selectOption('bold');
    await page.getByRole('dialog').getByText('It asks nothing.').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/'));
    const session_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [run] = (await testBed.client.runs.list({ session_id })).items;
    expect(await testBed.client.runs.input(run?.run_id ?? '')).toEqual({ text: 'play', mood: 'bold' });
  });
});
