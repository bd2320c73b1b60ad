// Tests the history: searching and filtering ended asks, the search in the address, and opening a result.
// Covers: web/src/pages/history.tsx, web/src/state/history-query.ts, web/src/ui/past-ask.tsx, web/src/ui/search-bar.tsx
// Covers: web/src/ui/ask-line.tsx
// Covers: web/src/ui/export-button.tsx, web/src/ui/query-note.tsx
// Covers: web/src/ui/search-field.tsx, web/src/ui/filters.tsx, web/src/ui/list-foot.tsx, web/src/hooks/history.ts
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { makeEndedAsks } from './ended-asks.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the history page', () => {
  const testBed = useTestBed();
  let past: AskView[];
  beforeAll(async () => {
    past = await makeEndedAsks(testBed.client);
  });

  it('lists ended asks, newest first, with who decided what', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.getByRole('link', { name: 'History' }).click();
    const rows = page.getByRole('list', { name: 'Resolved requests' }).getByRole('listitem');
    await page.getByText('3 requests').waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/Where does it go\?[\s\S]*Answered by operator through the API: Staging/);
    expect(texts[1]).toContain('never the whole disk');
    expect(texts[2]).toContain('Nightly build');
  });

  it('searches while typing, and keeps the search in the address over a reload', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history');
    await page.getByText('3 requests').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('publish');
    await page.getByText('1 request', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=publish');
    await page.reload();
    await page.getByText('1 request', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('publish');
    await page.getByRole('searchbox').fill('nobody ever said this');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('3 requests').waitFor();
  });

  it('names the parts of a search that it does not understand, as the inbox does', async () => {
    const { page } = await testBed.signedIn('lead');
    for (const address of ['/history', '/']) {
      await page.goto(`${address}?q=after:foo`);
      await page.getByText('Not understood and left out: after:foo').waitFor();
      await page.getByRole('searchbox').fill('after:2026-01-01 tool:');
      await page.getByText('Not understood and left out: tool:').waitFor();
      await page.getByRole('searchbox').fill('after:2026-01-01');
      await page.getByText('Not understood').waitFor({ state: 'detached' });
    }
  });

  it('filters by kind and outcome', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history');
    await page.getByRole('button', { name: 'Questions' }).click();
    await page.getByText('1 request', { exact: true }).waitFor();
    await page.getByLabel('Outcome').selectOption('expired');
    await page.getByText('Nothing found').waitFor();
    expect(new URL(page.url()).search).toBe('?kind=question&status=expired');
  });

  it('opens an ended ask, and goes back to the same search', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history?q=disk');
    await page.getByRole('link', { name: /rm -rf/ }).click();
    await page.waitForURL(`**/history/${past[1]?.ask_id}?q=disk`);
    await page.getByText('Denied by operator').first().waitFor();
    const nav = page.getByRole('navigation', { name: 'Main' });
    expect(await nav.getByRole('link', { name: 'History' }).getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('Escape');
    await page.getByText('1 request', { exact: true }).waitFor();
  });

  it('is read with j and k, in the list and from one request to the next', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history?kind=approval');
    await page.getByText('2 requests', { exact: true }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
    await page.keyboard.press('j');
    await expect.poll(focused).toContain(past[1]?.ask_id);
    await page.keyboard.press('j');
    await expect.poll(focused).toContain(past[0]?.ask_id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/history/${past[0]?.ask_id}?kind=approval`);
    await page.getByText('Allowed by operator').first().waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(`**/history/${past[1]?.ask_id}?kind=approval`);
    await page.getByText('never the whole disk').waitFor();
  });

  it('exports what a search finds', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history?q=publish');
    await page.getByText('1 request', { exact: true }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as JSON' }).click(),
    ]);
    const asks = JSON.parse(await readFile(await file.path(), 'utf8')) as AskView[];
    expect(asks.map(({ ask_id }) => ask_id)).toEqual([past[0]?.ask_id]);
  });

  it('fetches older asks on request', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external' });
    const { run_id } = await client.runs.start(session_id, { input: {} });
    const asks = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        client.asks.raise(run_id, {
          kind: 'approval',
          tool_call_id: `n${i}`,
          tool_name: 'Read',
          input: { file: `f${i}` },
        }),
      ),
    );
    const resolutions = asks.map((ask) => ({ request_id: ask.ask_id, behavior: 'allow' as const }));
    await client.approvals.decideRun(run_id, { resolutions });
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history');
    await page.getByText(/^50 requests back to/).waitFor();
    await page.getByRole('button', { name: 'Further back' }).click();
    await page.getByText('63 requests', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Further back' }).count()).toBe(0);
  });

  it('names the tool, shortens paths and marks hidden characters as the inbox does, in the thread too', async () => {
    const { client } = testBed;
    const folder = '/srv/shop';
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Files', work_folder: folder });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const decide = async (tool_name: string, input: Record<string, unknown>) => {
      const { ask_id } = await client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: tool_name,
        tool_name,
        input,
      });
      await client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
    };
    await decide('Write', { file_path: `${folder}/docs/a.md`, content: 'x' });
    await decide('Read', { file_path: `${folder}/docs/a.md` });
    await decide('Bash', { command: 'node for\u200bmat.js' });
    const { page } = await testBed.signedIn('lead');
    await page.goto('/history?q=session:Files');
    const shown = page.locator('.history-what');
    await expect
      .poll(() => shown.allTextContents())
      .toEqual(['node forU+200Bmat.js', 'Read docs/a.md', 'Write docs/a.md']);
    expect(await shown.locator('.hidden-character').allTextContents()).toEqual(['U+200B']);
    await page.goto(`/sessions/${session_id}`);
    const receipts = page.locator('.receipt a');
    await expect
      .poll(() => receipts.allTextContents())
      .toEqual(['Write docs/a.md', 'Read docs/a.md', 'node forU+200Bmat.js']);
    expect(await receipts.locator('.hidden-character').allTextContents()).toEqual(['U+200B']);
    await client.sessions.end(session_id);
  });
});
