// Tests the list of the inbox with thousands of asks.
// Covers: web/src/pages/inbox.tsx, web/src/ui/ask-list.tsx, web/src/ui/ask-card.tsx, web/src/ui/age.tsx
// Covers: web/src/ui/search-box.tsx, web/src/hooks/row-window.ts, web/src/hooks/live-inbox.ts, web/src/hooks/clock.ts
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('a long inbox', () => {
  const testBed = useTestBed({ env: { HOLDPOINT_LIMIT_PENDING_ASKS_PER_SESSION: '0' } });
  const MANY = 5000;

  it('renders only the rows in view of five thousand asks, searches them, and adds a new one', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Many' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'ask a lot' } });
    const raise = (n: number) =>
      testBed.client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: `call_${n}`,
        tool_name: 'Bash',
        input: { command: `echo number-${n}.` },
      });
    for (let n = 0; n < MANY; n += 250) await Promise.all(Array.from({ length: 250 }, (_, i) => raise(n + i)));
    const { page } = await testBed.signedIn('lead');
    await page.getByText('5,000 waiting').waitFor();
    const rows = page.getByRole('listitem');
    expect(await rows.count()).toBeLessThan(40);
    expect(await rows.first().getAttribute('aria-setsize')).toBe('5000');
    await page.locator('.row-link[aria-current="true"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe('5000');
    await page.keyboard.press('Home');
    await expect.poll(() => rows.first().getAttribute('aria-posinset')).toBe('1');

    await page.keyboard.press('/');
    await page.keyboard.type('number-4321.');
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press('Escape');
    await raise(MANY);
    await page.getByText('5,001 waiting').waitFor();
    expect(await page.title()).toBe('(5001) Holdpoint');
  }, 180_000);
});
