// Who has seen an ask, in real pages: what is on the screen for a moment is told, what is hidden, folded away or passed by
// is not; everybody else is shown it, and no page fetches anything again because of it.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, useStage } from './stage.ts';

describeInBrowser('who has seen an ask', () => {
  const stage = useStage();
  const raised = async (title: string, ...commands: string[]) => {
    const { client } = stage;
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
    (await stage.client.asks.get(id)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);
  const cardOf = (page: Page) => page.getByRole('article', { name: 'Ask' });
  /** Longer than a look has to last. */
  const aMoment = (page: Page) => page.waitForTimeout(1000);

  it('is shown to everybody else at once, and fetches nothing', async () => {
    const { ids, sessionId, end } = await raised('Looked at', 'make');
    const lead = await stage.person('lead');
    await lead.page.goto(`/sessions/${sessionId}`);
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);
    const mate = await stage.person('mate');
    await aMoment(lead.page);
    const fetched: string[] = [];
    lead.page.on('request', (request) => fetched.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await mate.page.goto(`/asks/${ids[0]}`);
    await cardOf(mate.page)
      .getByText(/^Seen by lead (just now|\d+s ago)$/)
      .waitFor();
    await cardOf(lead.page)
      .getByText(/^Seen by mate (just now|\d+s ago)$/)
      .waitFor();
    expect(await whoSaw(ids[0])).toEqual(['lead web', 'mate web']);
    // What an event makes stale is fetched a moment later.
    await aMoment(lead.page);
    expect(fetched).toEqual([]);

    // Nobody is told of themselves, nor a second time; and it stays when the ask has ended.
    await mate.page.reload();
    await cardOf(mate.page).getByText('Seen by lead').waitFor();
    await aMoment(mate.page);
    expect(await cardOf(mate.page).getByText('mate').count()).toBe(0);
    const events = (await stage.client.events.ofSession(sessionId)).items;
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
    const { url } = await stage.client.signIn.offer({ name: 'watcher', scope: 'viewer' });
    const { page } = await stage.stranger();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`/asks/${ids[0]}`);
    await expect.poll(() => whoSaw(ids[0])).toEqual(['watcher web']);
    await end();
  });

  it('takes a window that is shown, and a look that lasts', async () => {
    const { ids, end } = await raised('Hidden', 'make one', 'make two', 'make three');
    const { page } = await stage.person('lead');
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
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${ids[0]}`);
    const all = cardOf(page).getByRole('button', { name: /^Show/ });
    await all.waitFor();
    await aMoment(page);
    expect(await whoSaw(ids[0])).toEqual([]);
    await all.click();
    await expect.poll(() => whoSaw(ids[0])).toEqual(['lead web']);
    await end();

    const lines = Array.from({ length: 40 }, (_, n) => `echo ${n}`).join('\n');
    const several = await raised('Several', ...Array.from({ length: 6 }, (_, n) => `${lines}\n# ${n}`));
    await page.goto(`/sessions/${several.sessionId}`);
    await expect.poll(() => whoSaw(several.ids[0])).toEqual(['lead web']);
    await aMoment(page);
    expect(await whoSaw(several.ids[5])).toEqual([]);
    await page.locator('.session-scroll').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await expect.poll(() => whoSaw(several.ids[5])).toEqual(['lead web']);
    await several.end();
  });

  it('takes each of a group that is on the screen', async () => {
    const { ids, end } = await raised('Group', ...Array.from({ length: 40 }, (_, n) => `rm part-${n}`));
    const { page } = await stage.person('lead');
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
