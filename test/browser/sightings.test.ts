// Who has seen an ask, in real pages: what is on the screen for a moment is told, what is hidden, folded away or passed by
// is not; everybody else is shown it, and no page fetches anything again because of it.
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('who has seen an ask', () => {
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
  const whoSaw = async (id = '') =>
    (await testBed.client.asks.get(id)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);
  const cardOf = (page: Page) => page.getByRole('article', { name: 'Ask' });
  /** Longer than a look has to last. */
  const aMoment = (page: Page) => page.waitForTimeout(1000);

  /** What a page asks its server for, as it goes; `calm` when nothing is under way but the stream, nor begun in a moment. */
  const trafficOf = (page: Page) => {
    const begun: string[] = [];
    const underWay = new Set<Request>();
    page.on('request', (request) => {
      begun.push(`${request.method()} ${new URL(request.url()).pathname}`);
      if (!isStream(request)) underWay.add(request);
    });
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    const calm = async () => {
      for (let before = -1; underWay.size > 0 || before !== begun.length; ) {
        before = begun.length;
        await aMoment(page);
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      }
    };
    return { begun, calm };
  };
  const isStream = (request: Request) => request.headers().accept === 'text/event-stream';

  const readOn = (page: Page, what: string) =>
    page
      .locator(what)
      .first()
      .evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));

  it('is shown to everybody else at once, and fetches nothing', async () => {
    const { ids, sessionId, end } = await raised('Looked at', 'make');
    const lead = await testBed.person('lead');
    const traffic = trafficOf(lead.page);
    await lead.page.goto(`/sessions/${sessionId}`);
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);
    const mate = await testBed.person('mate');
    await traffic.calm();
    const before = [...traffic.begun];
    await mate.page.goto(`/asks/${ids[0]}`);
    await cardOf(mate.page)
      .getByText(/^Seen by lead (just now|\d+s ago)$/)
      .waitFor();
    await cardOf(lead.page)
      .getByText(/^Seen by mate (just now|\d+s ago)$/)
      .waitFor();
    expect(await whoSaw(ids[0])).toEqual(['lead web', 'mate web']);
    // What an event makes stale is fetched a moment later.
    await traffic.calm();
    expect(traffic.begun).toEqual(before);

    // Nobody is told of themselves, nor a second time; and it stays when the ask has ended.
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

  it('is told by who may only look', async () => {
    const { ids, end } = await raised('Watched', 'make');
    const { url } = await testBed.client.signIn.offer({ name: 'watcher', scope: 'viewer' });
    const { page } = await testBed.stranger();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`/asks/${ids[0]}`);
    await expect.poll(() => whoSaw(ids[0])).toEqual(['watcher web']);
    await end();
  });

  it('takes a window that is shown, and a look that lasts', async () => {
    const { ids, end } = await raised('Hidden', 'make one', 'make two', 'make three');
    const { page } = await testBed.person('lead');
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
    expect(await whoSaw(ids[0])).toEqual([]);
    await page.evaluate(() => (window as unknown as { show(): void }).show());
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);
    // The second is passed on the way to the third.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(() => whoSaw(ids[2])).toEqual(['lead web']);
    expect(await whoSaw(ids[1])).toEqual([]);
    await end();
  });

  it('takes all of a long one, and what is on the screen of several', async () => {
    const long = `echo ${'x'.repeat(200_000)}`;
    const { ids, end } = await raised('Long', long);
    const { page } = await testBed.person('lead');
    await page.goto(`/asks/${ids[0]}`);
    const all = cardOf(page).getByRole('button', { name: /^Show/ });
    await all.waitFor();
    await aMoment(page);
    expect(await whoSaw(ids[0])).toEqual([]);
    await all.click();
    await aMoment(page);
    expect(await whoSaw(ids[0])).toEqual([]);
    await readOn(page, '.card pre');
    await readOn(page, '.card-scroll');
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);
    await end();

    const lines = Array.from({ length: 6 }, (_, n) => `echo ${n}`).join('\n');
    const several = await raised('Several', ...Array.from({ length: 6 }, (_, n) => `${lines}\n# ${n}`));
    await page.goto(`/sessions/${several.sessionId}`);
    await expect.poll(() => whoSaw(several.ids[0])).toEqual(['lead web']);
    await aMoment(page);
    expect(await whoSaw(several.ids[5])).toEqual([]);
    await readOn(page, '.session-scroll');
    await expect.poll(() => whoSaw(several.ids[5])).toEqual(['lead web']);
    await several.end();
  });

  it('takes the end of it on a small screen, of what scrolls by itself too', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    const { ids, sessionId, end } = await raised('Below the fold', `${lines}\nrm -rf /srv/shop`, 'make\n'.repeat(20));
    const { page } = await testBed.person('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/asks/${ids[0]}`);
    await cardOf(page).getByText('echo 0').waitFor();
    await aMoment(page);
    expect(await whoSaw(ids[0])).toEqual([]);
    await readOn(page, '.card-scroll');
    await aMoment(page);
    expect(await whoSaw(ids[0])).toEqual([]);
    await readOn(page, '.card pre');
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);

    // In a session the buttons lie over the end of a card until it is scrolled to.
    await page.goto(`/sessions/${sessionId}`);
    await cardOf(page)
      .nth(1)
      .evaluate((card) => card.scrollIntoView());
    await aMoment(page);
    expect(await whoSaw(ids[1])).toEqual([]);
    const lookOn = async () => {
      await page.locator('.session-scroll').evaluate((scroller) => scroller.scrollBy(0, 150));
      await aMoment(page);
      return whoSaw(ids[1]);
    };
    await expect.poll(lookOn, { timeout: 20_000 }).toEqual(['lead web']);
    await end();
  });

  it('takes the change of a file too, however late it is drawn', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Slow to come' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const input = { file_path: 'a.txt', old_string: 'old', new_string: 'new' };
    const edit = { kind: 'approval', tool_call_id: 'late', tool_name: 'Edit', input } as const;
    // A service worker would fetch it past the page.
    const { page, complaints } = await testBed.person('lead', { serviceWorkers: 'block' });
    let come = () => {};
    const isTime = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route('**/assets/diff-*.js', (route) => isTime.then(() => route.continue()));
    const { ask_id } = await client.asks.raise(run_id, edit);
    await page.goto(`/asks/${ask_id}`);
    await cardOf(page).getByText('Loading the change…').waitFor();
    await aMoment(page);
    expect(await whoSaw(ask_id)).toEqual([]);
    come();
    await expect.poll(() => whoSaw(ask_id)).toEqual(['lead web']);
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('Service Worker registration blocked');
    await client.sessions.end(session_id);
  });

  it('takes a card that nothing lies over', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Covered' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('heading', { name: 'Covered' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    const make = { tool_call_id: 'covered', tool_name: 'Bash', input: { command: 'make' } };
    const { ask_id } = await client.asks.raise(run_id, { kind: 'approval', ...make });
    await page.locator('.card').getByText('make').waitFor();
    await aMoment(page);
    expect(await whoSaw(ask_id)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => whoSaw(ask_id)).toEqual(['lead web']);
    await client.sessions.end(session_id);
  });

  it('takes each of a group that is on the screen', async () => {
    const { ids, end } = await raised('Group', ...Array.from({ length: 40 }, (_, n) => `rm part-${n}`));
    const { page } = await testBed.person('lead');
    await page.goto(`/asks/${ids[0]}`);
    await page.getByRole('button', { name: /Decide them together/ }).click();
    await expect.poll(() => whoSaw(ids[3])).toEqual(['lead web']);
    await aMoment(page);
    expect(await whoSaw(ids[39])).toEqual([]);
    await page.getByText('rm part-39').scrollIntoViewIfNeeded();
    await expect.poll(() => whoSaw(ids[39])).toEqual(['lead web']);
    await end();
  });
});
