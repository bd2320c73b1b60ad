// Takes the screenshots in docs/screenshots from a server of its own with sample work: light, dark and on a phone. Run it by
// hand with `npm run screenshots` when the look of the page has changed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Client, createClient } from '../../src/client/client.ts';
import { endEverything, root, startHoldpoint } from '../support/process.ts';
import { findChromium } from './chromium.ts';
import { work } from './sample-work.ts';

/** Until fonts and the highlighter are loaded. */
const LOADED_MS = 800;
const folder = join(root, 'docs', 'screenshots');
mkdirSync(folder, { recursive: true });
const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium found');

const server = await startHoldpoint({ via: 'main' });
const client = createClient({ url: server.url, token: server.token });
const browser = await chromium.launch({ executablePath });
try {
  const asks = await work(client);
  const light = await signedIn(client, { colorScheme: 'light' });
  await show(light, `/asks/${asks.edit}`, 'inbox-light');
  await show(light, `/asks/${asks.group}`, 'group-light', async () => {
    await light.getByRole('button', { name: /similar requests/ }).click();
  });
  const dark = await signedIn(client, { colorScheme: 'dark' });
  await show(dark, `/asks/${asks.target}`, 'inbox-dark');
  await show(dark, `/asks/${asks.hidden}`, 'hidden-characters-dark');
  const phone = await signedIn(client, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  });
  await show(phone, '/', 'phone-list');
  await show(phone, `/asks/${asks.command}`, 'phone-approval');
  await demo(light);
} finally {
  await browser.close();
  await endEverything();
}

async function signedIn(api: Client, options: BrowserContextOptions): Promise<Page> {
  const size = { width: 1280, height: 800 };
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: size,
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  await page.goto((await api.signIn.offer({ name: 'lead' })).url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('listitem').first().waitFor();
  return page;
}

async function show(page: Page, path: string, name: string, prepare?: () => Promise<void>): Promise<void> {
  await page.goto(path);
  await page.getByRole('listitem').or(page.getByRole('article')).first().waitFor();
  await prepare?.();
  await page.waitForTimeout(LOADED_MS);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

async function demo(page: Page): Promise<void> {
  await page.goto('/sessions');
  await page.getByRole('button', { name: 'New run' }).last().click();
  await page.getByRole('button', { name: 'Start the demo' }).click();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByRole('button', { name: 'Allow once', exact: true }).click();
  await page.getByText('Is this a patch or a minor release?').first().waitFor();
  await page.waitForTimeout(LOADED_MS);
  await page.screenshot({ path: join(folder, 'session-light.png') });
}
