// Tests starting a run from the page: its form, the settings of its agent, and the demo.
// Covers: web/src/ui/new-run.tsx, web/src/hooks/agents.ts
import { expect, it } from 'vitest';
import { findings } from './axe.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

describeInBrowser('a new run', () => {
  // No agent that is installed on this machine is found.
  const testBed = useTestBed({ env: { PATH: '/nowhere' } });

  it('refuses an agent that cannot be started and a relative work folder', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    const note = page.locator('#run-agent-note');
    const agent = page.getByLabel('Agent', { exact: true });
    const start = page.getByRole('button', { name: 'Start', exact: true });
    const problem = page.getByRole('dialog').getByRole('alert');
    await page.getByLabel('Task').fill('work');
    await page.locator('#run-agents option[value=exec]').waitFor({ state: 'attached' });
    await agent.fill('exec ');
    expect(await note.textContent()).toBe('');
    await page.getByLabel('Command', { exact: true }).waitFor();
    const exposed = page.getByText('The agent can read every file that its worker’s user account can read');
    expect(await exposed.textContent()).toMatch(/worker’s memory.*worker --run-as/s);
    await agent.fill('external');
    expect(await note.textContent()).toContain('programs that start their own runs');
    await start.click();
    await problem.getByText('programs that start their own runs').waitFor();
    await agent.fill('nobody-hosts-that');
    expect(await note.textContent()).toContain('No worker hosts “nobody-hosts-that” right now. The run waits for one');
    for (const folder of ['shop', './shop', '~/shop']) {
      await page.getByLabel(/^Folder/).fill(folder);
      await start.click();
      await problem.getByText('absolute path').waitFor();
    }
    const { items } = await testBed.client.sessions.list({ limit: 500 });
    expect(items.filter(({ title }) => title === 'work')).toEqual([]);
  });

  it('starts a run with the settings of its agent, and resets them for the next run', async () => {
    const { page } = await testBed.signedIn('lead');
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
    await page.getByLabel('Agent', { exact: true }).fill('claude');
    await page.getByLabel('Permission mode').selectOption('bypassPermissions');
    await dialog.getByText('without asking anybody').waitFor();
    expect(await findings(page)).toEqual([]);
    // Chosen by keyboard.
    await page.getByLabel('Permission mode').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await dialog.getByText('Edits files in the work folder without asking').waitFor();
    expect(await started()).toEqual({ text: 'look around', permission_mode: 'acceptEdits' });

    await page.keyboard.press('n');
    expect(await page.getByLabel('Permission mode').inputValue()).toBe('default');
    await page.getByLabel('Task').fill('look around');
    await page.getByLabel('Agent', { exact: true }).fill('codex');
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

  it('starts a run without trust in its folder, with its task to the letter, also after a reload', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    await page.getByLabel('Task').fill(' /config is broken');
    await page.getByLabel('Agent', { exact: true }).fill('claude');
    await page.getByLabel(/^Folder/).fill('/nowhere/at/all');
    await page.getByLabel('Trust this folder’s hooks and MCP servers').selectOption('false');
    // A reload restores the form, also the choice not to trust the folder.
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('n');
    expect(await page.getByLabel('Trust this folder’s hooks and MCP servers').inputValue()).toBe('false');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/sessions\/ses_/);
    const session_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [run] = (await testBed.client.runs.list({ session_id })).items;
    const input = await testBed.client.runs.input(run?.run_id ?? '');
    expect(input).toEqual({ text: ' /config is broken', trust_folder: false });
  });

  it('goes to the task where it is missing', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    await page.getByLabel('Agent', { exact: true }).fill('claude');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Describe the task.').waitFor();
    expect(await page.getByLabel('Task').evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('plays the demo to its end, with the question of its sub-agent', { timeout: 90_000 }, async () => {
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Start the demo' }).click();
    await page.waitForURL(/\/sessions\/ses_/);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    await allow.waitFor();
    // In the moment a request appears, a click is refused: it may be meant for the one before.
    await page.waitForTimeout(MOVED_MS);
    await allow.click();
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
