// Tests when a page reports that a person has seen an ask: all of it was in view for a moment, in a visible window and
// uncovered. Others are shown it, and no page refetches anything because of it.
// Covers: web/src/ui/seen-by.tsx, web/src/hooks/sighting.ts
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('sightings', () => {
  const testBed = useTestBed();
  const raised = async (title: string, ...commands: string[]) => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const ids: string[] = [];
    for (const [n, command] of commands.entries()) {
      const body = { kind: 'approval', tool_call_id: `call-${n}`, tool_name: 'Bash', input: { command } } as const;
      ids.push((await client.asks.raise(run_id, body)).ask_id);
    }
    return { sessionId: session_id, ids, end: () => client.sessions.end(session_id) };
  };
  const seenBy = async (id = '') =>
    (await testBed.client.asks.get(id)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);
  const cardOf = (page: Page) => page.getByRole('article', { name: 'Request' });
  /** Longer than an ask has to be in view. */
  const aMoment = (page: Page) => page.waitForTimeout(1000);

  /** Records the requests of a page; `calm` resolves when none but the stream is in flight and none was started for a moment. */
  const trafficOf = (page: Page) => {
    const started: string[] = [];
    const inFlight = new Set<Request>();
    page.on('request', (request) => {
      started.push(`${request.method()} ${new URL(request.url()).pathname}`);
      if (!isStream(request)) inFlight.add(request);
    });
    page.on('requestfinished', (request) => inFlight.delete(request));
    page.on('requestfailed', (request) => inFlight.delete(request));
    const calm = async () => {
      for (let before = -1; inFlight.size > 0 || before !== started.length; ) {
        before = started.length;
        await aMoment(page);
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      }
    };
    return { started, calm };
  };
  const isStream = (request: Request) => request.headers().accept === 'text/event-stream';

  /** Half a screen at a time, each for longer than a part has to be in view. */
  const readOn = async (page: Page) => {
    const card = page.locator('.card-scroll');
    const { height, screen } = await card.evaluate(({ scrollHeight, clientHeight }) => ({
      height: scrollHeight,
      screen: clientHeight,
    }));
    for (let top = 0; top < height; top += screen / 2) {
      await card.evaluate((element, to) => element.scrollTo(0, to), top);
      await page.waitForTimeout(250);
    }
  };
  const scrollToEnd = (page: Page, what: string) =>
    page
      .locator(what)
      .first()
      .evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));

  it('shows who has seen an ask to everyone else, without a refetch', async () => {
    const { ids, sessionId, end } = await raised('Looked at', 'make');
    const lead = await testBed.signedIn('lead');
    const traffic = trafficOf(lead.page);
    await lead.page.goto(`/sessions/${sessionId}`);
    await expect.poll(() => seenBy(ids[0])).toEqual(['lead web']);
    const mate = await testBed.signedIn('mate');
    await traffic.calm();
    const before = [...traffic.started];
    await mate.page.goto(`/asks/${ids[0]}`);
    await cardOf(mate.page)
      .getByText(/^Seen by lead (just now|\d+s ago)$/)
      .waitFor();
    await cardOf(lead.page)
      .getByText(/^Seen by mate (just now|\d+s ago)$/)
      .waitFor();
    expect(await seenBy(ids[0])).toEqual(['lead web', 'mate web']);
    // A query that an event made stale would be refetched within this time.
    await traffic.calm();
    expect(traffic.started).toEqual(before);

    // A person's own sighting is not shown to them, nor reported twice, and it stays when the ask has ended.
    await mate.page.reload();
    await cardOf(mate.page).getByText('Seen by lead').waitFor();
    await aMoment(mate.page);
    expect(await cardOf(mate.page).getByText('mate').count()).toBe(0);
    const events = (await testBed.client.events.ofSession(sessionId)).items;
    expect(events.filter(({ type }) => type === 'ask.seen')).toHaveLength(2);
    await cardOf(mate.page).getByRole('button', { name: 'Deny', exact: true }).click();
    await cardOf(mate.page).getByRole('button', { name: 'Deny', exact: true }).click();
    await lead.page.goto(`/asks/${ids[0]}`);
    await cardOf(lead.page).getByText('Denied by mate').waitFor();
    await cardOf(lead.page).getByText('Seen by mate').waitFor();
    await end();
  });

  it('reports that a viewer has seen an ask', async () => {
    const { ids, end } = await raised('Watched', 'make');
    const { url } = await testBed.client.signIn.offer({ name: 'watcher', scope: 'viewer' });
    const { page } = await testBed.signedOut();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`/asks/${ids[0]}`);
    await expect.poll(() => seenBy(ids[0])).toEqual(['watcher web']);
    await end();
  });

  it('reports nothing from a hidden window or for an ask that was only passed', async () => {
    const { ids, end } = await raised('Hidden', 'make one', 'make two', 'make three');
    const { page } = await testBed.signedIn('lead');
    await page.addInitScript(() => {
      let hidden = true;
      Object.defineProperty(document, 'hidden', { get: () => hidden });
      Object.assign(window, {
        show() {
          hidden = false;
          document.dispatchEvent(new Event('visibilitychange'));
        },
      });
    });
    await page.goto(`/asks/${ids[0]}`);
    await cardOf(page).getByText('make one').waitFor();
    await aMoment(page);
    expect(await seenBy(ids[0])).toEqual([]);
    await page.evaluate(() => (window as unknown as { show(): void }).show());
    await expect.poll(() => seenBy(ids[0])).toEqual(['lead web']);
    // The second ask is passed on the way to the third.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(() => seenBy(ids[2])).toEqual(['lead web']);
    expect(await seenBy(ids[1])).toEqual([]);
    await end();
  });

  it('reports a long ask only once every part of it was in view, and of several asks only those in view', async () => {
    const long = `echo ${'x'.repeat(30_000)}`;
    const { ids, end } = await raised('Long', long);
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ids[0]}`);
    const all = cardOf(page).getByRole('button', { name: /^Show the other/ });
    await all.waitFor();
    await aMoment(page);
    expect(await seenBy(ids[0])).toEqual([]);
    await all.click();
    await aMoment(page);
    expect(await seenBy(ids[0])).toEqual([]);
    await page.locator('.card-scroll').evaluate((scroller) => scroller.scrollTo(0, 0));
    await aMoment(page);
    await scrollToEnd(page, '.card-scroll');
    await aMoment(page);
    expect(await seenBy(ids[0])).toEqual([]);
    await readOn(page);
    await expect.poll(() => seenBy(ids[0])).toEqual(['lead web']);
    await end();

    const lines = Array.from({ length: 6 }, (_, n) => `echo ${n}`).join('\n');
    const several = await raised('Several', ...Array.from({ length: 6 }, (_, n) => `${lines}\n# ${n}`));
    await page.goto(`/sessions/${several.sessionId}`);
    await expect.poll(() => seenBy(several.ids[0])).toEqual(['lead web']);
    await aMoment(page);
    expect(await seenBy(several.ids[5])).toEqual([]);
    await scrollToEnd(page, '.session-scroll');
    await expect.poll(() => seenBy(several.ids[5])).toEqual(['lead web']);
    await several.end();
  });

  it('reports an ask on a small screen only once all of its command was in view', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    const { ids, sessionId, end } = await raised('Below the fold', `${lines}\nrm -rf /srv/shop`, 'make\n'.repeat(20));
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/asks/${ids[0]}`);
    await cardOf(page).getByText('echo 0').waitFor();
    await aMoment(page);
    expect(await seenBy(ids[0])).toEqual([]);
    await readOn(page);
    await expect.poll(() => seenBy(ids[0])).toEqual(['lead web']);

    // On the session page the buttons cover the end of a card until it is scrolled into view.
    await page.goto(`/sessions/${sessionId}`);
    await cardOf(page)
      .nth(1)
      .evaluate((card) => card.scrollIntoView());
    await aMoment(page);
    expect(await seenBy(ids[1])).toEqual([]);
    const scrollAndRead = async () => {
      await page.locator('.session-scroll').evaluate((scroller) => scroller.scrollBy(0, 150));
      await aMoment(page);
      return seenBy(ids[1]);
    };
    await expect.poll(scrollAndRead, { timeout: 20_000 }).toEqual(['lead web']);
    await end();
  });

  it('reports nothing before the diff of an ask is loaded', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Slow to come' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const input = { file_path: 'a.txt', old_string: 'old', new_string: 'new' };
    const edit = { kind: 'approval', tool_call_id: 'late', tool_name: 'Edit', input } as const;
    // A service worker would fetch the chunk outside the page's routes.
    const { page, complaints } = await testBed.signedIn('lead', { serviceWorkers: 'block' });
    let come = () => {};
    const isTime = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route('**/assets/diff-*.js', (route) => isTime.then(() => route.continue()));
    const { ask_id } = await client.asks.raise(run_id, edit);
    await page.goto(`/asks/${ask_id}`);
    await cardOf(page).getByText('Loading the change…').waitFor();
    await aMoment(page);
    expect(await seenBy(ask_id)).toEqual([]);
    come();
    await expect.poll(() => seenBy(ask_id)).toEqual(['lead web']);
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('Service Worker registration blocked');
    await client.sessions.end(session_id);
  });

  it('reports nothing while a dialog covers the ask', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Covered' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('heading', { name: 'Covered' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    const make = { tool_call_id: 'covered', tool_name: 'Bash', input: { command: 'make' } };
    const { ask_id } = await client.asks.raise(run_id, { kind: 'approval', ...make });
    await page.locator('.card').getByText('make').waitFor();
    await aMoment(page);
    expect(await seenBy(ask_id)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => seenBy(ask_id)).toEqual(['lead web']);
    await client.sessions.end(session_id);
  });

  it('reports the members of a group that were in view', async () => {
    const { ids, end } = await raised('Group', ...Array.from({ length: 40 }, (_, n) => `rm -f part-${n}`));
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ids[0]}`);
    await page.getByRole('button', { name: /Review together/ }).click();
    await expect.poll(() => seenBy(ids[1])).toEqual(['lead web']);
    await aMoment(page);
    expect(await seenBy(ids[39])).toEqual([]);
    await page.getByText('rm -f part-39').scrollIntoViewIfNeeded();
    await expect.poll(() => seenBy(ids[39])).toEqual(['lead web']);
    await end();
  });
});
