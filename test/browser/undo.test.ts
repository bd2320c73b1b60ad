// Tests when an allow that is held back leaves: not from a page that was left or suspended meanwhile, and never after Undo,
// on whatever page the person is.
// Covers: web/src/hooks/undo.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const MOVED_MS = 400;

describeInBrowser('an allow that is held back', () => {
  const testBed = useTestBed();
  const hold = async (command: string, path: (ids: { ask_id: string; session_id: string }) => string) => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Held back' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const call = { tool_call_id: 'c', tool_name: 'Bash', input: { command } };
    const { ask_id } = await client.asks.raise(run_id, { kind: 'approval', ...call });
    const { page } = await testBed.signedIn('lead');
    await page.evaluate(() => localStorage.setItem('holdpoint-preferences', '{"undo":true}'));
    await page.goto(path({ ask_id, session_id }));
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await page.getByText(`Allowing: ${command}`).waitFor();
    return { page, ask_id, end: () => client.sessions.end(session_id) };
  };
  const isNotSent = async (page: Page, command: string, askId: string) => {
    await page.getByText(`Not sent, because this page was suspended: ${command}`).waitFor();
    expect((await testBed.client.asks.get(askId)).status).toBe('pending');
    // The person is led to it, and decides again.
    await page.goto('/settings');
    expect(await page.getByText('Not sent').count()).toBe(0);
  };

  it('is not sent once the page was left, also when the browser brings that page back', async () => {
    const { page, ask_id, end } = await hold('make left', (ids) => `/asks/${ids.ask_id}`);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
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

  it('is taken back by its key on the page of a session too', async () => {
    const { page, ask_id, end } = await hold('make session', (ids) => `/sessions/${ids.session_id}`);
    await page.keyboard.press('z');
    await page.getByText('Undone. Nothing was sent.').waitFor();
    expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
    await end();
  });
});
