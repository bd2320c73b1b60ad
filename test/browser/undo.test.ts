// Tests when an allow that is held back leaves: not from a page that was left or suspended meanwhile, never after Undo, on
// whatever page the person is, and in time for its deadline; that Undo leads back to what was undone; and what is told where
// it was overtaken.
// Covers: web/src/hooks/undo.ts, web/src/hooks/unsent.ts, web/src/hooks/missed-notice.ts, web/src/ui/button-text.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

describeInBrowser('an allow that is held back', () => {
  const testBed = useTestBed();
  const hold = async (command: string, path: (ids: { ask_id: string; session_id: string }) => string) => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Held back' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const call = { tool_call_id: 'c', tool_name: 'Bash', input: { command } };
    const { ask_id } = await client.asks.raise(run_id, { kind: 'approval', ...call });
    const { page } = await testBed.signedIn('lead');
    await preferUndo(page);
    await page.goto(path({ ask_id, session_id }));
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await page.getByText(`Allowing: ${command}`).waitFor();
    await page
      .getByRole('button', { name: 'Undo', exact: true })
      .getByText(/^[1-4] s$/)
      .waitFor();
    return { page, ask_id, end: () => client.sessions.end(session_id) };
  };
  const preferUndo = (page: Page) =>
    page.evaluate(() => localStorage.setItem('holdpoint-preferences', '{"undo":true}'));
  const isNotSent = async (page: Page, command: string, askId: string) => {
    await page.getByText(`Not sent, because this page was suspended: ${command}`).waitFor();
    expect((await testBed.client.asks.get(askId)).status).toBe('pending');
    // The person is led to it, and decides again.
    await page.goto('/settings');
    expect(await page.getByText('Not sent').count()).toBe(0);
  };

  it('is not sent once the page was left, also when the browser brings that page back', async () => {
    const { page, ask_id, end } = await hold('make left', (ids) => `/asks/${ids.ask_id}`);
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await isNotSent(page, 'make left', ask_id);
    await end();
  });

  it('is not sent after the machine was asleep', async () => {
    const { page, ask_id, end } = await hold('make sleep', (ids) => `/asks/${ids.ask_id}`);
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 3_600_000;
    });
    await isNotSent(page, 'make sleep', ask_id);
    await end();
  });

  it('is not sent when its page is reloaded or left, which the next page in the tab tells once', async () => {
    for (const leave of ['reload', 'goto'] as const) {
      const { page, ask_id, end } = await hold(`make ${leave}`, (ids) => `/asks/${ids.ask_id}`);
      if (leave === 'reload') await page.reload();
      else await page.goto('/settings');
      const notice = page.locator('.toast').getByText(`Not sent, because the page was left too soon: make ${leave}`);
      await notice.waitFor();
      expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
      await page.goto('/rules');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(MOVED_MS);
      expect(await notice.count()).toBe(0);
      await end();
    }
  });

  it('is taken back by its key on the page of a session too', async () => {
    const { page, ask_id, end } = await hold('make session', (ids) => `/sessions/${ids.session_id}`);
    await page.keyboard.press('z');
    await page.getByText('Undone. Nothing was sent: make session').waitFor();
    expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
    await end();
  });

  const begin = (title: string) => beginRun(testBed.client, { title });
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).status;
  const allow = (page: Page) => page.getByRole('button', { name: /^Allow (once|now)/ });
  const withPause = async (name: string) => {
    const visitor = await testBed.signedIn(name);
    await preferUndo(visitor.page);
    return visitor;
  };
  const open = async (page: Page, { ask_id }: AskView) => {
    await page.goto(`/asks/${ask_id}`);
    await allow(page).waitFor();
    await page.waitForTimeout(MOVED_MS);
  };

  const isInCard = (page: Page) =>
    page.evaluate(() => document.activeElement?.closest('.card')?.getAttribute('aria-label'));

  it('leads back to the request that was undone, which the next decision is about', async () => {
    const run = await begin('Back');
    const [first, second] = [await run.ask('make first'), await run.ask('make second')];
    const { page } = await withPause('lead');
    await open(page, first);
    await page.keyboard.press('a');
    await page.waitForURL(`**/asks/${second.ask_id}`);
    await page.keyboard.press('z');
    await page.waitForURL(`**/asks/${first.ask_id}`);
    // Meant for the request that was on the screen.
    await page.keyboard.press('d');
    await page.getByText('The list just changed. Check, then press again.').waitFor();
    await page.getByText('Undone. Nothing was sent: make first').waitFor();
    expect(await isInCard(page)).toBe('Request');
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('d');
    await page.keyboard.type('use the cache');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => statusOf(first)).toBe('answered');
    expect((await testBed.client.asks.get(first.ask_id)).answer).toMatchObject({
      behavior: 'deny',
      reason: 'use the cache',
    });
    expect(await statusOf(second)).toBe('pending');
    await run.end();
  });

  it('leads back from another page too, by the button of its toast', async () => {
    const run = await begin('Elsewhere');
    const first = await run.ask('make first');
    await run.ask('make second');
    const { page } = await withPause('lead');
    await page.goto(`/asks/${first.ask_id}?sort=newest`);
    await allow(page).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL(`**/asks/${first.ask_id}?sort=newest`);
    await expect.poll(() => isInCard(page)).toBe('Request');
    expect(await statusOf(first)).toBe('pending');
    await run.end();
  });

  it('lets the person go on while the allow of a group is held back', async () => {
    const run = await begin('Held group');
    const asks = [await run.ask('npm run a 1'), await run.ask('npm run a 2')];
    const next = await run.ask('make next');
    const { page } = await withPause('lead');
    await open(page, asks[0] as AskView);
    await page.getByRole('button', { name: /2 similar requests/ }).click();
    await page.getByRole('button', { name: /^Allow all 2/ }).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: /^Allow all 2/ }).click();
    await page.waitForURL(`**/asks/${next.ask_id}`, { timeout: 2000 });
    await page.getByText('Allowing: 2 requests').waitFor();
    for (const ask of asks) await expect.poll(() => statusOf(ask)).toBe('answered');
    expect(await statusOf(next)).toBe('pending');
    expect(new URL(page.url()).pathname).toBe(`/asks/${next.ask_id}`);
    await run.end();
  });

  it('is not sent when a box of its group is changed meanwhile, and is sent as it was checked last', async () => {
    const run = await begin('Changed group');
    const asks = [await run.ask('npm run a 1'), await run.ask('npm run a 2'), await run.ask('npm run a 3')];
    const { page } = await withPause('lead');
    await open(page, asks[0] as AskView);
    await page.getByRole('button', { name: /3 similar requests/ }).click();
    await page.getByRole('button', { name: /^Allow all 3/ }).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: /^Allow all 3/ }).click();
    await page.getByText('Allowing: 3 requests').waitFor();
    await page.getByRole('checkbox', { name: 'npm run a 3' }).uncheck();
    await page.getByText('Not sent, because you changed it: 3 requests').waitFor();
    expect(await page.getByText('Allowing: 3 requests').count()).toBe(0);
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: /^Allow 2 of 3/ }).click();
    await page.getByText('Allowing: 2 requests').waitFor();
    // Opened again from the third, what is held back is decided only once.
    await page.waitForURL(`**/asks/${asks[2]?.ask_id}`);
    await page.getByRole('button', { name: /3 similar requests/ }).click();
    await page.getByRole('button', { name: /^Allow 1 of 3/ }).waitFor();
    await expect.poll(() => statusOf(asks[0] as AskView)).toBe('answered');
    expect(await statusOf(asks[1] as AskView)).toBe('answered');
    expect(await statusOf(asks[2] as AskView)).toBe('pending');
    await run.end();
  });

  it('is not sent when its edit is changed meanwhile, and is sent as it was on the screen last', async () => {
    const run = await begin('Changed edit');
    const ask = await run.ask('make one');
    const { page } = await withPause('lead');
    const edited = page.getByRole('button', { name: /^Allow as edited/ });
    const field = page.getByLabel('Edit command');
    await page.goto(`/sessions/${run.session_id}`);
    await page.getByRole('button', { name: /^Edit/ }).click();
    await field.fill('make two');
    await page.waitForTimeout(MOVED_MS);
    await edited.click();
    await page.getByText('Allowing: make two').waitFor();
    await field.fill('make three');
    await page.getByText('Not sent, because you changed it: make two').waitFor();
    expect(await page.getByText('Allowing: ').count()).toBe(0);
    await edited.click();
    await page.getByText('Allowing: make three').waitFor();
    // So does what closes the field.
    await page.keyboard.press('Escape');
    await page.getByText('Not sent, because you changed it: make three').waitFor();
    await page.keyboard.press('e');
    expect(await field.inputValue()).toBe('make three');
    expect(await statusOf(ask)).toBe('pending');
    await edited.click();
    await expect.poll(() => statusOf(ask)).toBe('answered');
    expect((await testBed.client.asks.get(ask.ask_id)).answer).toMatchObject({
      updated_input: { command: 'make three' },
    });
    await run.end();
  });

  it('opens an undone group again, with what was left out of it still left out', async () => {
    const run = await begin('Group');
    const asks = [await run.ask('npm run a 1'), await run.ask('npm run a 2'), await run.ask('npm run a 3')];
    const { page } = await withPause('lead');
    await open(page, asks[0] as AskView);
    await page.getByRole('button', { name: /3 similar requests/ }).click();
    await page.getByRole('checkbox', { name: 'npm run a 2' }).uncheck();
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: 'Allow 2 of 3' }).click();
    await page.getByText('Allowing: 2 requests').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.waitForURL('**/sessions');
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Allow 2 of 3' }).waitFor();
    await page.getByText('Undone. Nothing was sent: 2 requests').waitFor();
    await expect.poll(() => isInCard(page)).toBe('Similar requests');
    expect(await page.getByRole('checkbox', { name: 'npm run a 2' }).isChecked()).toBe(false);
    for (const ask of asks) expect(await statusOf(ask)).toBe('pending');
    await run.end();
  });

  it('sends an allow at once where the request would expire meanwhile, and the button says so', async () => {
    const run = await begin('Due');
    const due = await run.ask('make due', { expires_after_ms: 600_000 });
    const { page } = await withPause('lead');
    await page.clock.setSystemTime((due.expires_at_ms ?? 0) - 600_000);
    await open(page, due);
    const room = await allow(page).boundingBox();
    expect(await allow(page).textContent()).toContain('Allow once');
    await page.clock.setSystemTime((due.expires_at_ms ?? 0) - 2000);
    await page.getByRole('button', { name: /^Allow now/ }).waitFor();
    expect(await allow(page).boundingBox()).toEqual(room);
    await allow(page).click();
    await page.getByText('Allowed: make due').waitFor();
    expect(await page.getByText('Allowing:').count()).toBe(0);
    expect(await statusOf(due)).toBe('answered');
    await run.end();
  });

  it('says that an allow came too late where the request expired first, and never that nobody decided', async () => {
    const run = await begin('Late');
    const { page, complaints } = await withPause('lead');
    // The clock of this computer is slow, so that the page does not know how near the deadline is.
    await page.clock.setSystemTime(Date.now() - 3_600_000);
    const inTime = async (expires_after_ms: number): Promise<boolean> => {
      const late = await run.ask(`make late ${expires_after_ms}`, { expires_after_ms });
      await page.route(`**/v1/runs/${run.run_id}/approvals`, async (route) => {
        await expect.poll(() => statusOf(late), { timeout: expires_after_ms + 10_000 }).toBe('expired');
        await route.continue();
      });
      await page.goto(`/asks/${late.ask_id}`);
      const isAllowed = allow(page)
        .waitFor()
        .then(() => page.waitForTimeout(MOVED_MS))
        .then(() => allow(page).click({ timeout: expires_after_ms }));
      await isAllowed.catch(() => {});
      const isHeld = await page.getByText('Allowing: make late').isVisible();
      await expect.poll(() => statusOf(late), { timeout: expires_after_ms + 10_000 }).toBe('expired');
      return isHeld;
    };
    // A slow machine gets a later deadline.
    let expiresAfterMs = 5000;
    while (!(await inTime(expiresAfterMs))) expiresAfterMs *= 2;
    await page.getByText(/Expired at .* Your decision came too late and was not applied/).waitFor();
    expect(await page.getByText('Allowing:').count()).toBe(0);
    expect(await page.getByText(`decided: make late ${expiresAfterMs}`).count()).toBe(0);
    complaints.splice(0);
    await run.end();
  });

  it('says who was first while an allow waits and the page has gone on', async () => {
    const run = await begin('Overtaken');
    const [first, second] = [await run.ask('make first'), await run.ask('make second')];
    const { page } = await withPause('lead');
    // Long enough for the other person on any machine.
    await page.clock.install();
    await open(page, first);
    await allow(page).click();
    await page.getByText('Allowing: make first').waitFor();
    await page.waitForURL(`**/asks/${second.ask_id}`);
    await page.clock.pauseAt(Date.now() + 1000);
    await testBed.client.approvals.decideRun(run.run_id, {
      resolutions: [{ request_id: first.ask_id, behavior: 'deny' }],
    });
    await page.clock.runFor(200);
    const notice = page.locator('.toast').filter({ hasText: 'Denied by operator through the API' });
    await notice.getByText('You were second, so your decision was not applied. make first').waitFor();
    expect(await page.getByText('Allowing:').count()).toBe(0);
    await page.clock.runFor(60_000);
    await notice.waitFor();
    await page.clock.resume();
    await notice.getByRole('link', { name: 'Show' }).click();
    await page.waitForURL(`**/asks/${first.ask_id}`);
    await page.getByRole('region', { name: 'How it ended' }).getByText('Denied by operator').waitFor();
    await page.getByRole('alert').getByText('You were second').waitFor();
    expect(await notice.count()).toBe(0);
    await run.end();
  });
});
