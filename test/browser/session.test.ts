// Tests the page of a session: its pending asks, attached agents, and runs that failed.
// Covers: web/src/pages/session.tsx, web/src/text/session-text.ts, web/src/ui/session-head.tsx
// Covers: web/src/ui/confirm-button.tsx, web/src/ui/session-side.tsx, web/src/ui/side-link.tsx, web/src/ui/timeline.tsx
// Covers: web/src/ui/thread.tsx, web/src/text/receipt.ts, web/src/hooks/session-data.ts, web/src/hooks/scroll-to-end.ts
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

describeInBrowser('the session page', () => {
  // No agent that is installed on this machine is found.
  const testBed = useTestBed({ env: { PATH: '/nowhere' } });

  it('scrolls to the start of the first pending ask', async () => {
    const lines = Array.from({ length: 6 }, (_, n) => `echo line ${n}`).join('\n');
    const approval = (id: string, command: string) => ({
      do: 'approve' as const,
      id,
      tool_name: 'Bash',
      input: { command },
    });
    const asks = [approval('long', lines), approval('longer', lines)];
    const run = await playMock(testBed.client, { do: 'parallel', asks });
    await Promise.all([run.ask('long'), run.ask('longer')]);
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    const card = page.getByRole('article').first();
    await card.getByText('echo line 5').waitFor();
    const isInSight = (name: string) =>
      card.getByRole('button', { name, exact: true }).evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect();
        const middle = document.elementFromPoint(button.getBoundingClientRect().left + 5, (top + bottom) / 2);
        return button.contains(middle);
      });
    await expect.poll(() => isInSight('Deny')).toBe(true);
    expect(await card.getByRole('heading', { name: 'Run command' }).isVisible()).toBe(true);
    // With two pending asks no key decides, and none is shown.
    expect(await card.locator('footer kbd, footer .key').count()).toBe(0);
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect.poll(() => isInSight('Deny')).toBe(true);
    await testBed.client.runs.cancel(run.runId);
  });

  it('says once in the thread that a question expired, with a receipt of what was cancelled with it', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Expired' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const questions = [{ id: 'q', question: 'Where to?' }];
    await client.asks.raise(run_id, {
      kind: 'approval',
      tool_call_id: 'a',
      tool_name: 'Bash',
      input: { command: 'make x' },
    });
    await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'q', questions, expires_after_ms: 1000 });
    await expect.poll(async () => (await client.runs.get(run_id)).status, { timeout: 20_000 }).toBe('cancelled');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const thread = page.getByRole('list', { name: 'Thread' });
    await thread.getByText('Expired before anyone answered: “Where to?”').waitFor();
    await thread.getByText('Cancelled: another question of the run expired: make x').waitFor();
    await thread.getByText('run cancelled').waitFor();
    expect(await thread.getByText(/expired before anyone answered/i).count()).toBe(1);
    const side = page.getByRole('complementary', { name: 'About this session' });
    await side.getByText('Cancelled: another question of the run expired').waitFor();
    expect(await side.getByText(/expired before anyone answered/i).count()).toBe(1);
  });

  it('takes only answers for an attached agent, and says that it continues at its terminal when the session is ended', async () => {
    const { client } = testBed;
    const made = { agent: 'external', agent_id: 'claude', labels: ['attached'], title: 'At its terminal' };
    const { session_id } = await client.sessions.create(made);
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByText('claude takes only answers from here').waitFor();
    const { run_id } = await client.runs.start(session_id, { input: { text: 'make x' }, source: 'claude' });
    const bash = { tool_call_id: 'own', tool_name: 'Bash', input: { command: 'touch x' } };
    await client.asks.raise(run_id, { kind: 'approval', ...bash });
    await page.getByText('Allow it there, or deny it and say why').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.waitForTimeout(MOVED_MS);
    await page.getByRole('button', { name: 'Ask only at its terminal from now on?' }).click();
    await page.getByText('If claude continues, it asks only at its terminal.').waitFor();
  });

  it('leaves a receipt of one line for each request, and nothing of the text for terminals', async () => {
    const bash = (id: string, command: string) => ({
      do: 'approve' as const,
      id,
      tool_name: 'Bash',
      input: { command },
    });
    const where = [{ id: 'q', question: 'Where to?', options: [{ id: 's', label: 'Staging' }] }];
    const script = [
      bash('one', 'rm -rf build'),
      bash('two', 'npm publish'),
      { do: 'ask' as const, id: 'three', questions: where },
    ];
    const run = await playMock(testBed.client, ...script, { do: 'complete' as const, text: 'All done.' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    const thread = page.getByRole('list', { name: 'Thread' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('rm -rf build').first().waitFor();
    await page.waitForTimeout(MOVED_MS);
    await button('Allow once').click();
    await thread.getByText('You allowed rm -rf build').waitFor();
    await page.getByText('npm publish').first().waitFor();
    await button('Deny').click();
    await page.getByLabel(/Reason/).fill('not yet');
    await page.keyboard.press('Control+Enter');
    await thread.getByText(/You denied npm publish\s*: not yet/).waitFor();
    await page.getByLabel('Staging').check();
    await page.waitForTimeout(MOVED_MS);
    await button('Answer').click();
    await thread.getByText(/You answered “Where to\?”\s*: Staging/).waitFor();
    await thread.getByText('All done.').waitFor();
    expect(await thread.textContent()).not.toMatch(/Reply with|1\. Approve|Approve\?/);
    await thread.getByRole('link', { name: 'npm publish' }).click();
    await page.waitForURL('**/history/*');
  });

  it('shows the command of a run that is one, and what it printed to the letter', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'exec', work_folder: testBed.server.data });
    const command = ['/bin/echo', 'test/__snapshots__ **kept**'];
    await testBed.client.runs.start(session_id, { input: { command } });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const thread = page.getByRole('list', { name: 'Thread' });
    await thread.getByText('$ /bin/echo test/__snapshots__ **kept**').waitFor();
    await thread
      .locator('.mono')
      .getByText(/^test\/__snapshots__ \*\*kept\*\*/)
      .waitFor();
    expect(await page.getByText('dispatch').count()).toBe(0);
    await testBed.client.sessions.end(session_id);
  });

  it('offers a new run in its folder where a session runs commands, and no message', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'exec', work_folder: '/tmp' });
    await testBed.client.runs.start(session_id, { input: { command: ['/bin/true'] } });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('button', { name: 'New run in this folder' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Agent', { exact: true }).inputValue()).toBe('exec');
    expect(await dialog.getByLabel(/^Folder/).inputValue()).toBe('/tmp');
    expect(await page.locator('#composer').count()).toBe(0);
    await testBed.client.sessions.end(session_id);
  });

  it('shows comments by their authors, formatted, and the receipt of an answer after those before it', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Commented' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const questions = [{ id: 'q', question: 'Which way?' }];
    const { ask_id } = await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'way', questions });
    await client.asks.comment(ask_id, 'Is `left` **safe**?');
    const answers = [{ question_id: 'q', freeform_answer: 'left' }];
    await client.questions.answerRun(run_id, { resolution: { request_id: ask_id, answers } });
    await client.asks.comment(ask_id, 'Too late').catch(() => {});
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const thread = page.getByRole('list', { name: 'Thread' });
    await thread.locator('strong').getByText('safe').waitFor();
    const text = (await thread.textContent()) ?? '';
    expect(text).toMatch(/operator commented .*Is left safe\?[\s\S]*operator answered “Which way\?”\s*: left/);
    await client.sessions.end(session_id);
  });

  it('shows why a run failed where it ended', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'codex', work_folder: testBed.server.data });
    await testBed.client.runs.start(session_id, { input: { text: 'hi' } });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const end = page.getByRole('list', { name: 'Thread' }).getByRole('listitem').filter({ hasText: 'run failed' });
    await end.getByText('Codex is not installed on the machine of this worker, or not in its PATH').waitFor();
    await testBed.client.sessions.end(session_id);
  });
});
