// Tests text of an agent that attacks the page: HTML, scripts, links, terminal codes, invisible and bidirectional characters,
// half a megabyte. None of it runs, all of it is visible, and the page stays usable.
// Covers: web/src/ui/text.tsx, web/src/ui/markdown.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const HTML =
  '<img src=x onerror="window.owned=1"><script>window.owned=1</script><a href="javascript:window.owned=1">x</a>';
const NASTY = `${HTML} \u202e\u2066gnirts\u2069 \u200b\u0007\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007`;
const MARKDOWN = `${NASTY}\n\n[click](javascript:window.owned=1) ![x](http://evil.example/x.png) <iframe src=//evil.example>`;
const LONG_TEXT = 'x'.repeat(480_000);

/** Laying out half a million characters takes a browser long on a busy machine. */
const LONG_WAIT_MS = 240_000;

const isOwned = (page: Page) => page.evaluate(() => 'owned' in window);

describeInBrowser('hostile text', () => {
  const testBed = useTestBed();

  it('finding 2: shows a plan that would overflow the Markdown parser to the letter, and keeps the inbox working', async () => {
    const nested = '- > '.repeat(2000);
    const plan = { do: 'approve', tool_name: 'ExitPlanMode', input: { plan: nested }, reason: nested } as const;
    const run = await playMock(testBed.client, { ...plan, id: 'plan' });
    await run.ask('plan');
    const { page, complaints } = await testBed.signedIn('lead');
    await page.getByRole('button', { name: 'Deny', exact: true }).first().waitFor();
    expect(await page.getByText('This page is broken').count()).toBe(0);
    expect(await page.getByRole('article').getByText('- > - > - >').count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(await run.received('plan')).toContain('denied');
  });

  it('shows hostile text in an approval to the letter, and runs none of it', async () => {
    const run = await playMock(testBed.client, {
      do: 'approve',
      id: 'hostile',
      tool_name: `Bash${HTML}`,
      input: { command: NASTY, [HTML]: NASTY },
      reason: NASTY,
      diff: `--- a/${HTML}\n+++ b/${HTML}\n@@ -1 +1 @@\n-${NASTY}\n+${NASTY}`,
    });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${(await run.ask('hostile')).ask_id}`);
    await page.getByText('hidden characters').first().waitFor();
    const marks = await page.locator('.hidden-character').allTextContents();
    expect(marks).toEqual(expect.arrayContaining(['U+202E', 'U+200B', 'U+0007', 'U+001B']));
    expect(await page.locator('article img, article script, article iframe').count()).toBe(0);
    expect(await isOwned(page)).toBe(false);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(await run.received('hostile')).toBe('answered: approval denied');
  });

  it('runs nothing of hostile text in a question or an output', async () => {
    const run = await playMock(
      testBed.client,
      { do: 'say', text: MARKDOWN },
      { do: 'say', type: 'tool_result', text: NASTY },
      {
        do: 'ask',
        id: 'hostile',
        questions: [
          { id: 'q', header: HTML, question: NASTY, options: [{ label: NASTY, description: HTML, preview: HTML }] },
        ],
      },
    );
    await run.ask('hostile');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByRole('article').waitFor();
    await page.locator('.markdown').first().waitFor();
    expect(await page.locator('main img, main script, main iframe, main a[href^=javascript]').count()).toBe(0);
    expect(await isOwned(page)).toBe(false);
    await page.getByRole('radio').first().check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.received('hostile')).toContain('answered: ');
  });

  it('truncates an input of half a megabyte, and shows it whole before it can be allowed', {
    timeout: LONG_WAIT_MS,
  }, async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'long' } });
    const content = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n');
    const input = { command: `echo ${LONG_TEXT}`, file_path: 'long.txt', content };
    const ask = { kind: 'approval', tool_call_id: 'long', tool_name: 'Bash', input } as const;
    const { ask_id } = await testBed.client.asks.raise(run_id, ask);
    const { page } = await testBed.signedIn('lead');
    page.setDefaultTimeout(LONG_WAIT_MS);
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Show the other 460,005 characters' }).waitFor();
    await page.getByRole('button', { name: 'Show the other 4,400 lines' }).waitFor();
    await page.getByRole('button', { name: 'Show all of it', exact: true }).click();
    await page.getByText('This is all of it.').waitFor();
    expect(await page.getByRole('button', { name: 'Read to the end to allow' }).isDisabled()).toBe(true);
    await testBed.client.sessions.end(session_id);
  });
});
