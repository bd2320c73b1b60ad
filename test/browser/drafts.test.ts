// Tests that typed text survives a reload, a restart of the server, and a change to another device.
// Covers: web/src/ui/saved-note.tsx, web/src/hooks/draft.ts, web/src/hooks/stored-text.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const OPTIONS = [{ label: 'Staging' }, { label: 'Production' }];
const questions = [
  { id: 'target', question: 'Where to?', options: OPTIONS, multi_select: true },
  { id: 'why', question: 'Why?' },
];

describeInBrowser('drafts', () => {
  const testBed = useTestBed();
  const askedWhy = async (id: string) => {
    const run = await playMock(testBed.client, { do: 'ask', id, questions: [{ id: 'why', question: 'Why?' }] });
    return { run, ask_id: (await run.ask(id)).ask_id };
  };

  it('restores a draft after a reload and on another device, and sends all of it', async () => {
    const run = await playMock(testBed.client, { do: 'ask', id: 'form', questions });
    const { ask_id } = await run.ask('form');
    const lead = await testBed.signedIn('lead');
    await lead.page.goto(`/asks/${ask_id}`);
    await lead.page.getByRole('checkbox', { name: 'Production' }).check();
    await lead.page.getByRole('textbox', { name: 'Why?' }).pressSequentially('Because the te');
    // At once, before the pause after which a draft is saved.
    await lead.page.reload();
    const field = lead.page.getByRole('textbox', { name: 'Why?' });
    await expect.poll(() => field.inputValue()).toBe('Because the te');
    expect(await lead.page.getByRole('checkbox', { name: 'Production' }).isChecked()).toBe(true);

    const other = await testBed.signedIn('lead');
    await other.page.goto(`/asks/${ask_id}`);
    const elsewhere = other.page.getByRole('textbox', { name: 'Why?' });
    await expect.poll(() => elsewhere.inputValue()).toBe('Because the te');
    await elsewhere.pressSequentially('sts are green');
    await other.page.getByRole('button', { name: 'Send answers' }).click();
    expect(await run.received('form')).toBe('answered: Production\nBecause the tests are green');
  });

  it('moves no button when what is typed is saved, on a phone as on a desktop', async () => {
    const { ask_id } = await askedWhy('still');
    const { run_id } = await testBed.client.asks.get(ask_id);
    const call = { tool_call_id: 'still-too', tool_name: 'Bash', input: { command: 'make' } };
    const approval = await testBed.client.asks.raise(run_id, { kind: 'approval', ...call });
    for (const viewport of [
      { width: 320, height: 700 },
      { width: 390, height: 700 },
      { width: 1280, height: 800 },
    ]) {
      const { page } = await testBed.signedIn(`lead${viewport.width}`, { viewport });
      const places = () =>
        page
          .locator('.actions .button')
          .evaluateAll((buttons) => buttons.map((button) => [button.textContent, button.getBoundingClientRect()]));
      const typesInto = async (name: string) => {
        await page.getByRole('textbox', { name }).waitFor();
        const before = await places();
        await page.getByRole('textbox', { name }).pressSequentially('x');
        await page.getByText('Draft saved').waitFor();
        expect(await places()).toEqual(before);
      };
      await page.goto(`/asks/${ask_id}`);
      await typesInto('Why?');
      await page.goto(`/asks/${approval.ask_id}`);
      await page.getByRole('button', { name: 'Deny' }).click();
      await typesInto('Reason (sent to the agent)');
    }
  });

  it('empties the reason of a denial where it is typed, and calls nothing saved then', async () => {
    const { ask_id: other, run } = await askedWhy('cleared');
    const call = { tool_call_id: 'cleared-too', tool_name: 'Bash', input: { command: 'make' } };
    const { ask_id } = await testBed.client.asks.raise(run.runId, { kind: 'approval', ...call });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 800 } });
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    const reason = page.getByRole('textbox', { name: 'Reason (sent to the agent)' });
    await reason.fill('Not now');
    await page.getByText('Draft saved').waitFor();
    const cleared = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Clear text' }).click();
    expect(await reason.inputValue()).toBe('');
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true);
    await cleared;
    expect(await page.getByText('Draft saved').count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Always…' }).waitFor();
    expect(await reason.count()).toBe(0);
    // An answer that was deleted by hand is not restored either.
    await page.goto(`/asks/${other}`);
    const why = page.getByRole('textbox', { name: 'Why?' });
    await why.fill('Because');
    await page.getByText('Draft saved').waitFor();
    const deleted = page.waitForResponse((response) => response.request().method() === 'PUT');
    await why.fill('');
    await deleted;
    expect(await page.getByText('Draft saved').count()).toBe(0);
    await page.reload();
    await why.waitFor();
    await page.waitForTimeout(500);
    expect(await why.inputValue()).toBe('');
    await testBed.client.asks.withdraw(ask_id);
    await testBed.client.asks.withdraw(other);
  });

  it('follows what the same person types in another window or tab', async () => {
    const run = await playMock(testBed.client, { do: 'ask', id: 'two', questions });
    const { ask_id } = await run.ask('two');
    const one = await testBed.signedIn('lead');
    const other = await testBed.signedIn('lead');
    const tab = await one.context.newPage();
    const pages = [one.page, other.page, tab];
    await Promise.all(pages.map((page) => page.goto(`/asks/${ask_id}`)));
    const why = (page: Page) => page.getByRole('textbox', { name: 'Why?' });
    const all = (text: string) =>
      Promise.all(pages.map((page) => expect.poll(() => why(page).inputValue()).toBe(text)));
    await why(one.page).fill('Because');
    await all('Because');
    await why(other.page).press('End');
    await why(other.page).pressSequentially(' I say so');
    await other.page.getByRole('checkbox', { name: 'Staging' }).check();
    await all('Because I say so');
    for (const page of pages)
      await expect.poll(() => page.getByRole('checkbox', { name: 'Staging' }).isChecked()).toBe(true);
    await why(tab).fill('No, wait');
    await all('No, wait');
    await one.page.getByRole('button', { name: 'Send answers' }).click();
    expect(await run.received('two')).toBe('answered: Staging\nNo, wait');
  });

  it('keeps the text while the server restarts, and sends the answer afterwards', async () => {
    const { run, ask_id } = await askedWhy('restart');
    const { page, complaints } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    const field = page.getByRole('textbox', { name: 'Why?' });
    await field.pressSequentially('Before the restart, ');
    await testBed.restart('SIGKILL');
    await field.pressSequentially('and after it.');
    await page.getByText('Live').waitFor();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.received('restart')).toBe('answered: Before the restart, and after it.');
    // The browser logs the requests that failed while the server was down.
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/);
  });

  it('says that a text is not saved yet while the network is gone', async () => {
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'net',
      questions: [{ id: 'q', question: 'Offline?' }],
    });
    const { page, context, complaints } = await testBed.signedIn('lead');
    await page.goto(`/asks/${(await run.ask('net')).ask_id}`);
    const field = page.getByRole('textbox', { name: 'Offline?' });
    await field.waitFor();
    await context.setOffline(true);
    await field.fill('half a thought');
    await page.getByText('Not saved yet').waitFor();
    await context.setOffline(false);
    await page.getByText('Draft saved').waitFor();
    complaints.splice(0);
    await testBed.client.sessions.end(run.sessionId);
  });

  it('discards a draft that is still being saved when its answer is accepted', async () => {
    const { run, ask_id } = await askedWhy('quick');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask_id}`);
    const saving = page.waitForRequest((request) => request.method() === 'PUT');
    await page.route('**/draft', async (route) => {
      // The draft reaches the server only after the answer, if at all.
      if (route.request().method() === 'PUT') await run.received('quick');
      await route.continue().catch(() => {});
    });
    await page.getByRole('textbox', { name: 'Why?' }).fill('So');
    await saving;
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.received('quick')).toBe('answered: So');
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('You answered this').first().waitFor();
    expect(await page.getByText('What you had typed').count()).toBe(0);
  });

  it('restores what was typed in the composer after a reload', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByPlaceholder('Message the agent').fill('half a mess');
    await page.reload();
    await expect.poll(() => page.getByPlaceholder('Message the agent').inputValue()).toBe('half a mess');
  });

  it('sends a message when the session storage is full', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const field = page.getByPlaceholder('Message the agent');
    await field.waitFor();
    await page.evaluate(() => {
      for (let size = 2 ** 23, n = 0; size >= 1; n++)
        try {
          sessionStorage.setItem(`full-${n}`, 'x'.repeat(size));
        } catch {
          size = Math.floor(size / 2);
        }
    });
    await field.fill('there is no room for this');
    await field.press('Control+Enter');
    await page.getByText('there is no room for this').first().waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });
});
