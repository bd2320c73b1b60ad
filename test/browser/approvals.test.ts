// Approval cards in a real browser, each driven to a decision; what counts is what the mock agent received.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useStage } from './stage.ts';

const approve = (id: string, more: Partial<ApproveStep> = {}): ApproveStep => ({
  do: 'approve',
  id,
  tool_name: 'Bash',
  input: { command: 'rm -rf build' },
  reason: 'Starts from scratch',
  ...more,
});
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('an approval', () => {
  const stage = useStage();

  it('is allowed once with a key, and with a click', async () => {
    const { page } = await stage.person('lead');
    const run = await playMock(stage.client, approve('key'));
    const { ask_id: askId } = await run.ask('key');
    await page.getByRole('heading', { name: 'Allow Bash?' }).waitFor();
    await page.getByText('rm -rf build').first().waitFor();
    // A key that was on its way when the ask appeared decides nothing. Nothing else is open that a second one could hit.
    await expect
      .poll(async () => {
        await page.keyboard.press('a');
        return (await stage.client.asks.get(askId)).status;
      })
      .toBe('answered');
    expect(await run.heard('key')).toBe('answered: allowed {"command":"rm -rf build"}');
    const clicked = await playMock(stage.client, approve('click'));
    await clicked.ask('click');
    await button(page, 'Allow once').click();
    expect(await clicked.heard('click')).toBe('answered: allowed {"command":"rm -rf build"}');
    const [first] = (await stage.client.asks.list({ session_id: run.sessionId })).items;
    expect(first?.answer).toMatchObject({ answered_by: 'lead', surface: 'web', behavior: 'allow' });
  });

  it('is allowed with what the agent suggests', async () => {
    const suggestions = [{ id: 'session', label: 'Always for this session' }];
    const run = await playMock(stage.client, approve('always', { suggestions }));
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${(await run.ask('always')).ask_id}`);
    await button(page, 'Allow: Always for this session').click();
    expect(await run.heard('always')).toBe('answered: allowed {"command":"rm -rf build"} with session');
  });

  it('says in which folder it would run; it is denied, and the agent is told why', async () => {
    const run = await playMock(stage.client, approve('deny', { work_folder: '/elsewhere/below' }));
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${(await run.ask('deny')).ask_id}`);
    await page.getByText('/elsewhere/below', { exact: true }).waitFor();
    await button(page, 'Deny').click();
    await page.getByLabel(/Why not\?/).fill('Not the build folder: clean dist instead');
    await button(page, 'Deny').click();
    expect(await run.heard('deny')).toBe('answered: Not the build folder: clean dist instead');
    await page.getByText('Denied by lead from the web inbox').first().waitFor();
  });

  it('is edited, refused while it is no JSON, and allowed as edited', async () => {
    const input = { url: 'https://example.com', depth: 3 };
    const run = await playMock(stage.client, approve('edit', { tool_name: 'Fetch', input }), approve('command'));
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${(await run.ask('edit')).ask_id}`);
    await button(page, 'Edit').click();
    const editor = page.getByLabel('The input that may run, as JSON');
    await editor.fill('{"url": "https://example.com", "depth": }');
    await page.getByText('This is no JSON yet').waitFor();
    expect(await button(page, 'Allow as edited').isDisabled()).toBe(true);
    await editor.fill('{"url": "https://example.com", "depth": 1}');
    await button(page, 'Allow as edited').click();
    expect(await run.heard('edit')).toBe('answered: allowed {"depth":1,"url":"https://example.com"}');

    await page.goto(`/asks/${(await run.ask('command')).ask_id}`);
    await button(page, 'Edit').click();
    await page.getByLabel('The command that may run').fill('rm -rf dist');
    await page.keyboard.press('Control+Enter');
    expect(await run.heard('command')).toBe('answered: allowed {"command":"rm -rf dist"}');
  });

  it('shows a change of a file as a diff, in one column or two', async () => {
    const input = { file_path: 'src/a.ts', old_string: 'const a = 1;\n', new_string: 'const a = 2;\n' };
    const run = await playMock(stage.client, approve('change', { tool_name: 'Edit', input }));
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${(await run.ask('change')).ask_id}`);
    const diff = page.getByRole('region', { name: 'Change of src/a.ts' });
    expect(await diff.locator('tr.removed .line').textContent()).toContain('const a = 1;');
    expect(await diff.locator('tr.added .line').textContent()).toContain('const a = 2;');
    await button(page, 'Show side by side').click();
    expect(await diff.locator('td.line').allTextContents()).toEqual(['const a = 1;', 'const a = 2;']);
    await button(page, 'Allow once').click();
    expect(await run.heard('change')).toContain('allowed');
  });

  it('is not allowed by the second of a double click that was meant for another', async () => {
    const run = await playMock(stage.client, { do: 'parallel', asks: [approve('aimed'), approve('next')] });
    const [aimed, next] = [await run.ask('aimed'), await run.ask('next')];
    const { page } = await stage.person('lead');
    await page.goto(`/asks/${aimed.ask_id}`);
    await button(page, 'Allow once').dblclick({ delay: 60 });
    await page.goto(`/asks/${aimed.ask_id}`);
    await page.getByText('Allowed by lead from the web inbox').first().waitFor();
    expect((await stage.client.asks.get(next.ask_id)).status).toBe('pending');
    await stage.client.runs.cancel(aimed.run_id);
  });

  it('that comes while others are decided together waits until it is checked', async () => {
    const git = (id: string, what: string) => approve(id, { input: { command: `git ${what}` } });
    const both = await playMock(stage.client, { do: 'parallel', asks: [git('g1', 'status'), git('g2', 'log')] });
    const { page } = await stage.person('lead');
    await both.ask('g2');
    await page.goto(`/asks/${(await both.ask('g1')).ask_id}`);
    await page.getByRole('button', { name: /2 approvals of this shape wait/ }).click();
    await page.getByRole('checkbox', { name: /git log/ }).waitFor();
    const late = await playMock(stage.client, git('g3', 'push --force'));
    const slipped = await late.ask('g3');
    const arrived = page.getByRole('checkbox', { name: /git push --force/ });
    await arrived.waitFor();
    expect(await arrived.isChecked()).toBe(false);
    await button(page, 'Allow 2 in one run').click();
    expect(await both.heard('g2')).toContain('git log');
    expect((await stage.client.asks.get(slipped.ask_id)).status).toBe('pending');
    await stage.client.runs.cancel(slipped.run_id);
  });

  it('is decided together with others of its shape, one batch for each run, without what was left out', async () => {
    const npm = (id: string, name: string) => approve(id, { input: { command: `npm install ${name}` } });
    const both = await playMock(stage.client, { do: 'parallel', asks: [npm('one', 'a'), npm('two', 'b')] });
    const other = await playMock(stage.client, npm('three', 'c'));
    const left = await playMock(stage.client, npm('four', 'd'));
    const { page } = await stage.person('lead');
    await Promise.all([both.ask('two'), other.ask('three'), left.ask('four')]);
    await page.goto(`/asks/${(await both.ask('one')).ask_id}`);
    await page.getByRole('button', { name: /4 approvals of this shape wait/ }).click();
    await page.getByRole('checkbox', { name: /npm install d/ }).uncheck();
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/approvals')) sent.push(request.postDataJSON());
    });
    await button(page, 'Allow 3 in 2 runs').click();
    expect(await both.heard('one')).toContain('npm install a');
    expect(await both.heard('two')).toContain('npm install b');
    expect(await other.heard('three')).toContain('npm install c');
    expect(sent.map((body) => (body as { resolutions: unknown[] }).resolutions.length)).toEqual([2, 1]);
    expect((await left.ask('four')).status).toBe('pending');
  });
});
