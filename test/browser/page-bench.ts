// Measures the page with many waiting asks in a real browser: how long it takes from opening the address to the drawn list,
// and from a key press to the drawn selection. `node test/browser/page-bench.ts [asks]`. Prints milliseconds; its figures are never
// assertions.
import { chromium } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { endEverything, startHoldpoint } from '../support/process.ts';
import { findChromium } from './chromium.ts';

const ASKS = Number(process.argv[2] ?? 1000);
const LOADS = 5;
const PRESSES = 60;
const PER_SESSION = 100;

const at = (values: readonly number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(0);

const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium found');
const server = await startHoldpoint({ via: 'main' });
const client = createClient({ url: server.url, token: server.token });
const browser = await chromium.launch({ executablePath });
try {
  let runId = '';
  for (let i = 0; i < ASKS; i++) {
    if (i % PER_SESSION === 0) {
      const session = { agent: 'external', title: `Session ${i / PER_SESSION}`, work_folder: '/srv/shop' };
      const { session_id } = await client.sessions.create(session);
      runId = (await client.runs.start(session_id, { input: { text: 'work' } })).run_id;
    }
    const command = i % 3 === 0 ? `rm -rf build/${i}` : `npm test -- --shard=${i}`;
    const call = { tool_call_id: `${i}`, tool_name: 'Bash', input: { command }, reason: `Step ${i}` };
    await client.asks.raise(runId, { kind: 'approval', ...call });
  }
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto((await client.signIn.offer({ name: 'bench' })).url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('listitem').first().waitFor();

  const loads: number[] = [];
  for (let i = 0; i < LOADS; i++) {
    await page.goto('/', { waitUntil: 'commit' });
    const drawn = await page.waitForFunction((count) => {
      const rows = document.querySelector('[role="listitem"][aria-setsize]');
      return Number(rows?.getAttribute('aria-setsize')) >= count ? performance.now() : false;
    }, ASKS);
    loads.push(Number(await drawn.jsonValue()));
  }
  console.log(`${ASKS} asks, from opening to the drawn list: median ${at(loads, 0.5)} ms, longest ${at(loads, 1)} ms`);

  await page.locator('.card').waitFor();
  const keys: number[] = [];
  for (let i = 0; i < PRESSES; i++) {
    await page.evaluate(() => {
      addEventListener(
        'keydown',
        (event) => {
          const pressed = event.timeStamp;
          requestAnimationFrame(() => setTimeout(() => Object.assign(window, { took: performance.now() - pressed })));
        },
        { once: true, capture: true },
      );
    });
    await page.keyboard.press('j');
    const took = await page.waitForFunction(() => (window as { took?: number }).took ?? false);
    keys.push(Number(await took.jsonValue()));
    await page.evaluate(() => Object.assign(window, { took: undefined }));
  }
  console.log(`${PRESSES} presses of j, to the drawn selection: median ${at(keys, 0.5)} ms, p95 ${at(keys, 0.95)} ms`);
} finally {
  await browser.close();
  await endEverything();
}
