// Tests that a request is carried out once when its reply is lost and it is sent again, also after a reload.
// Covers: web/src/hooks/commands.ts
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock/input.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, expectComplaints, MOVED_MS, useTestBed } from './test-bed.ts';

/** The server carries out each POST to this path, and its reply is cut off. `happened` resolves with the first one. */
async function cutReplies(page: Page, path: string): Promise<{ happened: Promise<void>; end(): Promise<void> }> {
  const first = Promise.withResolvers<void>();
  const cut = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch().catch(() => undefined);
    first.resolve();
    await route.abort('connectionreset').catch(() => undefined);
  };
  await page.route(path, cut);
  return { happened: first.promise, end: () => page.unroute(path, cut) };
}

describeInBrowser('lost replies', () => {
  const testBed = useTestBed();
  /** The browser logs the requests that were cut off. */
  const allowCut = (complaints: string[]) => {
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('ERR_CONNECTION_RESET');
  };
  const postsOf = async (threadId: string, text: string) => {
    const { items } = await testBed.client.threads.items(threadId);
    return items.filter(({ content }) => (content[0] as { text?: string }).text === text).length;
  };

  /** Posts a message to a new session, loses the reply, and reloads the page. */
  const postWithoutReply = async (text: string, title: string) => {
    const { session_id, thread_id } = await testBed.client.sessions.create({ agent: 'external', title });
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const field = page.getByPlaceholder('Message the agent');
    const replies = await cutReplies(page, '**/v1/threads/*/items');
    await field.fill(text);
    await expect.poll(() => page.getByRole('button', { name: /^Send/ }).isEnabled()).toBe(true);
    await field.press('Control+Enter');
    await replies.happened;
    await page.reload();
    await replies.end();
    return { page, complaints, field, thread_id };
  };
  /** The same text, typed anew, is a second message. */
  const postAgain = async ({ page, complaints, field, thread_id }: Awaited<ReturnType<typeof postWithoutReply>>) => {
    await field.fill('go on');
    expect(await page.getByText('No reply came').count()).toBe(0);
    await field.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await postsOf(thread_id, 'go on')).toBe(2);
    allowCut(complaints);
  };

  it('posts a message once when its reply is lost and it is sent again after a reload, and a second time on purpose', async () => {
    const posted = await postWithoutReply('go on', 'Said');
    const { page, field, thread_id } = posted;
    expect(await postsOf(thread_id, 'go on')).toBe(1);
    await expect.poll(() => field.inputValue()).toBe('go on');
    await page.getByText('No reply came when you sent this. It may be in the thread already').waitFor();
    await field.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await postsOf(thread_id, 'go on')).toBe(1);

    await postAgain(posted);
  });

  it('posts a second message when the text was cleared and typed again', async () => {
    const posted = await postWithoutReply('go on', 'Said anew');
    await posted.field.fill('');
    await postAgain(posted);
  });

  it('starts no run when an answer in the thread is sent again after its ask has ended', async () => {
    const options = [{ label: 'Staging' }, { label: 'Production' }];
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'where',
      questions: [{ id: 'target', question: 'Where to?', options }],
    });
    await run.ask('where');
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    const replies = await cutReplies(page, '**/v1/threads/*/items');
    await page.getByLabel('Answers “Where to?”').fill('2');
    await page.keyboard.press('Control+Enter');
    expect(await run.received('where')).toBe('answered: Production');
    await replies.happened;
    await page.reload();
    await replies.end();
    const field = page.getByPlaceholder('Message the agent');
    await field.waitFor();
    await expect.poll(() => field.inputValue()).toBe('2');
    await field.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect((await testBed.client.runs.list({ session_id: run.sessionId })).items).toHaveLength(1);
    allowCut(complaints);
  });

  it('leads to the started run when its form is sent again after a reload, and starts another one later', async () => {
    const { page, complaints } = await testBed.signedIn('lead');
    const started = async () =>
      (await testBed.client.sessions.list({ limit: 500 })).items.filter(({ title }) => title === 'count to three');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    const replies = await cutReplies(page, '**/v1/sessions/*/runs');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('count to three');
    await page.getByLabel('Agent', { exact: true }).fill('nobody-hosts-this');
    await start.click();
    await replies.happened;
    await page.reload();
    await replies.end();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('n');
    await expect.poll(() => page.getByLabel('Task').inputValue()).toBe('count to three');
    await page.getByText('It may have been started').waitFor();
    await start.click();
    await page.waitForURL(/\/sessions\/ses_/);
    const [first, ...others] = await started();
    expect(others).toEqual([]);
    expect((await testBed.client.runs.list({ session_id: first?.session_id ?? '' })).items).toHaveLength(1);

    await page.keyboard.press('n');
    await expect.poll(() => page.getByLabel('Task').inputValue()).toBe('');
    await page.getByLabel('Task').fill('count to three');
    await start.click();
    await expect.poll(async () => (await started()).length).toBe(2);
    allowCut(complaints);
  });

  const approve = (id: string): ApproveStep => ({
    do: 'approve',
    id,
    tool_name: 'Bash',
    input: { command: `echo made ${id}` },
  });

  it('decides a group once when its replies are lost', async () => {
    const run = await playMock(testBed.client, { do: 'parallel', asks: [approve('g1'), approve('g2')] });
    const asks = [await run.ask('g1'), await run.ask('g2')];
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    const together = page.getByRole('button', { name: /2 similar requests/ });
    const allow = page.getByRole('button', { name: 'Allow all 2' });
    const path = `**/v1/runs/${run.runId}/approvals`;
    const keys: (string | undefined)[] = [];
    // Lost before it reaches the server: the card stays, and the person tries again.
    await page.route(path, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fulfill({ status: 500, json: { detail: 'lost on the way' } });
    });
    const decide = async () => {
      await together.click();
      await expect.poll(() => allow.isEnabled()).toBe(true);
      // The group takes the place of the card: what is pressed in that moment is not sent.
      await page.waitForTimeout(MOVED_MS);
      await allow.click();
    };
    await decide();
    await page.getByText('2 requests of one run: lost on the way').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    // Lost after it was carried out: the page retries by itself.
    await page.route(path, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      if (keys.length > 2) await route.continue();
      else await route.abort('connectionreset');
    });
    await decide();
    await page.getByText('Allowed 2').first().waitFor();
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect([await run.received('g1'), await run.received('g2')]).toEqual(
      ['g1', 'g2'].map((id) => `answered: allowed {"command":"echo made ${id}"}`),
    );
    const events = (await testBed.client.events.ofRun(run.runId, { limit: 500 })).items;
    expect(events.filter(({ type }) => type === 'ask.claimed')).toHaveLength(2);
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/ERR_CONNECTION_RESET|500/);
  });

  it('starts one run and posts one message when replies are lost without a reload', async () => {
    const { page, complaints } = await testBed.signedIn('lead');
    /** Carries the request out, and replaces its reply by an error once the page says that the server is slow. */
    const loseReply = (path: string) =>
      page.route(path, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        await page.getByText('Still sending').waitFor();
        await route.fulfill({ status: 500, json: { detail: 'the reply was lost' } });
      });
    await loseReply('**/v1/sessions/*/runs');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('only once');
    await page.getByLabel('Agent', { exact: true }).fill('nobody-hosts-this');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await start.click();
    await page.getByText('the reply was lost').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await start.click();
    await page.waitForURL(/\/sessions\/ses_/);
    const { items } = await testBed.client.sessions.list({ limit: 500 });
    const [session, ...others] = items.filter(({ title }) => title === 'only once');
    expect(others).toEqual([]);
    const session_id = session?.session_id ?? '';
    expect((await testBed.client.runs.list({ session_id })).items).toHaveLength(1);

    await loseReply('**/v1/threads/*/items');
    const field = page.getByPlaceholder('Message the agent');
    await field.fill('said once');
    await field.press('Control+Enter');
    await page.getByText('the reply was lost').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    const said = async () =>
      (await testBed.client.threads.items(session?.thread_id ?? '')).items.filter(({ content }) =>
        JSON.stringify(content).includes('said once'),
      ).length;
    expect(await said()).toBe(1);
    await field.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await said()).toBe(1);
    await expectComplaints({ complaints }, '500', '500');
    await testBed.client.sessions.end(session_id);
  });
});
