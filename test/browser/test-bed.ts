// Starts a real server and a real Chromium for the tests of the page, and opens pages that are signed in or not. Each file
// has its own server on a free port with a temporary folder. A console error, an uncaught exception, a violation of the
// content policy or a request to another host fails the test whose page caused it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { endEverything, type Holdpoint, root, type StartOptions, startHoldpoint } from '../support/process.ts';
import { findChromium, NO_BROWSER } from './chromium.ts';

/** Longer than a key or a click is ignored after the page has moved by itself. */
export const MOVED_MS = 400;
/** The same for a finger. */
export const TAP_MS = 900;
/** Below the timeout of a test, so that the error names what was waited for. */
const WAIT_MS = 60_000;
const executablePath = findChromium();
const builder = join(root, 'scripts', 'build-web.mjs');
if (!executablePath) console.warn(NO_BROWSER);

/** `describe` where there is a browser; otherwise its tests are reported as skipped. */
export const describeInBrowser = describe.skipIf(!executablePath);

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What went wrong on the page so far. A test that causes a complaint on purpose removes it. */
  complaints: string[];
}

export interface TestBed {
  readonly server: Holdpoint;
  /** The server's API as the operator: for agents and for other people. */
  readonly client: Client;
  /** A page that was signed in through a link and shows the inbox. */
  signedIn(name: string, options?: BrowserContextOptions): Promise<Visitor>;
  signedOut(options?: BrowserContextOptions): Promise<Visitor>;
  /** Stops the server and starts it again on the same port and folder. */
  restart(signal?: 'SIGTERM' | 'SIGKILL', whileAway?: () => Promise<void>): Promise<void>;
}

/** Call it inside `describeInBrowser`; the test bed exists while the tests of that block run. */
export function useTestBed(options: StartOptions = {}): TestBed {
  let browser: Browser;
  let server: Holdpoint;
  const open: Visitor[] = [];
  const clientOf = (h: Holdpoint) => createClient({ url: h.url, token: h.token, surface: 'api' });

  beforeAll(async () => {
    // Does nothing when the page is up to date.
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
    expect(complaints, 'complaints of the pages').toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await endEverything();
  });

  const signedOut = async (contextOptions?: BrowserContextOptions): Promise<Visitor> => {
    const context = await browser.newContext({ baseURL: server.url, ...contextOptions });
    context.setDefaultTimeout(WAIT_MS);
    // Most tests are about what is sent, not about the pause before it; triage.test.ts switches it on.
    await context.addInitScript(sendAtOnce);
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
    signedOut,
    async signedIn(name, contextOptions) {
      const visitor = await signedOut(contextOptions);
      const { url } = await clientOf(server).signIn.offer({ name });
      await visitor.page.goto(url);
      await visitor.page.getByRole('button', { name: 'Sign in' }).click();
      // The address changes a moment before the page is rendered and handles keys.
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

function sendAtOnce(): void {
  try {
    if (localStorage.getItem('holdpoint-preferences') === null)
      localStorage.setItem('holdpoint-preferences', '{"undo":false}');
  } catch {
    // A document without storage, such as an error page of the browser.
  }
}

/** Waits for these complaints, which the test caused on purpose, and removes them. */
export async function expectComplaints({ complaints }: Pick<Visitor, 'complaints'>, ...texts: string[]): Promise<void> {
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
