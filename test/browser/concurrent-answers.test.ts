// Tests what a page shows when an ask ends elsewhere: in another browser, at the command line, at its deadline, or before a
// click reaches the server.
// Covers: web/src/ui/late-answer.tsx, web/src/state/late-answer.ts
// Covers: web/src/ui/ended-ask.tsx, web/src/ui/settled.tsx, web/src/ui/tone-icon.tsx, web/src/ui/refusal-notice.tsx
// Covers: web/src/ui/dismissible-notice.tsx, web/src/ui/facts.tsx, web/src/state/refusal.ts
// Covers: web/src/hooks/touched-asks.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock/input.ts';
import { createClient } from '../../src/client/client.ts';
import { findings } from './axe.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

const approve = (id: string): ApproveStep => ({
  do: 'approve',
  id,
  tool_name: 'Bash',
  input: { command: `echo made ${id}` },
});

describeInBrowser('an ask that ends elsewhere', () => {
  const testBed = useTestBed();

  it('shows everyone who answered, from which surface and with what', async () => {
    const run = await playMock(testBed.client, approve('both'));
    const { ask_id } = await run.ask('both');
    const lead = await testBed.signedIn('lead');
    const mate = await testBed.signedIn('mate');
    await Promise.all([lead, mate].map(({ page }) => page.goto(`/asks/${ask_id}`)));
    await expect.poll(() => lead.page.title()).toMatch(/^\(1\) Holdpoint/);
    expect(await lead.page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image/);

    await mate.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await mate.page.getByLabel(/Reason/).fill('not on a Friday');
    await mate.page.keyboard.press('Control+Enter');
    for (const { page } of [lead, mate]) {
      const end = page.getByRole('region', { name: 'How it ended' });
      const isMate = page === mate.page;
      await end.getByText(isMate ? 'You denied this' : 'Denied by mate from the web inbox').waitFor();
      await end.getByText('not on a Friday').waitFor();
      await end.getByText('Delivered').waitFor();
      expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
      expect(await page.getByText('You have not decided anything').count()).toBe(isMate ? 0 : 1);
    }
    await expect.poll(() => lead.page.title()).toBe('Holdpoint');
    expect(await run.received('both')).toBe('answered: not on a Friday');
  });

  it('fetches again when an event comes while the first response is on its way', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'build' } });
    const { ask_id } = await client.asks.raise(run_id, {
      kind: 'approval',
      tool_call_id: 'slow',
      tool_name: 'Bash',
      input: { command: 'make' },
    });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
    // What the first response says was true before the agent had the answer; it does not arrive.
    let requests = 0;
    let isHeld = true;
    await page.route(`**/v1/asks/${ask_id}`, async (route) => {
      requests += 1;
      if (!isHeld) await route.continue();
    });
    await client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
    await expect.poll(() => requests).toBeGreaterThan(0);
    isHeld = false;
    await client.asks.delivered(ask_id);
    const chip = page.getByRole('region', { name: 'How it ended' }).getByText('Delivered');
    // Before the request times out and is repeated anyway.
    await chip.waitFor({ timeout: 20_000 });
  });

  it('says on a phone in full why the agent did not take an answer', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'check' } });
    const call = { kind: 'approval', tool_call_id: 'check', tool_name: 'Bash', input: { command: 'make' } } as const;
    const { ask_id } = await client.asks.raise(run_id, call);
    await client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'allow' }] });
    const path = `/home/lead/projects/shop/${'scripts/'.repeat(8)}check.sh`;
    await client.asks.undeliverable(ask_id, { reason: `${path} has changed since it was asked` });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 320, height: 700 } });
    await page.goto(`/asks/${ask_id}`);
    const chip = page.getByRole('region', { name: 'How it ended' }).getByText(/did not get it.*since it was asked/);
    const box = await chip.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 1000)).toBeLessThan(320);
  });

  it('says who was first when a click comes too late, and changes nothing', async () => {
    const run = await playMock(testBed.client, approve('late'));
    const { ask_id, run_id } = await run.ask('late');
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
    // The answer from the command line arrives before that of the click.
    const cli = createClient({ url: testBed.server.url, token: testBed.server.token, surface: 'cli' });
    await page.route(`**/v1/runs/${run_id}/approvals`, async (route) => {
      await cli.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Allow once', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'You were second, so your decision was not applied' });
    await notice.getByText(/Denied by operator from the command line at \d/).waitFor();
    // The notice stays until it is dismissed.
    await page.getByRole('region', { name: 'How it ended' }).getByText('Denied by operator').waitFor();
    await expect.poll(() => notice.isVisible()).toBe(true);
    await notice.getByRole('button', { name: 'Got it' }).click();
    await expect.poll(() => notice.count()).toBe(0);
    expect(await run.received('late')).toBe('answered: approval denied');
    await expectComplaints({ complaints }, '409');
  });

  it('says who was first when a late click has the same answer', async () => {
    const run = await playMock(testBed.client, approve('same'));
    const { ask_id, run_id } = await run.ask('same');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await page.route(`**/v1/runs/${run_id}/approvals`, async (route) => {
      const resolutions = [{ request_id: ask_id, behavior: 'allow' as const }];
      await testBed.client.approvals.decideRun(run_id, { resolutions });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Allow once', exact: true }).click();
    await page.getByText(/Allowed by operator through the API at .+ You were second/).waitFor();
  });

  it("keeps the typed text beside the other person's answer, in the inbox and on the session page", async () => {
    const ask = (id: string) => ({ do: 'ask' as const, id, questions: [{ id: 'why', question: 'Why?' }] });
    const run = await playMock(testBed.client, ask('typed'), ask('again'));
    const lead = await testBed.signedIn('lead');
    const mate = await testBed.signedIn('mate');
    const why = (page: Page) => page.getByRole('textbox', { name: 'Why?', exact: true });
    const typed = await run.ask('typed');
    await lead.page.goto(`/asks/${typed.ask_id}`);
    await why(lead.page).fill('the words of lead');
    await mate.page.goto(`/asks/${typed.ask_id}`);
    // Each person has a draft of their own.
    expect(await why(mate.page).inputValue()).toBe('');
    await why(mate.page).fill('the words of mate');
    await mate.page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.received('typed')).toBe('answered: the words of mate');
    // The field stays until the person leaves it.
    await lead.page.getByText('Answered by mate from the web inbox. What you type is not sent').waitFor();
    await why(lead.page).press('Escape');
    const lost = lead.page.getByRole('figure').filter({ hasText: 'What you had typed' });
    await lost.getByText('the words of lead').waitFor();
    await lost.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await findings(lead.page)).toEqual([]);
    await lead.page.getByText('Answered by mate from the web inbox').first().waitFor();
    await lead.page.reload();
    await lost.getByText('the words of lead').waitFor();

    const { ask_id, run_id } = await run.ask('again');
    await lead.page.goto(`/sessions/${run.sessionId}`);
    // Answered before the draft was saved.
    await why(lead.page).fill('half a thought');
    const answers = [{ question_id: 'why', freeform_answer: 'because' }];
    await testBed.client.questions.answerRun(run_id, { resolution: { request_id: ask_id, answers } });
    const card = lead.page.getByRole('article', { name: 'Request' });
    await card.getByText('Answered by operator through the API').waitFor();
    await why(lead.page).press('Escape');
    await card.getByText('half a thought').waitFor();
    await card.getByRole('button', { name: 'Got it' }).click();
    await expect.poll(() => card.count()).toBe(0);
  });

  it('reports a batch that came too late after its group is gone', async () => {
    const run = await playMock(testBed.client, { do: 'parallel', asks: [approve('b1'), approve('b2')] });
    const [first, second] = [await run.ask('b1'), await run.ask('b2')];
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/asks/${first.ask_id}`);
    await page.getByRole('button', { name: /2 similar requests/ }).click();
    await page.route(`**/v1/runs/${first.run_id}/approvals`, async (route) => {
      const resolutions = [{ request_id: first.ask_id, behavior: 'deny' as const }];
      await testBed.client.approvals.decideRun(first.run_id, { resolutions });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Allow all 2' }).click();
    await page.getByText(/None of the 2 requests of one run was decided: Denied by operator/).waitFor();
    await page.getByRole('button', { name: /similar requests/ }).waitFor({ state: 'detached' });
    await page.getByText(/None of the 2 requests of one run was decided/).waitFor();
    expect((await testBed.client.asks.get(second.ask_id)).status).toBe('pending');
    await testBed.client.runs.cancel(first.run_id);
    await expectComplaints({ complaints }, '409');
  });

  it('counts a deadline down, and keeps the typed text when the ask expires', async () => {
    const { page } = await testBed.signedIn('lead');
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const typedInTime = async (expires_after_ms: number): Promise<boolean> => {
      const questions = [{ id: 'why', question: 'Why?' }];
      const soon = { kind: 'question', tool_call_id: `soon-${expires_after_ms}`, questions, expires_after_ms } as const;
      const { ask_id } = await testBed.client.asks.raise(run_id, soon);
      await page.goto(`/asks/${ask_id}`);
      const isCounting = page.getByText(/expires in 0:\d\d/).waitFor();
      const isTyped = isCounting.then(() => page.getByRole('textbox', { name: 'Why?' }).fill('half a thought'));
      const isOver = page.getByText('Expired').first().waitFor({ timeout: 0 });
      await Promise.race([isTyped, isOver]);
      // The wait that lost the race rejects when the page is left.
      for (const wait of [isTyped, isOver]) wait.catch(() => {});
      return (await testBed.client.asks.get(ask_id)).status === 'pending';
    };
    // A slow machine gets a later deadline.
    let expiresAfterMs = 5000;
    while (!(await typedInTime(expiresAfterMs))) expiresAfterMs *= 2;
    await page.getByText('Expired').first().waitFor();
    await page.getByText('half a thought').waitFor();
    await page.reload();
    await page.getByText('half a thought').waitFor();
    await testBed.client.sessions.end(session_id);
  });

  it('begins the answer to an expired question with what was chosen and typed', async () => {
    const options = [{ label: 'Staging' }, { id: 'b', label: 'Production' }];
    const questions = [{ id: 'where', question: 'Where to?', options }];
    const run = await playMock(testBed.client, { do: 'ask', id: 'chosen', questions, expires_after_ms: 8000 });
    const { ask_id } = await run.ask('chosen');
    const { page } = await testBed.signedIn('lead');
    const answers = [{ question_id: 'where', selected_option_ids: ['b'], freeform_answer: 'at night' }];
    const save = async ([path, body]: [string, string]) => {
      const csrf = decodeURIComponent(/holdpoint_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? '');
      const headers = { 'content-type': 'application/json', 'holdpoint-csrf': csrf };
      return (await fetch(path, { method: 'PUT', body, headers })).ok;
    };
    expect(
      await page.evaluate(save, [`/v1/asks/${ask_id}/draft`, JSON.stringify({ answers })] as [string, string]),
    ).toBe(true);
    await expect.poll(async () => (await testBed.client.asks.get(ask_id)).status, { timeout: 30_000 }).toBe('expired');
    await page.goto(`/history/${ask_id}`);
    const late = page.getByRole('region', { name: 'Answer as a new run' }).getByRole('textbox');
    await expect.poll(() => late.inputValue()).toBe('Production, at night');
    await testBed.client.sessions.end(run.sessionId);
  });

  it('answers an expired question as a new run that names it, once', async () => {
    const questions = [{ id: 'where', question: 'Where should this go?' }];
    const run = await playMock(testBed.client, { do: 'ask', id: 'late', questions, expires_after_ms: 1 });
    const expired = async () =>
      (await testBed.client.asks.list({ session_id: run.sessionId, status: 'expired' })).items;
    await expect.poll(async () => (await expired()).length).toBe(1);
    const [ask] = await expired();
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/history/${ask?.ask_id}`);
    const late = page.getByRole('region', { name: 'Answer as a new run' });
    await late.getByRole('textbox').fill('To staging');
    await late.getByRole('button', { name: 'Send as a new run' }).dblclick();
    await page.waitForURL(`**/sessions/${run.sessionId}`);
    const { items } = await testBed.client.runs.list({ session_id: run.sessionId });
    const started = items.filter(({ run_id }) => run_id !== run.runId);
    expect(started).toHaveLength(1);
    const { text } = await testBed.client.runs.input(started[0]?.run_id ?? '');
    expect(text).toMatch(/You asked:\n“Where should this go\?”[\s\S]*To staging/);
    expect((await testBed.client.asks.get(ask?.ask_id ?? '')).status).toBe('expired');
    await testBed.client.sessions.end(run.sessionId);
  });
});
