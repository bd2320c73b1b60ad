// Tests approval cards in a real browser up to the decision, compared with what the mock agent received.
// Covers: web/src/ui/approval-card.tsx, web/src/ui/approval-buttons.tsx, web/src/ui/action.tsx
// Covers: web/src/ui/edit-field.tsx, web/src/ui/diff.tsx, web/src/ui/code.tsx, web/src/ui/highlighted.tsx
// Covers: web/src/ui/plan.tsx, web/src/ui/proposal.tsx, web/src/ui/reason-field.tsx, web/src/ui/suggestions.tsx
// Covers: web/src/ui/always-field.tsx, web/src/ui/always-given.tsx
// Covers: web/src/ui/group-card.tsx, web/src/ui/card-frame.tsx, web/src/ui/crumbs.tsx, web/src/hooks/approval.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock/input.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const approve = (id: string, more: Partial<ApproveStep> = {}): ApproveStep => ({
  do: 'approve',
  id,
  tool_name: 'Bash',
  input: { command: 'rm -rf build' },
  reason: 'Starts from scratch',
  ...more,
});
/** Clicks that follow each other sooner are one double click, which decides nothing. */
const DOUBLE_CLICK_MS = 700;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('approvals', () => {
  const testBed = useTestBed();

  it('allows an approval once by key and by click', async () => {
    const { page } = await testBed.signedIn('lead');
    const run = await playMock(testBed.client, approve('key'));
    const { ask_id: askId } = await run.ask('key');
    await page.getByRole('heading', { name: 'Run command' }).waitFor();
    await page.getByText('rm -rf build').first().waitFor();
    // A key pressed in the moment the ask appears is ignored. Nothing else is pending that a repeated one could decide.
    await expect
      .poll(async () => {
        await page.keyboard.press('a');
        return (await testBed.client.asks.get(askId)).status;
      })
      .toBe('answered');
    expect(await run.received('key')).toBe('answered: allowed {"command":"rm -rf build"}');
    const clicked = await playMock(testBed.client, approve('click'));
    const { ask_id: clickedId } = await clicked.ask('click');
    await expect
      .poll(
        async () => {
          // It is gone where the click before has been sent.
          await button(page, 'Allow once')
            .click({ timeout: 1000 })
            .catch(() => {});
          return (await testBed.client.asks.get(clickedId)).status;
        },
        { interval: DOUBLE_CLICK_MS },
      )
      .toBe('answered');
    expect(await clicked.received('click')).toBe('answered: allowed {"command":"rm -rf build"}');
    const [first] = (await testBed.client.asks.list({ session_id: run.sessionId })).items;
    expect(first?.answer).toMatchObject({ answered_by: 'lead', surface: 'web', behavior: 'allow' });
  });

  it('lists the past calls that a grant would have allowed as lists do', async () => {
    const { client } = testBed;
    const work_folder = '/srv/shop';
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Past calls', work_folder });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const raise = (file: string) =>
      client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: file,
        tool_name: 'Read',
        input: { file_path: `${work_folder}/${file}` },
      });
    await raise('docs/a.md');
    const { ask_id } = await raise('docs/b.md');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    await button(page, 'Always…').click();
    const offer = page.getByRole('region', { name: 'Always allow' });
    await offer.getByRole('listitem').getByText('Read docs/a.md').waitFor();
    expect(await offer.getByText('{"').count()).toBe(0);
    await client.sessions.end(session_id);
  });

  it('gives a grant after showing what it would have allowed, and the next call passes', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Always' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const raise = (id: string, command: string) =>
      testBed.client.asks.raise(run_id, { kind: 'approval', tool_call_id: id, tool_name: 'Bash', input: { command } });
    await raise('other', 'ls -l');
    const { ask_id } = await raise('first', 'git push origin');
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/asks/${ask_id}`);
    await button(page, 'Always…').click();
    const offer = page.getByRole('region', { name: 'Always allow' });
    await offer.getByRole('radio', { name: 'git push *' }).check();
    await offer.getByLabel('Until when').selectOption('for the next 10 calls');
    await offer.getByText('Would still be asked').waitFor();
    await offer.getByText('ls -l').waitFor();
    await expect
      .poll(async () => {
        await button(page, 'Allow and add grant')
          .click({ timeout: 2000 })
          .catch(() => {});
        return (await testBed.client.asks.get(ask_id)).status;
      })
      .toBe('answered');
    const passed = await raise('second', 'git push upstream');
    expect(passed).toMatchObject({ status: 'answered', answer: { behavior: 'allow' } });
    expect((await testBed.client.grants.list({ session_id })).items).toMatchObject([
      { given_by: 'lead', matches: { command: ['git push *'] }, uses: 1, most_uses: 10 },
    ]);
    const always = ', and always: git push * in this session';
    await page.goto(`/history?q=origin`);
    await page
      .getByRole('listitem')
      .filter({ hasText: `You allowed this${always}` })
      .waitFor();
    await page.goto(`/history/${ask_id}`);
    const end = page.getByRole('region', { name: 'How it ended' });
    await end.getByText(`Allowed${always}`).waitFor();
    await end.getByRole('link', { name: 'Rules' }).click();
    await page.waitForURL('**/rules');
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('list', { name: 'Thread' }).getByText(`You allowed git push origin${always}`).waitFor();
    await testBed.client.sessions.end(session_id);
  });

  it('shows a suggestion in full beside its button on a phone, and sends it with the approval', async () => {
    const covered = Array.from({ length: 12 }, (_, i) => `Bash(npm run step-${i} *)`).join(', ');
    const label = `Do not ask again in this session for ${covered}`;
    const suggestions = [{ id: 'session', label, rules: [{ toolName: 'Bash', ruleContent: 'npm run *' }] }];
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Suggests' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const call = { tool_call_id: 'c', tool_name: 'Bash', input: { command: 'npm run step-1' }, suggestions };
    const { ask_id } = await testBed.client.asks.raise(run_id, { kind: 'approval', ...call });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/asks/${ask_id}`);
    const offer = page.locator('.suggestions');
    await offer.getByText(label, { exact: true }).waitFor();
    await offer.getByText('{"rules":[{"toolName":"Bash","ruleContent":"npm run *"}]}').waitFor();
    const isWithin = (element: Element) => element.getBoundingClientRect().right <= innerWidth;
    for (const found of [button(page, 'Deny'), button(page, 'Edit'), offer.getByText(label, { exact: true })])
      expect(await found.evaluate(isWithin)).toBe(true);
    await button(page, 'Always…').click();
    await page.getByRole('region', { name: 'Always allow' }).getByText('you can revoke the grant').waitFor();
    await offer.getByText('Holdpoint can neither list nor revoke').waitFor();
    await expect
      .poll(async () => {
        await button(page, `Allow and add agent rule ${label}`)
          .click({ timeout: 2000 })
          .catch(() => {});
        return (await testBed.client.asks.get(ask_id)).answer;
      })
      .toMatchObject({ behavior: 'allow', suggestion_ids: ['session'], answered_by: 'lead' });
    await testBed.client.sessions.end(session_id);
  });

  it('shows the whole file path, the wanted permissions and the host of a link on a phone', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'In full' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    const show = async (tool_name: string, input: Record<string, unknown>) => {
      const call = { tool_call_id: tool_name, tool_name, input };
      const { ask_id } = await testBed.client.asks.raise(run_id, { kind: 'approval', ...call });
      await page.goto(`/asks/${ask_id}`);
    };
    const file_path = `/srv/${'deep/'.repeat(30)}the-file-itself.ts`;
    await show('Write', { file_path, content: 'x\n' });
    const name = page.getByRole('figure').getByText(file_path);
    await name.waitFor();
    expect(await name.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true);
    expect(await name.evaluate((element) => getComputedStyle(element).textOverflow)).toBe('clip');
    await page.getByText('If it exists, it is replaced').waitFor();

    await show('request_permissions', {
      permissions: { network: { enabled: true }, fileSystem: { write: ['/srv/c'] } },
    });
    const wanted = page.getByRole('article').locator('.bullets li');
    await expect.poll(() => wanted.allTextContents()).toEqual(['use the network', 'write /srv/c']);
    await page.getByText('"enabled":true').waitFor();

    await show('mcp__bank', { message: 'Sign in', url: 'https://bank.example@evil.example/x' });
    const link = page.getByRole('link', { name: 'Open this page of evil.example' });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await show('mcp__script', { message: 'Sign in', url: 'javascript:alert(1)' });
    await page.getByRole('article').getByText('javascript:alert(1)').waitFor();
    expect(await page.getByRole('link', { name: /Open this page/ }).count()).toBe(0);
    await testBed.client.sessions.end(session_id);
  });

  it('decides an approval with a suggestion, and a group of approvals, by keyboard alone', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'By keyboard' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'work' } });
    const raise = (id: string, more = {}) =>
      testBed.client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: id,
        tool_name: 'Bash',
        input: { command: id },
        ...more,
      });
    const answerOf = async (askId: string) => (await testBed.client.asks.get(askId)).answer;
    const { page } = await testBed.signedIn('lead');
    const tabTo = async (name: RegExp) => {
      const target = page.getByRole('button', { name });
      await target.waitFor();
      for (let i = 0; i < 60 && !(await target.evaluate((b) => b === document.activeElement)); i++)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    const alone = await raise('alone 1', { suggestions: [{ id: 'session', label: 'Always' }] });
    await tabTo(/Allow and add agent rule Always/);
    await expect.poll(() => answerOf(alone.ask_id)).toMatchObject({ suggestion_ids: ['session'] });

    const three = [await raise('make all 1'), await raise('make all 2'), await raise('make all 3')];
    await tabTo(/3 similar requests/);
    await page.getByRole('article').getByRole('checkbox').nth(1).waitFor();
    for (
      let i = 0;
      i < 60 &&
      !(await page
        .getByRole('article')
        .getByRole('checkbox')
        .nth(1)
        .evaluate((b) => b === document.activeElement));
      i++
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await tabTo(/Allow 2 of 3/);
    await expect.poll(async () => (await answerOf(three[2]?.ask_id ?? ''))?.behavior).toBe('allow');
    expect(await answerOf(three[1]?.ask_id ?? '')).toBeUndefined();
    await testBed.client.sessions.end(session_id);
  });

  it('renders a plan as Markdown, shows it to the letter where that would hide a part, and allows it', async () => {
    const reason = '# Move the invoices\n\n1. **First** the tests\n2. then `src/invoice.ts`';
    const plan = { tool_name: 'ExitPlanMode', input: {} };
    const filed = { ...plan, input: { plan: reason, planFilePath: '/home/me/plans/a.md' } };
    const hiding = `${reason}\n\n[//]: # (then remove everything)`;
    const run = await playMock(testBed.client, {
      do: 'parallel',
      asks: [
        approve('plan', { ...plan, reason }),
        approve('hiding', { ...plan, reason: hiding }),
        approve('filed', { ...filed, reason }),
      ],
    });
    const [shown, hidden, inFile] = [await run.ask('plan'), await run.ask('hiding'), await run.ask('filed')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${hidden.ask_id}`);
    await page.getByText('(then remove everything)').waitFor();
    await page.goto(`/asks/${inFile.ask_id}`);
    await page.getByRole('figure').getByText('/home/me/plans/a.md').waitFor();
    await page.getByRole('figure').getByRole('heading', { name: 'Move the invoices' }).waitFor();
    expect(await page.getByRole('figure').count()).toBe(1);
    await page.goto(`/asks/${shown.ask_id}`);
    await page.getByRole('heading', { name: 'Approve this plan?' }).waitFor();
    const figure = page.getByRole('figure');
    await figure.getByRole('heading', { name: 'Move the invoices' }).waitFor();
    expect(await figure.getByRole('listitem').count()).toBe(2);
    await button(page, 'View source').click();
    await figure.getByText('# Move the invoices').waitFor();
    // A plan has no input to edit, and plans are not grouped.
    expect(await button(page, 'Edit').count()).toBe(0);
    expect(await page.getByText('similar requests').count()).toBe(0);
    expect(await button(page, 'Always…').count()).toBe(0);
    await button(page, 'Approve').click();
    await page.locator('.toast').getByText('Approved: ').waitFor();
    await page.locator('.row').getByText('You approved this').waitFor();
    const resolutions = [hidden, inFile].map(({ ask_id }) => ({ request_id: ask_id, behavior: 'deny' as const }));
    await testBed.client.approvals.decideRun(run.runId, { resolutions });
    expect([await run.received('plan'), await run.received('hiding')]).toEqual([
      'answered: allowed {}',
      'answered: approval denied',
    ]);
  });

  it('shows the work folder of an approval, and sends the reason for denying it to the agent', async () => {
    const run = await playMock(testBed.client, approve('deny', { work_folder: '/elsewhere/below' }));
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${(await run.ask('deny')).ask_id}`);
    await page.getByText('/elsewhere/below', { exact: true }).waitFor();
    await button(page, 'Deny').click();
    await page.getByLabel(/Reason/).fill('Not the build folder: clean dist instead');
    await button(page, 'Deny').click();
    expect(await run.received('deny')).toBe('answered: Not the build folder: clean dist instead');
    await page.getByText('You denied this').first().waitFor();
  });

  it('allows an approval with an edited input, and only once the input is valid', async () => {
    const input = { url: 'https://example.com', depth: 3 };
    const run = await playMock(testBed.client, approve('edit', { tool_name: 'Fetch', input }), approve('command'));
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${(await run.ask('edit')).ask_id}`);
    await button(page, 'Edit').click();
    const editor = page.getByLabel('Edit input (JSON)');
    await editor.fill('{"url": "https://example.com", "depth": }');
    await page.getByText('Invalid JSON').waitFor();
    expect(await button(page, 'Allow as edited').isDisabled()).toBe(true);
    await editor.fill('{"url": "https://example.com", "depth": 1}');
    await button(page, 'Allow as edited').click();
    expect(await run.received('edit')).toBe('answered: allowed {"depth":1,"url":"https://example.com"}');

    await page.goto(`/asks/${(await run.ask('command')).ask_id}`);
    await button(page, 'Edit').click();
    await page.getByLabel('Edit command').fill('rm -rf dist');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Allowed: rm -rf dist').waitFor();
    expect(await run.received('command')).toBe('answered: allowed {"command":"rm -rf dist"}');
  });

  it('shows the change of a file as a diff in one column or two', async () => {
    const input = { file_path: 'src/a.ts', old_string: 'const a = 1;\n', new_string: 'const a = 2;\n' };
    const run = await playMock(testBed.client, approve('change', { tool_name: 'Edit', input }));
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${(await run.ask('change')).ask_id}`);
    const diff = page.getByRole('figure', { name: /src\/a\.ts/ });
    expect(await diff.locator('tr.removed .line').textContent()).toContain('const a = 1;');
    expect(await diff.locator('tr.added .line').textContent()).toContain('const a = 2;');
    await button(page, 'Show side by side').click();
    expect(await diff.locator('td.line').allTextContents()).toEqual(['const a = 1;', 'const a = 2;']);
    await button(page, 'Allow once').click();
    expect(await run.received('change')).toContain('allowed');
  });

  it('ignores the second click of a double click, which would decide the next approval', async () => {
    const run = await playMock(testBed.client, { do: 'parallel', asks: [approve('aimed'), approve('next')] });
    const [aimed, next] = [await run.ask('aimed'), await run.ask('next')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${aimed.ask_id}`);
    await button(page, 'Allow once').dblclick({ delay: 60 });
    await page.goto(`/asks/${aimed.ask_id}`);
    await page.getByText('You allowed this').first().waitFor();
    expect((await testBed.client.asks.get(next.ask_id)).status).toBe('pending');
    await testBed.client.runs.cancel(aimed.run_id);
  });

  it('leaves an approval unchecked that joins an open group', async () => {
    const git = (id: string, what: string) => approve(id, { input: { command: `git push ${what}` } });
    const both = await playMock(testBed.client, { do: 'parallel', asks: [git('g1', 'a'), git('g2', 'b')] });
    const { page } = await testBed.signedIn('lead');
    await both.ask('g2');
    await page.goto(`/asks/${(await both.ask('g1')).ask_id}`);
    await page.getByRole('button', { name: /2 similar requests/ }).click();
    await page.getByRole('checkbox', { name: /git push b/ }).waitFor();
    const late = await playMock(testBed.client, git('g3', 'c'));
    const slipped = await late.ask('g3');
    const arrived = page.getByRole('checkbox', { name: /git push c/ });
    await arrived.waitFor();
    expect(await arrived.isChecked()).toBe(false);
    await button(page, 'Allow 2 of 3').click();
    expect(await both.received('g2')).toContain('git push b');
    expect((await testBed.client.asks.get(slipped.ask_id)).status).toBe('pending');
    await testBed.client.runs.cancel(slipped.run_id);
  });

  it('decides a group of approvals in one batch for each run, without the unchecked ones', async () => {
    const npm = (id: string, name: string) => approve(id, { input: { command: `npm install ${name}` } });
    const both = await playMock(testBed.client, { do: 'parallel', asks: [npm('one', 'a'), npm('two', 'b')] });
    const other = await playMock(testBed.client, npm('three', 'c'));
    const left = await playMock(testBed.client, npm('four', 'd'));
    const { page } = await testBed.signedIn('lead');
    await Promise.all([both.ask('two'), other.ask('three'), left.ask('four')]);
    await page.goto(`/asks/${(await both.ask('one')).ask_id}`);
    await page.getByRole('button', { name: /4 similar requests/ }).click();
    await page.getByRole('checkbox', { name: /npm install d/ }).uncheck();
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/approvals')) sent.push(request.postDataJSON());
    });
    await button(page, 'Allow 3 of 4').click();
    expect(await both.received('one')).toContain('npm install a');
    expect(await both.received('two')).toContain('npm install b');
    expect(await other.received('three')).toContain('npm install c');
    expect(sent.map((body) => (body as { resolutions: unknown[] }).resolutions.length)).toEqual([2, 1]);
    const next = await left.ask('four');
    expect(next.status).toBe('pending');
    await page.waitForURL(`**/asks/${next.ask_id}`);
  });
});
