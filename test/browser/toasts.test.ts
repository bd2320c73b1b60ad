// Tests what is told of a decision, and where: by a neutral sign for a denial, over no row and no button, until the person
// goes on; and that a finished row stays, and offers nothing, while the list is pointed at.
// Covers: web/src/ui/toasts.tsx, web/src/hooks/toasts.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { SETTLED_SHOWN_MS } from '../../src/client/inbox-model.ts';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, TAP_MS, useTestBed } from './test-bed.ts';

const PHONE = { viewport: { width: 390, height: 600 }, isMobile: true, hasTouch: true };

describeInBrowser('what is told of a decision', () => {
  const testBed = useTestBed();
  const begin = (title: string) => beginRun(testBed.client, { title });
  const row = (page: Page, text: string) => page.locator('.row').filter({ hasText: text });
  const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const box = async (page: Page, selector: string) => {
    const found = await page.locator(selector).last().boundingBox();
    if (!found) throw new Error(`no ${selector}`);
    return { top: found.y, bottom: found.y + found.height };
  };
  const deny = async (page: Page) => {
    await button(page, 'Deny').click();
    await button(page, 'Deny').click();
  };

  it('has a neutral sign for a denial, covers no row, and leaves when another request is opened', async () => {
    const run = await begin('Denied');
    const asks = [];
    for (let n = 0; n < 14; n++) asks.push(await run.ask(`make part-${n}.`));
    const { page } = await testBed.signedIn('lead', { viewport: { width: 1280, height: 700 } });
    await page.goto(`/asks/${asks[12]?.ask_id}`);
    await button(page, 'Deny').waitFor();
    await page.waitForTimeout(MOVED_MS);
    await deny(page);
    await toast(page, 'Denied: make part-12.').waitFor();
    expect(await page.locator('.toast.good').count()).toBe(0);
    const covered = async () => (await box(page, '.rows')).bottom - (await box(page, '.toast')).top;
    await expect.poll(covered).toBeLessThanOrEqual(0);
    await page.waitForTimeout(MOVED_MS);
    await row(page, 'part-11.').click();
    await expect.poll(() => toast(page, 'Denied').count(), { timeout: 2000 }).toBe(0);
    await run.end();
  });

  it('stands beside the way back on a phone, with its Undo, and covers nothing of the next card', async () => {
    const run = await begin('Undone');
    await run.ask('make first');
    const second = await run.ask('make second');
    const { page } = await testBed.signedIn('lead', PHONE);
    await page.evaluate(() => localStorage.setItem('holdpoint-preferences', '{"undo":true}'));
    await page.reload();
    await row(page, 'make first').tap();
    await page.waitForTimeout(TAP_MS);
    await page.getByRole('button', { name: /^Allow once/ }).tap();
    await toast(page, 'Allowing: make first').waitFor();
    await page.waitForURL(`**/asks/${second.ask_id}`);
    await page.locator('div.crumbs').waitFor();
    const told = await box(page, '.toast');
    expect((await box(page, 'div.crumbs')).top).toBeGreaterThanOrEqual(told.bottom);
    const back = await button(page, 'Inbox').boundingBox();
    const toastBox = await page.locator('.toast').boundingBox();
    expect((back?.x ?? 0) + (back?.width ?? 0)).toBeLessThanOrEqual(toastBox?.x ?? 0);
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: /^Undo/ }).tap();
    await page.getByText('Undone. Nothing was sent: make first').waitFor();
    await run.end();
  });

  it('has room for the last of several messages on a phone', async () => {
    const run = await begin('Several');
    const asks = [await run.ask('make one'), await run.ask('make two'), await run.ask('make three')];
    const { page } = await testBed.signedIn('lead', PHONE);
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    for (const [at, name] of ['one', 'two'].entries()) {
      await button(page, 'Deny').waitFor();
      await page.waitForTimeout(TAP_MS);
      await button(page, 'Deny').tap();
      await button(page, 'Deny').tap();
      await page.waitForURL(`**/asks/${asks[at + 1]?.ask_id}`);
      await toast(page, `Denied: make ${name}`).waitFor();
    }
    expect(await page.locator('.toast:visible').count()).toBe(1);
    expect((await box(page, 'div.crumbs')).top).toBeGreaterThanOrEqual((await box(page, '.toast:visible')).bottom);
    await run.end();
  });

  it.each([
    ['a desktop', { viewport: { width: 1280, height: 700 } }],
    ['a phone', PHONE],
  ] as const)('covers no button, field or link on any page of %s', async (_, options) => {
    const run = await begin('Covered');
    const lines = Array.from({ length: 30 }, (__, n) => `echo ${n}`).join('\n');
    const { ask_id } = await run.ask(lines);
    await run.ask('make other');
    const { page } = await testBed.signedIn('lead', options);
    // Not the one that expires: what is told of the request on the screen does not stay.
    await page.goto(`/asks/${ask_id}`);
    await page.locator('.actions').waitFor();
    await run.ask('make expiring', { expires_after_ms: 2000 });
    await toast(page, 'Expired before anyone decided').waitFor();
    const covered = () =>
      page.locator('.toast').evaluate((shown) => {
        const { left, right, top, bottom } = shown.getBoundingClientRect();
        const found = new Set<string>();
        for (let x = left + 1; x < right; x += 10)
          for (let y = top + 1; y < bottom; y += 5)
            for (const at of document.elementsFromPoint(x, y)) {
              const control = at.closest('main :is(button, a, input, textarea, select)');
              if (control) found.add(control.outerHTML.slice(0, 90));
            }
        return [...found];
      });
    // By the links of the page: a message does not outlive a reload.
    const go = async (path: string, shown: string) => {
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await page.locator(shown).first().waitFor();
      await page.waitForTimeout(MOVED_MS);
      await expect.poll(covered, { message: path, timeout: 10_000 }).toEqual([]);
    };
    await go(`/asks/${ask_id}`, '.actions');
    await go(`/sessions/${run.session_id}`, '.composer, .composer-closed');
    await page.locator('.session-scroll').evaluate((element) => element.scrollTo(0, 300));
    await expect.poll(covered, { timeout: 10_000 }).toEqual([]);
    await go('/settings', 'h1');
    await go('/history', '.history-row');
    await go('/sessions', '.session-row');
    await go('/notifications', 'h1');
    await run.end();
  });

  it('keeps a finished row, without a box to select it, while the mouse is on the list', async () => {
    const run = await begin('Pointed at');
    for (let n = 0; n < 4; n++) await run.ask(`make part-${n}.`);
    const { page } = await testBed.signedIn('lead');
    const [first] = (await testBed.client.asks.list({ session_id: run.session_id })).items.slice(-1);
    if (!first) throw new Error('none');
    await row(page, 'part-2.').click();
    const top = async () => (await row(page, 'part-3.').boundingBox())?.y;
    await row(page, 'part-3.').hover();
    const before = await top();
    await testBed.client.approvals.decideRun(run.run_id, {
      resolutions: [{ request_id: first.ask_id, behavior: 'deny' }],
    });
    const ended = row(page, 'Denied by operator');
    await ended.waitFor();
    await page.waitForTimeout(SETTLED_SHOWN_MS + 2000);
    expect(await top()).toBe(before);
    expect(await ended.getByRole('checkbox').count()).toBe(0);
    await page.mouse.move(1000, 300);
    await expect.poll(() => ended.count()).toBe(0);
    await run.end();
  });

  it('names the tool and spells out what is hidden in the list and in messages, with paths from the folder', async () => {
    const { client } = testBed;
    const work_folder = '/srv/shop';
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Named', work_folder });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const input = { file_path: '/srv/shop/docs/for\u200bmat.md', content: '# x\n' };
    const call = { kind: 'approval', tool_call_id: 'w', tool_name: 'Write', input } as const;
    const { ask_id } = await client.asks.raise(run_id, call);
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('heading', { name: 'Write docs/forU+200Bmat.md' }).waitFor();
    await page.locator('.diff .name').getByText('docs/for').waitFor();
    const named = row(page, 'Write docs/forU+200Bmat.md');
    expect(await named.locator('.hidden-character').textContent()).toBe('U+200B');
    await page.waitForTimeout(MOVED_MS);
    await deny(page);
    await toast(page, 'Denied: Write docs/for').locator('.hidden-character').waitFor();
    await client.sessions.end(session_id);
  });

  it('ends with a short word once everything was decided, and history shows when', async () => {
    const run = await begin('All done');
    const { ask_id } = await run.ask('make last');
    const { page } = await testBed.signedIn('lead');
    await testBed.client.approvals.decideRun(run.run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
    await page.goto('/');
    await page.getByRole('heading', { name: 'All done' }).waitFor();
    expect(await page.getByText('See it happen').count()).toBe(0);
    await page.getByRole('link', { name: 'See what was decided' }).click();
    const shown = page.locator('.history-row').first();
    await shown.getByText('make last').waitFor();
    const { answer } = await testBed.client.asks.get(ask_id);
    const time = new Date(answer?.answered_at_ms ?? 0).toISOString();
    expect(await shown.locator('.history-age time').getAttribute('datetime')).toBe(time);
    await run.end();
  });

  it('marks a question for a secret in the list and on its card, where nothing invites to answer', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Secret' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const questions = [{ id: 'token', header: 'Token', question: 'Paste an npm token.', secret: true }];
    const { ask_id } = await testBed.client.asks.raise(run_id, { kind: 'question', tool_call_id: 'q', questions });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await page
      .getByRole('article')
      .getByText('Asks for a secret: what you type is encrypted and only the agent can read it')
      .waitFor();
    // Said once.
    expect(await page.getByText(/encrypted/i).count()).toBe(1);
    expect(await page.locator('fieldset').getByText('Secret', { exact: true }).count()).toBe(1);
    await row(page, 'Paste an npm token').getByText('Asks for a secret').waitFor();
    const classes = (name: string) => button(page, name).getAttribute('class');
    expect(await classes('Answer')).toBe(await classes('Decline'));
    await testBed.client.sessions.end(session_id);
  });
});
