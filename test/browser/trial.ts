// Lets a person or a program that knows only the page decide thirty mixed requests, five of them traps, step by step:
//   node test/browser/trial.ts start FOLDER [phone]     a server, a browser and the requests, until it is stopped
//   node test/browser/trial.ts FOLDER look              a screenshot; every step ends with one
//   node test/browser/trial.ts FOLDER click X Y         a click, on a phone a tap
//   node test/browser/trial.ts FOLDER press KEY         j, Enter, Control+k
//   node test/browser/trial.ts FOLDER type TEXT         into the field that has the focus
//   node test/browser/trial.ts FOLDER scroll X Y DOWN   pixels
//   node test/browser/trial.ts FOLDER back              of the browser
//   node test/browser/trial.ts FOLDER report            every request, what was decided, and what a careful person decides
// Run by hand; not part of `npm test`.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { type Client, createClient } from '../../src/client/client.ts';
import { endEverything, startHoldpoint } from '../support/process.ts';
import { findChromium } from './chromium.ts';
import { EXPIRING, type RaisedRequest, raiseExpiring, raiseTrial } from './trial-requests.ts';

const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
/** Until the page has drawn what a step did. */
const DRAWN_MS = 700;
const WATCH_MS = 300;
/** How long a request is looked at before somebody else answers it. */
const LOOKED_AT_MS = 4000;

const [first = '', second = '', ...rest] = process.argv.slice(2);
if (first === 'start' && second !== '') await serve(second, rest[0] === 'phone' ? 'phone' : 'desktop');
else if (second !== '') await step(first, [second, ...rest]);
else throw new Error('Usage: node test/browser/trial.ts start FOLDER [phone], or FOLDER STEP …');

async function step(folder: string, words: readonly string[]): Promise<void> {
  const url = readFileSync(join(folder, 'address'), 'utf8');
  const reply = await fetch(url, { method: 'POST', body: JSON.stringify(words) });
  console.log(await reply.text());
}

async function serve(folder: string, size: keyof typeof SIZES): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium found');
  const server = await startHoldpoint({ via: 'main' });
  const client = createClient({ url: server.url, token: server.token });
  const browser = await chromium.launch({ executablePath });
  const requests = await raiseTrial(client, join(folder, 'work'));
  const context = await browser.newContext({ baseURL: server.url, ...SIZES[size] });
  const page = await context.newPage();
  await page.goto((await client.signIn.offer({ name: 'lead' })).url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('listitem').first().waitFor();
  const watching = setInterval(() => void spring(client, page, folder, requests).catch(() => {}), WATCH_MS);
  let pictures = 0;
  const act = async (words: readonly string[]): Promise<string> => {
    if (words[0] === 'report') return report(client, requests);
    const problem = await perform(page, size, words);
    await page.waitForTimeout(DRAWN_MS);
    const path = join(folder, `${String(++pictures).padStart(3, '0')}.png`);
    await page.screenshot({ path });
    appendFileSync(join(folder, 'steps'), `${new Date().toISOString()} ${words.join(' ')} -> ${path}\n`);
    return `${problem ?? 'done'}\n${path}`;
  };
  let queue: Promise<unknown> = Promise.resolve();
  const control = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      queue = queue
        .then(() => act(JSON.parse(body) as string[]))
        .then(
          (text) => response.end(text),
          (error: unknown) => response.end(`not done: ${String(error)}`),
        );
    });
  });
  control.listen(0, '127.0.0.1', () => {
    const address = control.address();
    if (address && typeof address === 'object') {
      writeFileSync(join(folder, 'address'), `http://127.0.0.1:${address.port}/`);
      console.log(`ready: ${requests.length + 1} requests in ${folder}`);
    }
  });
  process.once('SIGTERM', () => {
    clearInterval(watching);
    control.close();
    void browser.close().then(endEverything);
  });
}

async function perform(
  page: Page,
  size: keyof typeof SIZES,
  [name, ...words]: readonly string[],
): Promise<string | undefined> {
  const [x = 0, y = 0, down = 0] = words.map(Number);
  if (name === 'look') return undefined;
  if (name === 'click') await (size === 'phone' ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
  else if (name === 'press') await page.keyboard.press(words[0] ?? '');
  else if (name === 'type') await page.keyboard.insertText(words.join(' '));
  else if (name === 'back') await page.goBack();
  else if (name === 'scroll') {
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, down);
  } else return `There is no step “${name}”: look, click X Y, press KEY, type TEXT, scroll X Y DOWN, back.`;
  return undefined;
}

const OWN_CALL = /^(?:call\d+|expiring)$/;
let lookedAtMs: number | undefined;
let isRaising = false;

/** Raises what expires once enough is decided, and answers the one that the person is looking at. */
async function spring(client: Client, page: Page, folder: string, requests: RaisedRequest[]): Promise<void> {
  const taken = requests.find(({ trap }) => trap === 'answered elsewhere');
  if (taken && page.url().includes(taken.askId)) {
    lookedAtMs ??= Date.now();
    if (Date.now() - lookedAtMs > LOOKED_AT_MS) await answerElsewhere(client, taken);
  }
  const ended = (await client.asks.list({ status: 'ended', limit: 100 })).items;
  // An agent of this trial's own has no program that would acknowledge its answers.
  for (const { ask_id, delivery, tool_call_id } of ended)
    if (delivery.state === 'due' && OWN_CALL.test(tool_call_id)) await client.asks.delivered(ask_id);
  if (isRaising || ended.length < EXPIRING.afterDecisions) return;
  isRaising = true;
  requests.push(await raiseExpiring(client, join(folder, 'work')));
}

async function answerElsewhere(client: Client, { askId }: RaisedRequest): Promise<void> {
  const ask = await client.asks.get(askId);
  if (ask.status !== 'pending') return;
  const resolutions = [{ request_id: askId, behavior: 'deny' as const, reason: 'The browsers are not installed here' }];
  await client.approvals.decideRun(ask.run_id, { resolutions });
}

async function report(client: Client, requests: readonly RaisedRequest[]): Promise<string> {
  const lines: string[] = [];
  for (const { askId, expected, trap, ask } of requests) {
    const { status, answer } = await client.asks.get(askId);
    const what = ask.kind === 'approval' ? JSON.stringify(ask.input).slice(0, 90) : ask.questions[0]?.question;
    const decided = [answer?.behavior ?? status, answer && `by ${answer.answered_by}`, answer?.reason].filter(Boolean);
    lines.push([expected, trap && `TRAP ${trap}`, decided.join(' '), what].filter(Boolean).join(' | '));
  }
  const known = new Set(requests.map(({ askId }) => askId));
  for (const ask of (await client.asks.list({ limit: 100 })).items)
    if (!known.has(ask.ask_id))
      lines.push(`deny | TRAP swapped file, asked again | ${ask.answer?.behavior ?? ask.status} | ${ask.tool_call_id}`);
  return lines.join('\n');
}
