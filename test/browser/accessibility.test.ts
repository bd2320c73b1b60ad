// Runs axe on every main state of the page, light and dark, and expects no serious finding.
// Covers: web/src/ui/nav.tsx, web/src/ui/brand.tsx, web/src/ui/page.tsx, web/src/ui/more.tsx, web/src/ui/dialog.tsx
// Covers: web/src/ui/help.tsx, web/src/ui/key.tsx, web/src/ui/toasts.tsx, web/src/hooks/theme.ts
// Covers: web/src/hooks/toasts.ts
import { expect, it } from 'vitest';
import { findings } from './axe.ts';
import { makeEndedAsks } from './ended-asks.ts';
import { raiseEveryAsk } from './every-ask.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('accessibility', () => {
  const testBed = useTestBed();

  it.each(['light', 'dark'] as const)(
    'has no serious finding on any page in %s',
    { timeout: 90_000 },
    async (colorScheme) => {
      const asks = await raiseEveryAsk(testBed.client);
      const { page } = await testBed.signedIn('lead', { colorScheme, reducedMotion: 'reduce' });
      for (const ask of asks) {
        await page.goto(`/asks/${ask.ask_id}`);
        await page.getByRole('article').waitFor();
        expect(await findings(page), ask.tool_call_id).toEqual([]);
      }
      await page.keyboard.press('d');
      await page.getByRole('textbox', { name: /Reason/ }).waitFor();
      expect(await findings(page), 'deny or decline').toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
      expect(await findings(page), 'help').toEqual([]);
      await page.keyboard.press('Escape');
      await page.goto(`/sessions/${asks[0]?.session_id}`);
      await page.getByRole('heading', { name: 'Runs' }).waitFor();
      expect(await findings(page), 'session').toEqual([]);
      await page.goto('/sessions');
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
      expect(await findings(page), 'sessions').toEqual([]);
      await page.getByRole('button', { name: 'Ended' }).click();
      await page.getByText('No session has ended yet').waitFor();
      expect(await findings(page), 'ended sessions').toEqual([]);
      await makeEndedAsks(testBed.client);
      await page.goto('/history');
      await page
        .getByRole('link', { name: /npm publish/ })
        .first()
        .waitFor();
      expect(await findings(page), 'history').toEqual([]);
      await page.goto('/insights?days=1');
      await page.getByRole('figure', { name: 'Who decided' }).waitFor();
      await page.getByText('As a table').first().click();
      expect(await findings(page), 'insights').toEqual([]);
    },
  );

  it('has no serious finding on a phone, signed out, and with no search results', async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const stranger = await testBed.signedOut(phone);
    await stranger.page.goto('/');
    await stranger.page.getByText('holdpoint sign-in').waitFor();
    expect(await findings(stranger.page), 'stranger').toEqual([]);
    const { page } = await testBed.signedIn('lead', phone);
    await page.getByRole('listitem').first().waitFor();
    expect(await findings(page), 'list').toEqual([]);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'More' }).waitFor();
    expect(await findings(page), 'more').toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('nothing is called like this');
    await page.getByText('Nothing matches').waitFor();
    expect(await findings(page), 'nothing found').toEqual([]);
  });
});
