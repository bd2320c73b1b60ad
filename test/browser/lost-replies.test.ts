// What is sent again because its reply was lost is done once, also after a reload; what is meant twice is done twice.
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock/input.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

/** The server carries it out; its reply is cut off, and so is every reply to a repeat. Resolves when it happened first. */
async function cutReplies(page: Page, path: string): Promise<{ happened: Promise<void>; end(): Promise<void> }> {
  const first = Promise.withResolvers<void>();
  const cut = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch().catch(() => undefined);
    await route.abort('connectionreset').catch(() => undefined);
    first.resolve();
  };
  await page.route(path, cut);
  return { happened: first.promise, end: () => page.unroute(path, cut) };
}

describeInBrowser('a reply that was lost', () => {
  const testBed = useTestBed();
  /** The browser notes what was cut off. */
  const allowCut = (complaints: string[]) => {
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('ERR_CONNECTION_RESET');
  };
  const postsOf = async (threadId: string, text: string) => {
    const { items } = await testBed.client.threads.items(threadId);
    return items.filter(({ content }) => (content[0] as { text?: string }).text === text).length;
  };

  /** A message to a new session, whose reply is lost; and the page again. */
  const sayInVain = async (words: string, title: string) => {
    const { session_id, thread_id } = await testBed.client.sessions.create({ agent: 'external', title });
    const { page, complaints } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    const field = page.getByPlaceholder('Message the agent');
    const replies = await cutReplies(page, '**/v1/threads/*/items');
    await field.fill(words);
    await field.press('Enter');
    await replies.happened;
    await page.reload();
    await replies.end();
    return { page, complaints, field, thread_id };
  };

  it('of a message: the same words after a reload are the same message, and once more on purpose another', async () => {
    const { page, complaints, field, thread_id } = await sayInVain('go on', 'Said');
    expect(await postsOf(thread_id, 'go on')).toBe(1);
    expect(await field.inputValue()).toBe('go on');
    await page.getByText('No reply came when you sent this. It may be in the thread already').waitFor();
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await postsOf(thread_id, 'go on')).toBe(1);

    await field.fill('go on');
    expect(await page.getByText('No reply came').count()).toBe(0);
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await postsOf(thread_id, 'go on')).toBe(2);
    allowCut(complaints);
  });

  it('of a message: who clears it and writes it anew says it anew', async () => {
    const { page, complaints, field, thread_id } = await sayInVain('go on', 'Said anew');
    await field.fill('');
    await field.fill('go on');
    expect(await page.getByText('No reply came').count()).toBe(0);
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await postsOf(thread_id, 'go on')).toBe(2);
    allowCut(complaints);
  });

  it('of an answer in the thread: sent again when nothing is asked any more, it starts no run', async () => {
    const options = [{ label: 'Staging' }, { label: 'Production' }];
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'where',
      questions: [{ id: 'target', question: 'Where to?', options }],
    });
    await run.ask('where');
    const { page, complaints } = await testBed.person('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    const replies = await cutReplies(page, '**/v1/threads/*/items');
    await page.getByLabel('Answers “Where to?”').fill('2');
    await page.keyboard.press('Enter');
    expect(await run.heard('where')).toBe('answered: Production');
    await replies.happened;
    await page.reload();
    await replies.end();
    const field = page.getByPlaceholder('Message the agent');
    await field.waitFor();
    expect(await field.inputValue()).toBe('2');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect((await testBed.client.runs.list({ session_id: run.sessionId })).items).toHaveLength(1);
    allowCut(complaints);
  });

  it('of a new run: what was typed is there again, leads to the run that was started, and then to another', async () => {
    const { page, complaints } = await testBed.person('lead');
    const started = async () =>
      (await testBed.client.sessions.list({ limit: 500 })).items.filter(({ title }) => title === 'count to three');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    const replies = await cutReplies(page, '**/v1/sessions/*/runs');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('count to three');
    await page.getByLabel('Agent').fill('nobody-hosts-this');
    await start.click();
    await replies.happened;
    await page.reload();
    await replies.end();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('n');
    expect(await page.getByLabel('Task').inputValue()).toBe('count to three');
    await page.getByText('It may have been started').waitFor();
    await start.click();
    await page.waitForURL(/\/sessions\/ses_/);
    const [first, ...others] = await started();
    expect(others).toEqual([]);
    expect((await testBed.client.runs.list({ session_id: first?.session_id ?? '' })).items).toHaveLength(1);

    await page.keyboard.press('n');
    expect(await page.getByLabel('Task').inputValue()).toBe('');
    await page.getByLabel('Task').fill('count to three');
    await start.click();
    await expect.poll(async () => (await started()).length).toBe(2);
    allowCut(complaints);
  });

  const approve = (id: string): ApproveStep => ({
    do: 'approve',
    id,
    tool_name: 'Bash',
    input: { command: `echo ${id}` },
  });

  it('of answers to a group: one answer each, and no error', async () => {
    const run = await playMock(testBed.client, { do: 'parallel', asks: [approve('g1'), approve('g2')] });
    const asks = [await run.ask('g1'), await run.ask('g2')];
    const { page, complaints } = await testBed.person('lead');
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    const together = page.getByRole('button', { name: /2 approvals of this shape wait/ });
    const allow = page.getByRole('button', { name: 'Allow 2 in one run' });
    const path = `**/v1/runs/${run.runId}/approvals`;
    const keys: (string | undefined)[] = [];
    // Before it reaches the server: the card stays, and the person tries again.
    await page.route(path, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fulfill({ status: 500, json: { detail: 'lost on the way' } });
    });
    await together.click();
    await allow.click();
    await page.getByText('2 of one run: lost on the way').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    // Then after it was carried out: the page repeats it by itself.
    await page.route(path, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      if (keys.length > 2) await route.continue();
      else await route.abort('connectionreset');
    });
    await together.click();
    await allow.click();
    await page.getByText('Allowed 2').first().waitFor();
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect([await run.heard('g1'), await run.heard('g2')]).toEqual(
      ['g1', 'g2'].map((id) => `answered: allowed {"command":"echo ${id}"}`),
    );
    const events = (await testBed.client.events.ofRun(run.runId, { limit: 500 })).items;
    expect(events.filter(({ type }) => type === 'ask.claimed')).toHaveLength(2);
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/ERR_CONNECTION_RESET|500/);
  });
});
