// Tests that a click, a tap or a key decides nothing about a request that has only just come to where another one was, and
// that a screen reader, which presses buttons without keys or a pointer, decides as anyone does.
// Covers: web/src/hooks/gesture.ts, web/src/ui/group-card.tsx, web/src/pages/session.tsx, web/src/ui/palette.tsx
// Covers: web/src/ui/confirm-button.tsx
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

const NOT_SENT = 'Not sent: the page just changed';

describeInBrowser('a card that moves', () => {
  const testBed = useTestBed();

  const begin = (title: string) => beginRun(testBed.client, { title });
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).status;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** In the moment in which the text is gone from the page, presses the first button of that name. */
  const pressOnceGone = (page: Page, text: string, name: string, by: 'mouse' | 'touch') =>
    page.evaluate(
      ([gone = '', label = '', pointerType = '']) =>
        new MutationObserver((_, observer) => {
          const found = [...document.querySelectorAll<HTMLElement>('.card button')].find(({ textContent }) =>
            textContent.includes(label),
          );
          if (!found || document.querySelector('main')?.textContent.includes(gone)) return;
          observer.disconnect();
          // A finger comes from anywhere; a mouse that has not been moved is where it was.
          const at = pointerType === 'touch' ? { clientX: 300, clientY: 300 } : {};
          const how = { bubbles: true, cancelable: true, pointerType, ...at };
          found.dispatchEvent(new PointerEvent('pointerdown', how));
          found.dispatchEvent(new PointerEvent('click', { ...how, detail: 1 }));
        }).observe(document.body, { subtree: true, childList: true, characterData: true }),
      [text, name, by],
    );

  const PHONE = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
  const QUESTION = { id: 'where', question: 'Where to?', options: [{ label: 'Staging', recommended: true }] };
  const DECISIONS = {
    allow: ['Allow once'],
    deny: ['Deny', 'Deny'],
    answer: ['Answer'],
    decline: ['Decline', 'Decline'],
  };

  describe.each(Object.entries(DECISIONS))('after a decision: %s', (decision, presses) => {
    it.each([
      ['the mouse', {}],
      ['a finger', { hasTouch: true }],
      ['a finger on a phone', PHONE],
    ] as const)('decides nothing by a second press of %s', async (by, options) => {
      const run = await begin(`Next, ${decision}`);
      const question = { kind: 'question' as const, tool_call_id: 'q', questions: [QUESTION] };
      const isApproval = decision === 'allow' || decision === 'deny';
      const first = isApproval ? await run.ask('make first') : await testBed.client.asks.raise(run.run_id, question);
      const next = await run.ask('make next');
      const { page } = await testBed.signedIn('lead', options);
      await page.goto(`/asks/${first.ask_id}`);
      await button(page, presses[0] ?? '').waitFor();
      await page.waitForTimeout(MOVED_MS);
      // At the place of the last press, in the frame in which the next request can be decided.
      await page.evaluate((how) => {
        let at = {};
        document.addEventListener('click', ({ clientX, clientY, isTrusted }) => {
          if (isTrusted) at = { clientX, clientY };
        });
        const press = () => {
          const allow = [...document.querySelectorAll<HTMLButtonElement>('.card button')].find(({ textContent }) =>
            textContent.includes('Allow once'),
          );
          if (!document.querySelector('.card')?.textContent.includes('make next') || !allow || allow.disabled)
            return requestAnimationFrame(press);
          const given = {
            ...at,
            bubbles: true,
            cancelable: true,
            pointerType: how === 'the mouse' ? 'mouse' : 'touch',
          };
          allow.dispatchEvent(new PointerEvent('pointerdown', given));
          allow.dispatchEvent(new PointerEvent('click', { ...given, detail: 1 }));
          return 0;
        };
        requestAnimationFrame(press);
      }, by);
      for (const name of presses) {
        if (by === 'the mouse') await button(page, name).click();
        else await button(page, name).tap();
      }
      await page.waitForURL(`**/asks/${next.ask_id}`);
      await page.getByText(NOT_SENT).waitFor();
      await expect.poll(() => statusOf(first)).not.toBe('pending');
      expect(await statusOf(next)).toBe('pending');
      await run.end();
    });
  });

  it.each(['mouse', 'touch'] as const)('decides nothing where it replaces a group, by %s', async (by) => {
    const run = await begin('Group');
    const [kept, taken] = [await run.ask('npm run a 1'), await run.ask('npm run a 2')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${kept.ask_id}`);
    await page.getByRole('button', { name: /2 similar requests/ }).click();
    await button(page, 'Allow all 2').waitFor();
    await page.mouse.move(0, 0);
    await pressOnceGone(page, 'What you uncheck', 'Allow once', by);
    await testBed.client.asks.withdraw(taken.ask_id);
    await page.getByText(NOT_SENT).waitFor();
    expect(await statusOf(kept)).toBe('pending');
    await run.end();
  });

  it.each(['mouse', 'touch'] as const)('decides nothing where it takes the place of another, by %s', async (by) => {
    const run = await begin('Two cards');
    const [gone, stays] = [await run.ask('echo gone-first'), await run.ask('echo stays')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.session_id}`);
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(MOVED_MS);
    await pressOnceGone(page, 'echo gone-first', 'Allow once', by);
    await testBed.client.asks.withdraw(gone.ask_id);
    await page.getByText(NOT_SENT).waitFor();
    expect(await statusOf(stays)).toBe('pending');
    await button(page, 'Allow once').click();
    await expect.poll(() => statusOf(stays)).toBe('answered');
    await run.end();
  });

  it('decides nothing by a mouse that it came under, and by one that was moved there', async () => {
    const run = await begin('Shifted');
    const ask = await run.ask('echo shifted');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.session_id}`);
    await button(page, 'Allow once').waitFor();
    // The thread above it is there.
    await page.waitForTimeout(MOVED_MS);
    const allow = await button(page, 'Allow once').boundingBox();
    if (!allow) throw new Error('no button');
    await page.mouse.move(allow.x + 10, allow.y + allow.height + 60);
    await page.waitForTimeout(MOVED_MS);
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const over = ({ target, clientX, clientY }: PointerEvent) => {
            const found = (target as Element).closest('button');
            if (!found?.textContent.includes('Allow once')) return;
            found.dispatchEvent(
              new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1, clientX, clientY }),
            );
            removeEventListener('pointerover', over);
            resolve();
          };
          addEventListener('pointerover', over);
          // Something above the card grows.
          const thread = document.querySelector<HTMLElement>('.session-body');
          if (thread) thread.style.paddingTop = `${Number.parseFloat(getComputedStyle(thread).paddingTop) + 76}px`;
        }),
    );
    await page.getByText(NOT_SENT).waitFor();
    expect(await statusOf(ask)).toBe('pending');
    await page.mouse.move(0, 0);
    await button(page, 'Allow once').click();
    await expect.poll(() => statusOf(ask)).toBe('answered');
    await run.end();
  });

  it('decides nothing from the palette about a request that came while the palette was open', async () => {
    const run = await begin('Palette');
    const [first, next] = [await run.ask('echo first'), await run.ask('echo next')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${first.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await page.waitForTimeout(MOVED_MS);
    const opened = Promise.withResolvers<void>();
    await page.route('**/approvals', async (route) => {
      await opened.promise;
      await route.continue();
    });
    await page.keyboard.press('a');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Command, page/ }).fill('allow once');
    opened.resolve();
    await page.waitForURL(`**/asks/${next.ask_id}`);
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.type(', ');
    await page.getByRole('option', { name: /^Allow once/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was done: another request is here now').waitFor();
    expect([await statusOf(first), await statusOf(next)]).toEqual(['answered', 'pending']);
    await run.end();
  });

  it('is pressed by a screen reader like any other, also after a key was held down', async () => {
    const run = await begin('Screen reader');
    const [, , last] = [await run.ask('one'), await run.ask('two'), await run.ask('three')];
    const { page } = await testBed.signedIn('lead');
    await button(page, 'Allow once').waitFor();
    await page.waitForTimeout(MOVED_MS);
    for (let i = 0; i < 4; i++) await page.keyboard.down('j');
    await page.keyboard.up('j');
    await page.waitForURL(`**/asks/${last?.ask_id}`);
    await button(page, 'Allow once').evaluate((element) => (element as HTMLElement).click());
    await expect.poll(() => statusOf(last as AskView)).toBe('answered');
    // Two presses in a row ask, and do not end.
    await page.goto(`/sessions/${run.session_id}`);
    await button(page, 'End').evaluate(async (element) => {
      (element as HTMLElement).click();
      await new Promise(requestAnimationFrame);
      (element as HTMLElement).click();
    });
    await button(page, 'End session?').waitFor();
    expect((await testBed.client.sessions.get(run.session_id)).status).not.toBe('ended');
    await run.end();
  });
});
