// The documentation site as a reader opens it from a disk, in a browser, without a server.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
// @ts-expect-error a script without types
import { build } from '../../scripts/build-docs.mjs';
import { temporaryFolder } from '../support/process.ts';
import { findChromium } from './chromium.ts';
import { describeInBrowser } from './test-bed.ts';

describeInBrowser('the documentation site', () => {
  it('finds a section by its words, leads to it by keys, and asks no other host', async () => {
    const folder = temporaryFolder();
    build(folder);
    const browser = await chromium.launch({ executablePath: findChromium() ?? '', headless: true });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(pathToFileURL(folder).href)) complaints.push(request.url());
    });
    await page.goto(pathToFileURL(join(folder, 'index.html')).href);
    await page.keyboard.press('/');
    await page.keyboard.type('restore backup');
    await page.getByRole('link', { name: /^Operations › Restore/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/operations\.html#\w/);
    await page.keyboard.press('/');
    await page.keyboard.type('zzzz');
    await page.getByText('Nothing found').waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);
});
