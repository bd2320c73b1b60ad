// The session page: start the demo, answer in the thread and on the cards, see the runs and the children; and the list of
// everything that waits, however long it is.
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { findings } from './axe.ts';
import { playMock } from './mock-run.ts';
import { complained, describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('a session', () => {
  // No agent of this machine's own is found.
  const testBed = useTestBed({ env: { PATH: '/nowhere' } });

  it('sends nothing that was begun for another prompt', async () => {
    const approval = (id: string) => ({
      do: 'approve' as const,
      id,
      tool_name: 'Bash',
      input: { command: `make ${id}` },
    });
    const asks = ['first', 'second', 'third'].map(approval);
    const run = await playMock(testBed.client, { do: 'parallel', asks });
    const [first, second, third] = [await run.ask('first'), await run.ask('second'), await run.ask('third')];
    const deny = ({ run_id, ask_id }: AskView) =>
      testBed.client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByLabel('Answers “make first”').fill('approve');
    await deny(first);
    await page.getByLabel('Answers “make second”').press('Enter');
    const warning = page.getByText(/Not sent: what you wrote was begun for something that has ended/);
    await warning.waitFor();
    expect((await testBed.client.asks.get(second.ask_id)).status).toBe('pending');
    // Nor after a reload, which keeps what was written.
    await page.goto('about:blank');
    await deny(second);
    await page.goBack();
    await page.getByLabel('Answers “make third”').press('Enter');
    await warning.waitFor();
    expect((await testBed.client.asks.get(third.ask_id)).status).toBe('pending');
    await testBed.client.runs.cancel(third.run_id);
  });

  it('shows the first ask that waits from its beginning, and what can be done about it', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `echo line ${n}`).join('\n');
    const approval = (id: string, command: string) => ({
      do: 'approve' as const,
      id,
      tool_name: 'Bash',
      input: { command },
    });
    const asks = [approval('long', lines), approval('longer', lines)];
    const run = await playMock(testBed.client, { do: 'parallel', asks });
    await Promise.all([run.ask('long'), run.ask('longer')]);
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    const card = page.getByRole('article').first();
    await card.getByText('echo line 59').waitFor();
    const isInSight = (name: string) =>
      card.getByRole('button', { name, exact: true }).evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect();
        const middle = document.elementFromPoint(button.getBoundingClientRect().left + 5, (top + bottom) / 2);
        return button.contains(middle);
      });
    await expect.poll(() => isInSight('Deny')).toBe(true);
    expect(await card.getByRole('heading', { name: 'Allow Bash?' }).isVisible()).toBe(true);
    // Two wait: no key decides, and none is offered.
    expect(await card.locator('footer kbd, footer .key').count()).toBe(0);
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect.poll(() => isInSight('Deny')).toBe(true);
    await testBed.client.runs.cancel(run.runId);
  });

  it('says when an answer is still on its way, and sends nothing before the agent has it', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Slow to listen' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'ask' } });
    const raise = (id: string) =>
      client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: id,
        tool_name: 'Bash',
        input: { command: `make ${id}` },
      });
    const first = await raise('first');
    const second = await raise('second');
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByLabel('Answers “make first”').waitFor();
    const resolutions = [{ request_id: first.ask_id, behavior: 'deny' as const }];
    await client.approvals.decideRun(run_id, { resolutions });
    const field = page.getByLabel('The last answer is on its way to the agent');
    await field.fill('approve');
    await field.press('Enter');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await client.asks.delivered(first.ask_id);
    await page.getByLabel('Answers “make second”').waitFor();
    expect((await client.asks.get(second.ask_id)).status).toBe('pending');
    const answer = page.getByLabel('Answers “make second”');
    expect(await answer.inputValue()).toBe('approve');
    // It was begun before anybody knew what would be asked: nothing is allowed by it unread.
    await answer.press('Enter');
    await page.getByText('Not sent: what you wrote was begun before this was asked').waitFor();
    expect((await client.asks.get(second.ask_id)).status).toBe('pending');
    await answer.press('Enter');
    await expect.poll(async () => (await client.asks.get(second.ask_id)).answer?.behavior).toBe('allow');

    // Where nothing is asked then, it is the next message.
    await field.fill('then tidy up');
    await client.asks.delivered(second.ask_id);
    await page.getByLabel('Starts the next run').press('Enter');
    await expect.poll(() => page.getByPlaceholder('Message the agent').inputValue()).toBe('');
    await page.getByText('then tidy up').first().waitFor();
    expect(await page.getByText('Not sent').count()).toBe(0);
    await client.runs.cancel(run_id);
  });

  it('takes `2` in the composer for the second option, and shows how it went on', async () => {
    const options = [{ label: 'Staging' }, { label: 'Production' }, { label: 'Nowhere' }];
    const run = await playMock(
      testBed.client,
      { do: 'say', text: 'I have **one** question.' },
      { do: 'ask', id: 'where', questions: [{ id: 'q', question: 'Where to?', options }] },
      { do: 'complete', text: 'Going to {{where}}.' },
    );
    await run.ask('where');
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByRole('radio', { name: 'Nowhere' }).check();
    await page.getByLabel('Answers “Where to?”').fill('2');
    await page.keyboard.press('Enter');
    expect(await run.heard('where')).toBe('answered: Production');
    // What was begun on the card was answered by the same person: there is nothing to be sorry for.
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await page.getByText('Going to Production.').waitFor();
    await page.getByText('Answered: Production', { exact: true }).waitFor();
    const runs = page.getByRole('complementary');
    await runs.getByText('completed').waitFor();
    await runs.getByText(/Answered by lead from the web inbox after/).waitFor();
    // What is written now is work for the next run.
    await page.getByPlaceholder('Message the agent').fill('and now the changelog');
    await page.keyboard.press('Enter');
    await runs.getByText('and now the changelog').waitFor();
  });

  it('held at the terminal of its agent takes answers only, and says where it goes on when it is ended here', async () => {
    const { client } = testBed;
    const made = { agent: 'external', agent_id: 'claude', labels: ['attached'], title: 'At its terminal' };
    const { session_id } = await client.sessions.create(made);
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByText('claude takes only answers from here').waitFor();
    const { run_id } = await client.runs.start(session_id, { input: { text: 'make x' }, source: 'claude' });
    const bash = { tool_call_id: 'own', tool_name: 'Bash', input: { command: 'touch x' } };
    await client.asks.raise(run_id, { kind: 'approval', ...bash });
    await page.getByLabel('Answers “touch x”').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'Ask at its terminal only, for good?' }).click();
    await page.getByText('If claude goes on, it asks at its terminal only.').waitFor();
  });

  it('is closed for words while a form waits, and open again when it was declined', async () => {
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'form',
      mode: 'form',
      questions: [{ id: 'q', question: 'A form?' }],
      otherwise: [{ do: 'say', text: 'No form then.' }],
    });
    const { ask_id } = await run.ask('form');
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByText('A form waits for an answer above').waitFor();
    expect(await page.getByPlaceholder('Your answer').count()).toBe(0);
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByLabel(/Decline to answer/).fill('no forms');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    expect(await run.heard('form')).toBe('cancelled: no forms');
    // It was sent, so nothing is left of it that was not.
    const kept = () => page.evaluate((path) => fetch(path).then(({ status }) => status), `/v1/asks/${ask_id}/draft`);
    await expect.poll(kept).toBe(204);
    await page.getByPlaceholder('Message the agent').waitFor();
  });

  it('is not started from the page with what could not work, which is said before', async () => {
    const { page } = await testBed.person('lead');
    await page.keyboard.press('n');
    const note = page.locator('#run-agent-note');
    const agent = page.getByLabel('Agent');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    const problem = page.getByRole('dialog').getByRole('alert');
    await page.getByLabel('Task').fill('work');
    await page.locator('#run-agents option[value=exec]').waitFor({ state: 'attached' });
    await agent.fill('exec ');
    expect(await note.textContent()).toBe('Any agent that a worker of this server hosts.');
    await agent.fill('external');
    expect(await note.textContent()).toContain('programs that start their own runs');
    await start.click();
    await problem.getByText('programs that start their own runs').waitFor();
    await agent.fill('nobody-hosts-that');
    expect(await note.textContent()).toBe('No worker hosts “nobody-hosts-that” now: the run would wait for one.');
    for (const folder of ['shop', './shop', '~/shop']) {
      await page.getByLabel('Work folder').fill(folder);
      await start.click();
      await problem.getByText('absolute path').waitFor();
    }
    const { items } = await testBed.client.sessions.list({ limit: 500 });
    expect(items.filter(({ title }) => title === 'work')).toEqual([]);
  });

  it('on a phone says all that a text would answer', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Long words' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const long = { tool_call_id: 'long', tool_name: 'Bash', input: { command: `make ${'x'.repeat(120)}` } };
    await client.asks.raise(run_id, { kind: 'approval', ...long });
    const { page } = await testBed.person('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/sessions/${session_id}`);
    const label = page.locator('label[for=composer]');
    await label.getByText('xxx').waitFor();
    const isWithin = () =>
      label.evaluate((text) => [...text.getClientRects()].every(({ right }) => right <= innerWidth));
    expect(await isWithin()).toBe(true);
    await client.sessions.end(session_id);
  });

  it('is started from the page under the settings of its agent, in words; what one run may is not kept for the next', async () => {
    const { page } = await testBed.person('lead');
    const dialog = page.getByRole('dialog');
    const started = async () => {
      const before = page.url();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && url.href !== before);
      await dialog.waitFor({ state: 'detached' });
      const session_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      const [run] = (await testBed.client.runs.list({ session_id })).items;
      await testBed.client.sessions.end(session_id);
      return testBed.client.runs.input(run?.run_id ?? '');
    };
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('look around');
    await page.getByLabel('Agent').fill('claude');
    await page.getByLabel('Permission mode').selectOption('bypassPermissions');
    await dialog.getByText('without asking anybody').waitFor();
    expect(await findings(page)).toEqual([]);
    // Chosen by the keyboard alone, from the end of the list.
    await page.getByLabel('Permission mode').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await dialog.getByText('changed unasked').waitFor();
    expect(await started()).toEqual({ text: 'look around', permission_mode: 'acceptEdits' });

    await page.keyboard.press('n');
    expect(await page.getByLabel('Permission mode').inputValue()).toBe('default');
    await page.getByLabel('Task').fill('look around');
    await page.getByLabel('Agent').fill('codex');
    await page.getByLabel('Sandbox').selectOption('read-only');
    await page.getByLabel('Approval policy').selectOption('untrusted');
    expect(await started()).toEqual({ text: 'look around', sandbox: 'read-only', approval_policy: 'untrusted' });
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('look around');
    await page.getByLabel('Sandbox').selectOption('--dangerously-bypass-approvals-and-sandbox');
    await dialog.getByText('nobody is asked').waitFor();
    expect(await page.getByLabel('Approval policy').count()).toBe(0);
    expect(await started()).toEqual({ text: 'look around', dangerously_bypass_approvals_and_sandbox: true });
  });

  it('that failed says why where it ended: its agent is not there', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'codex', work_folder: testBed.server.data });
    await testBed.client.runs.start(session_id, { input: { text: 'hi' } });
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    const end = page.getByRole('list', { name: 'Thread' }).getByRole('listitem').filter({ hasText: 'run failed' });
    await end.getByText('Codex is not installed on the machine of this worker, or not in its PATH').waitFor();
    await testBed.client.sessions.end(session_id);
  });

  it('is started from the page without trust in what its folder brings along, in words as they were typed', async () => {
    const { page } = await testBed.person('lead');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill(' /config is broken');
    await page.getByLabel('Agent').fill('claude');
    await page.getByLabel('Work folder').fill('/nowhere/at/all');
    await page.getByLabel('Trust what the folder brings along').uncheck();
    // Nothing of it is lost by a reload, least of all what was not to be trusted.
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('n');
    expect(await page.getByLabel('Trust what the folder brings along').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/sessions\/ses_/);
    const session_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [run] = (await testBed.client.runs.list({ session_id })).items;
    const input = await testBed.client.runs.input(run?.run_id ?? '');
    expect(input).toEqual({ text: ' /config is broken', trust_folder: false });
  });

  it('is started once, and told something once, however often a lost reply makes its person try again', async () => {
    const { page, complaints } = await testBed.person('lead');
    /** Carried out, and its reply lost when the person has been told that it takes long. */
    const loseReply = (path: string) =>
      page.route(path, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        await page.getByText('The server has not answered yet').waitFor();
        await route.fulfill({ status: 500, json: { detail: 'the reply was lost' } });
      });
    await loseReply('**/v1/sessions/*/runs');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill('only once');
    await page.getByLabel('Agent').fill('nobody-hosts-this');
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
    await field.press('Enter');
    await page.getByText('the reply was lost').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    const said = async () =>
      (await testBed.client.threads.items(session?.thread_id ?? '')).items.filter(({ content }) =>
        JSON.stringify(content).includes('said once'),
      ).length;
    expect(await said()).toBe(1);
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await said()).toBe(1);
    await complained({ complaints }, '500', '500');
    await testBed.client.sessions.end(session_id);
  });

  it('is started from the page: the demo, answered to its end, sub-agent included', { timeout: 90_000 }, async () => {
    const { page } = await testBed.person('lead');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Start the demo' }).click();
    await page.waitForURL(/\/sessions\/ses_/);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('button', { name: 'Allow once', exact: true }).click();
    await page.getByText('Is this a patch or a minor release?').first().waitFor();
    await page.getByRole('link', { name: 'Release notes asks' }).waitFor();
    await page.getByRole('radio', { name: /Patch/ }).check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('release: Patch').waitFor();
    await page
      .getByRole('complementary')
      .getByRole('link', { name: /Release notes/ })
      .click();
    await page.getByRole('heading', { name: 'Release notes' }).waitFor();
    await page.getByText('The note is written for this release: Patch.').waitFor();
  });
});

describeInBrowser('a long inbox', () => {
  const testBed = useTestBed({ env: { HOLDPOINT_LIMIT_PENDING_ASKS_PER_SESSION: '0' } });
  const MANY = 5000;

  it('of five thousand asks draws a few, scrolls to any, finds one, and shows what is new at once', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Many' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'ask a lot' } });
    const raise = (n: number) =>
      testBed.client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: `call_${n}`,
        tool_name: 'Bash',
        input: { command: `echo number-${n}.` },
      });
    for (let n = 0; n < MANY; n += 250) await Promise.all(Array.from({ length: 250 }, (_, i) => raise(n + i)));
    const { page } = await testBed.person('lead');
    await page.getByText('5,000 waiting').waitFor();
    const rows = page.getByRole('listitem');
    expect(await rows.count()).toBeLessThan(40);
    expect(await rows.first().getAttribute('aria-setsize')).toBe('5000');
    await page.keyboard.press('End');
    await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe('5000');
    await page.keyboard.press('Home');
    await expect.poll(() => rows.first().getAttribute('aria-posinset')).toBe('1');

    await page.keyboard.press('/');
    await page.keyboard.type('number-4321.');
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press('Escape');
    await raise(MANY);
    await page.getByText('5,001 waiting').waitFor();
    expect(await page.title()).toBe('(5001) Holdpoint');
  }, 180_000);
});
