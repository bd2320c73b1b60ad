// A real server, a real Chromium and signed-in people for the tests of the page. Each file has its own server on a free
// port with a temporary folder. Whatever a page complains about (console errors, uncaught exceptions, breaches of the
// content policy, requests to other hosts) fails the test that opened it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { endEverything, type Holdpoint, root, type StartOptions, startHoldpoint } from '../support/process.ts';
import { findChromium, NO_BROWSER } from './chromium.ts';

const PATIENCE_MS = 30_000;
const executablePath = findChromium();
const builder = join(root, 'scripts', 'build-web.mjs');
if (!executablePath) console.warn(NO_BROWSER);

/** `describe`, where there is a browser; otherwise its tests are reported as skipped. */
export const describeInBrowser = describe.skipIf(!executablePath);

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What the page complained about so far. A test that provokes a complaint empties it. */
  complaints: string[];
}

export interface TestBed {
  readonly server: Holdpoint;
  /** The server's API as the operator, for what agents and other people do meanwhile. */
  readonly client: Client;
  /** Somebody who has signed in through a link and sees the inbox. */
  person(name: string, options?: BrowserContextOptions): Promise<Visitor>;
  /** A browser that has not signed in. */
  stranger(options?: BrowserContextOptions): Promise<Visitor>;
  /** Stops the server and starts it again on the same port and folder. */
  restart(signal?: 'SIGTERM' | 'SIGKILL', whileAway?: () => Promise<void>): Promise<void>;
}

/** Call it inside `describeInBrowser`; the test bed is there while its tests run. */
export function useTestBed(options: StartOptions = {}): TestBed {
  let browser: Browser;
  let server: Holdpoint;
  const open: Visitor[] = [];
  const clientOf = (h: Holdpoint) => createClient({ url: h.url, token: h.token, surface: 'api' });

  beforeAll(async () => {
    // Does nothing when the page is built from what is there now.
    execFileSync(process.execPath, [builder], { stdio: ['ignore', 'ignore', 'inherit'] });
    [browser, server] = await Promise.all([
      chromium.launch({ ...(executablePath && { executablePath }), headless: true }),
      startHoldpoint({ via: 'main', ...options }),
    ]);
  });
  afterEach(async () => {
    const visitors = open.splice(0);
    const complaints = visitors.flatMap((visitor) => visitor.complaints);
    await Promise.all(visitors.map(({ context }) => context.close()));
    expect(complaints, 'what the pages complained about').toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await endEverything();
  });

  const stranger = async (contextOptions?: BrowserContextOptions): Promise<Visitor> => {
    const context = await browser.newContext({ baseURL: server.url, ...contextOptions });
    // Below a test's own limit, so that what was waited for is named.
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const visitor = { page, context, complaints: complaintsOf(page, server.url) };
    open.push(visitor);
    return visitor;
  };

  return {
    get server() {
      return server;
    },
    get client() {
      return clientOf(server);
    },
    stranger,
    async person(name, contextOptions) {
      const visitor = await stranger(contextOptions);
      const { url } = await clientOf(server).signIn.offer({ name });
      await visitor.page.goto(url);
      await visitor.page.getByRole('button', { name: 'Sign in' }).click();
      // The address changes a moment before the page is there and takes keys.
      await visitor.page.getByRole('navigation', { name: 'Main' }).waitFor();
      return visitor;
    },
    async restart(signal = 'SIGTERM', whileAway) {
      await server.end(signal);
      await whileAway?.();
      const { port } = new URL(server.url);
      server = await startHoldpoint({ via: 'main', ...options, data: server.data, args: ['--port', port] });
    },
  };
}

/** The browser itself notes refused requests, a moment later; those that were meant to be are taken off the list. */
export async function complained({ complaints }: Pick<Visitor, 'complaints'>, ...texts: string[]): Promise<void> {
  await expect.poll(() => [...complaints]).toEqual(texts.map((text) => expect.stringContaining(text)));
  complaints.splice(0);
}

function complaintsOf(page: Page, url: string): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(`${url}/`) && !to.startsWith('data:') && !to.startsWith('blob:'))
      complaints.push(`request to another host: ${to}`);
  });
  return complaints;
}
