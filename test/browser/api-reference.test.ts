// Tests the API reference under its own content policy, which allows no other script and no request to another host. The
// test bed fails on violations.
import { expect, it } from 'vitest';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

describeInBrowser('the API reference', () => {
  const testBed = useTestBed();

  it('shows every route with a request to try, and its content policy blocks other scripts', async () => {
    const { page, complaints } = await testBed.signedOut();
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
    await expectComplaints({ complaints }, 'Content Security Policy');
  });

  it('gets a fresh nonce with each response, and cannot be framed', async () => {
    const { page } = await testBed.signedOut();
    const policies = [];
    for (let i = 0; i < 2; i++) policies.push((await page.request.get('/docs/')).headers()['content-security-policy']);
    expect(new Set(policies).size).toBe(2);
    expect(policies[0]).toContain(`frame-ancestors 'none'`);
  });
});
