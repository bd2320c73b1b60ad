// The API reference in a real browser: it works under its own content policy, which lets no other script run and nothing
// load from elsewhere. Breaches are complaints of the page, and the test bed fails on those.
import { expect, it } from 'vitest';
import { complained, describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the API reference', () => {
  const testBed = useTestBed();

  it('shows every route and a request to try, and runs no script that was not meant to', async () => {
    const { page, complaints } = await testBed.stranger();
    const response = await page.goto('/docs');
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[^']+';/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe|\*|https?:/);
    expect(await page.title()).toBe('Holdpoint API');
    await page.getByRole('heading', { name: 'Create a session, or reuse the one with this id' }).waitFor();
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole('button', { name: /Send/ }).first().waitFor();
    expect(complaints).toEqual([]);

    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.owned = 1';
      document.body.append(script);
    });
    expect(await page.evaluate(() => 'owned' in window)).toBe(false);
    await complained({ complaints }, 'Content Security Policy');
  });

  it('has another nonce each time, and is framed by nobody', async () => {
    const { page } = await testBed.stranger();
    const policies = [];
    for (let i = 0; i < 2; i++) policies.push((await page.request.get('/docs/')).headers()['content-security-policy']);
    expect(new Set(policies).size).toBe(2);
    expect(policies[0]).toContain(`frame-ancestors 'none'`);
  });
});
