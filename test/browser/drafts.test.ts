// Nothing typed is lost: not by a reload, not by a restart of the server, not on another device.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const OPTIONS = [{ label: 'Staging' }, { label: 'Production' }];
const questions = [
  { id: 'target', question: 'Where to?', options: OPTIONS, multi_select: true },
  { id: 'why', question: 'Why?' },
];

describeInBrowser('in the middle of typing', () => {
  const testBed = useTestBed();

  it('a reload and another device bring it all back, and the agent gets the whole', async () => {
    const run = await playMock(testBed.client, { do: 'ask', id: 'form', questions });
    const { ask_id } = await run.ask('form');
    const lead = await testBed.person('lead');
    await lead.page.goto(`/asks/${ask_id}`);
    await lead.page.getByRole('checkbox', { name: 'Production' }).check();
    await lead.page.getByRole('textbox', { name: 'Why?' }).pressSequentially('Because the te');
    // At once, without a pause in which it could have been kept.
    await lead.page.reload();
    const field = lead.page.getByRole('textbox', { name: 'Why?' });
    await expect.poll(() => field.inputValue()).toBe('Because the te');
    expect(await lead.page.getByRole('checkbox', { name: 'Production' }).isChecked()).toBe(true);

    const other = await testBed.person('lead');
    await other.page.goto(`/asks/${ask_id}`);
    const elsewhere = other.page.getByRole('textbox', { name: 'Why?' });
    await expect.poll(() => elsewhere.inputValue()).toBe('Because the te');
    await elsewhere.pressSequentially('sts are green');
    await other.page.getByRole('button', { name: 'Send answers' }).click();
    expect(await run.heard('form')).toBe('answered: Production\nBecause the tests are green');
  });

  it('two windows of one person follow each other, key by key', async () => {
    const run = await playMock(testBed.client, { do: 'ask', id: 'two', questions });
    const { ask_id } = await run.ask('two');
    const one = await testBed.person('lead');
    const other = await testBed.person('lead');
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
    expect(await run.heard('two')).toBe('answered: Staging\nNo, wait');
  });

  it('a restart of the server is waited for, with the text in place, and the answer arrives', async () => {
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'restart',
      questions: [{ id: 'why', question: 'Why?' }],
    });
    const { ask_id } = await run.ask('restart');
    const { page, complaints } = await testBed.person('lead');
    await page.goto(`/asks/${ask_id}`);
    const field = page.getByRole('textbox', { name: 'Why?' });
    await field.pressSequentially('Before the restart, ');
    await testBed.restart('SIGKILL');
    await field.pressSequentially('and after it.');
    await page.getByText('Live').waitFor();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.heard('restart')).toBe('answered: Before the restart, and after it.');
    // The browser notes the requests that found nobody.
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/);
  });

  it('an answer leaves behind what was still being kept, and nobody complains', async () => {
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'quick',
      questions: [{ id: 'why', question: 'Why?' }],
    });
    const { ask_id } = await run.ask('quick');
    const { page } = await testBed.person('lead');
    await page.goto(`/asks/${ask_id}`);
    const saving = page.waitForRequest((request) => request.method() === 'PUT');
    await page.route('**/draft', async (route) => {
      // Slower than the answer: it reaches the server, if at all, when its author has answered.
      if (route.request().method() === 'PUT') await run.heard('quick');
      await route.continue().catch(() => {});
    });
    await page.getByRole('textbox', { name: 'Why?' }).fill('So');
    await saving;
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await run.heard('quick')).toBe('answered: So');
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('Answered by lead from the web inbox').first().waitFor();
    expect(await page.getByText('What you had typed').count()).toBe(0);
  });

  it('the composer keeps it too', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { page } = await testBed.person('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByPlaceholder('Message the agent').fill('half a mess');
    await page.reload();
    await expect.poll(() => page.getByPlaceholder('Message the agent').inputValue()).toBe('half a mess');
  });

  it('a browser without room for it takes it all the same', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { page } = await testBed.person('lead');
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
    await field.press('Enter');
    await page.getByText('there is no room for this').first().waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('a page that breaks says so, and is there again when it is loaded anew', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Not broken' });
    const { page, complaints } = await testBed.person('lead');
    const path = `**/v1/sessions/${session_id}`;
    await page.route(path, (route) => route.fulfill({ json: {} }));
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('alert').getByText('This page is broken and cannot go on').waitFor();
    expect(complaints.splice(0)).not.toEqual([]);
    await page.unroute(path);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Not broken' }).waitFor();
  });
});
