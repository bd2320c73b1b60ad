// Tests that nothing is decided, sent or started by accident: by a held key, a double click, a key meant for something
// else, or without what is decided being in view.
// Covers: web/src/hooks/gesture.ts, web/src/hooks/commands.ts, web/src/ui/confirm-button.tsx, web/src/ui/dialog.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { readToEnd } from './read-to-end.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('accidents', () => {
  const testBed = useTestBed();

  const begin = async (title: string, work_folder?: string) => {
    const { client } = testBed;
    const session = { agent: 'external', title, ...(work_folder !== undefined && { work_folder }) };
    const { session_id } = await client.sessions.create(session);
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    let calls = 0;
    const raise = (call: object): Promise<AskView> =>
      client.asks.raise(run_id, { tool_call_id: `c${calls++}`, ...call } as never) as Promise<AskView>;
    return {
      session_id,
      approval: (input: object, more = {}) => raise({ kind: 'approval', tool_name: 'Bash', input, ...more }),
      question: (...questions: object[]) => raise({ kind: 'question', questions }),
      end: () => client.sessions.end(session_id),
    };
  };
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).status;
  const hasSettled = (page: Page) => page.waitForTimeout(MOVED_MS);

  it('reads on with Enter and Space, and allows nothing, also when Enter is held down', async () => {
    const run = await begin('Enter');
    const ask = await run.approval({ command: Array.from({ length: 200 }, (_, n) => `echo ${n}`).join('\n') });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Read to the end to allow').waitFor();
    await hasSettled(page);
    for (const key of ['Enter', 'Enter', 'Space', 'PageDown']) await page.keyboard.press(key);
    for (let i = 0; i < 5; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await page.locator('.card-scroll').evaluate((card) => card.scrollTop)).toBeGreaterThan(0);
    // A key that is held down on the button itself decides as little.
    await readToEnd(page);
    await button(page, 'Allow once').focus();
    await page.keyboard.down('Space');
    await page.keyboard.down('Space');
    await page.keyboard.up('Space');
    await page.getByText('Not sent: a held key').waitFor();
    expect(await statusOf(ask)).toBe('pending');
    await page.keyboard.press('Space');
    await expect.poll(() => statusOf(ask)).toBe('answered');
    await run.end();
  });

  it('takes letters for text after a press beside a reason, a comment or an edit that was begun', async () => {
    const run = await begin('Beside');
    const ask = await run.approval({ command: 'make beside' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await hasSettled(page);
    const beside = () => page.locator('.card h2').first().click();
    const isOpen = (label: RegExp) => page.getByLabel(label).isVisible();
    await page.keyboard.press('d');
    await page.getByLabel(/Reason/).fill('Not');
    await beside();
    await page.keyboard.type('while waiting');
    await page.getByText('Shortcuts are off while you type').waitFor();
    expect(await isOpen(/Reason/)).toBe(true);
    expect(await page.getByLabel(/Reason/).inputValue()).toBe('Not');
    expect(await page.getByText('Allow from now on').count()).toBe(0);
    await page.keyboard.press('Escape');
    await button(page, 'Allow once').waitFor();
    await page.keyboard.press('c');
    await page.getByLabel(/^Comment\./).fill('Why');
    await beside();
    await page.keyboard.type('wa');
    expect(await isOpen(/^Comment\./)).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByLabel('Edit command').fill('make besides');
    await beside();
    await page.keyboard.type('ad');
    expect(await isOpen(/^Edit command/)).toBe(true);
    expect(await statusOf(ask)).toBe('pending');
    await run.end();
  });

  it('reads what is typed on as text when the request ends meanwhile, and decides, moves and takes nothing', async () => {
    const run = await begin('Typing');
    const others = [await run.approval({ command: 'make deploy-one' })];
    const typed = [await run.approval({ command: 'make x' }), await run.approval({ command: 'make y' })];
    others.push(await run.approval({ command: 'make deploy-two' }));
    const { page } = await testBed.signedIn('lead');
    for (const [i, key] of ['c', 'd'].entries()) {
      const ask = typed[i] as AskView;
      await page.goto(`/asks/${ask.ask_id}`);
      await button(page, 'Allow once').waitFor();
      await hasSettled(page);
      await page.keyboard.press(key);
      const field = page.locator('.card textarea');
      await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.type('why is this ');
      await testBed.client.asks.withdraw(ask.ask_id);
      await page.getByText('Withdrawn by its agent').first().waitFor();
      await page.waitForTimeout(600);
      await page.keyboard.type('job a big change?', { delay: 130 });
      expect(new URL(page.url()).pathname).toBe(`/asks/${ask.ask_id}`);
      expect(await page.getByText('Allowing: ').count()).toBe(0);
      for (const { ask_id } of others) {
        const other = await testBed.client.asks.get(ask_id);
        expect([other.status, other.taken_by]).toEqual(['pending', undefined]);
      }
      expect(await field.inputValue()).toBe('why is this job a big change?');
      await page.keyboard.press('Control+Enter');
      const notice = page.getByText('Withdrawn by its agent: no longer needed. What you type is not sent');
      await notice.waitFor();
      await page.keyboard.press('Escape');
      await notice.waitFor({ state: 'detached' });
      await page.getByText('why is this job a big change?').waitFor();
      // The person has left the field: keys are shortcuts again.
      await page.keyboard.press('j');
      await page.waitForURL((url) => url.pathname !== `/asks/${ask.ask_id}`);
    }
    await run.end();
  });

  it('reads what is typed on as text when its field is taken away, until Escape', async () => {
    const run = await begin('Taken away');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.session_id}`);
    await page.locator('#composer').pressSequentially('please ');
    const ask = await run.approval({ command: 'make deploy' });
    await button(page, 'Allow once').waitFor();
    await page.waitForTimeout(600);
    await page.keyboard.type('job a big change?', { delay: 130 });
    await page.getByText('Press Esc to use shortcuts').waitFor();
    expect(await testBed.client.asks.get(ask.ask_id)).not.toHaveProperty('taken_by');
    expect(await statusOf(ask)).toBe('pending');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(ask)).toBe('answered');
    await run.end();
  });

  it('closes the composer of a session for approvals, for secrets, and while several asks wait', async () => {
    const run = await begin('Composer');
    const decline = async ({ run_id, ask_id }: AskView) => {
      const resolution = { request_id: ask_id, declined: true };
      await testBed.client.questions.answerRun(run_id, { resolution });
      await testBed.client.asks.delivered(ask_id);
    };
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.session_id}`);
    const where = await run.question({ id: 'q', question: 'Where to?' });
    await page.getByLabel('Answers “Where to?”').waitFor();
    const token = await run.question({ id: 's', question: 'Paste a publish token', secret: true });
    await page.getByText('A secret is requested above').waitFor();
    expect(await page.locator('#composer').count()).toBe(0);
    await decline(token);
    await page.getByLabel('Answers “Where to?”').waitFor();
    const approval = await run.approval({ command: 'npm cache clean' });
    await page.getByText('2 requests are waiting above').waitFor();
    await decline(where);
    await page.getByText('Allow it there, or deny it and say why').waitFor();
    expect(await page.locator('#composer').count()).toBe(0);
    expect(await statusOf(approval)).toBe('pending');
    await run.end();
  });

  it('groups no commands of different folders, purposes or files, and shows what differs in a group', async () => {
    const [shop, root] = [await begin('Shop', '/srv/shop'), await begin('Root', '/')];
    const described = (command: string) => ({ command, description: 'Clean up' });
    const first = await shop.approval(described('rm -rf build\u200b'), { reason: 'Starts anew' });
    // Hidden characters are a red mark, as the folder is: what has them is not grouped with what has none.
    await shop.approval(described('rm -rf dist\u200b'), { reason: 'Starts anew' });
    await shop.approval(described('rm -rf out'), { reason: 'Starts anew' });
    await root.approval(described('rm -rf build'));
    await shop.approval({ file_path: '/srv/shop/a', old_string: 'if (!user.isAdmin) throw', new_string: '' });
    const write = await shop.approval({ file_path: '/srv/shop/b', old_string: 'x', new_string: 'y' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${write.ask_id}`);
    await button(page, 'Allow once').waitFor();
    expect(await page.getByRole('button', { name: /similar requests/ }).count()).toBe(0);
    await page.goto(`/asks/${first.ask_id}`);
    await page.getByRole('button', { name: /2 similar requests/ }).click();
    const members = page.locator('.member');
    await expect.poll(() => members.count()).toBe(2);
    for (const shown of ['/srv/shop', 'Starts anew', '1 hidden character', 'Clean up'])
      await members.first().getByText(shown).waitFor();
    await Promise.all([shop.end(), root.end()]);
  });

  it('puts no hidden characters into the editor, and shows the change before it is allowed', async () => {
    const run = await begin('Edit');
    const ask = await run.approval({ command: 'echo "\u202edone" && sh', timeout: 5 });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Edit').click();
    expect(await page.getByLabel('Edit command').count()).toBe(0);
    await button(page, 'Remove the hidden characters and edit').click();
    const field = page.getByLabel('Edit command');
    expect(await field.inputValue()).toBe('echo "done" && sh');
    // Pasted ones are shown, and not sent.
    await field.fill('echo "done" \u202e&& hs');
    await page.locator('.editor-exact').getByText('U+202E').waitFor();
    await page.getByText('Your edit contains hidden characters').waitFor();
    expect(await button(page, 'Allow as edited').isDisabled()).toBe(true);
    await button(page, 'Remove the hidden characters and edit').click();
    await field.fill('echo "done"');
    await page
      .getByRole('figure', { name: /Your change/ })
      .getByText('done" && sh')
      .waitFor();
    await hasSettled(page);
    await button(page, 'Allow as edited').click();
    await expect
      .poll(async () => (await testBed.client.asks.get(ask.ask_id)).answer)
      .toMatchObject({ updated_input: { command: 'echo "done"', timeout: 5 } });
    await run.end();
  });

  it('chooses by number in the question that was last chosen in, and only in view', async () => {
    const run = await begin('Numbers');
    const options = ['Keep', 'Archive', 'Delete'].map((label) => ({ label, description: 'words '.repeat(60) }));
    const ask = await run.question(...[1, 2, 3, 4].map((n) => ({ id: `q${n}`, question: `File ${n}?`, options })));
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    const field = (n: number) => page.getByRole('group', { name: new RegExp(`File ${n}\\?`) });
    await field(3).getByRole('radio', { name: /^Keep/ }).check();
    await hasSettled(page);
    await page.keyboard.press('2');
    await expect
      .poll(() =>
        field(3)
          .getByRole('radio', { name: /^Archive/ })
          .isChecked(),
      )
      .toBe(true);
    expect(
      await field(1)
        .getByRole('radio', { name: /^Archive/ })
        .isChecked(),
    ).toBe(false);
    // The next question is now the one that keys belong to; out of view it is shown first.
    await page.locator('.card-scroll').evaluate((card) => card.scrollTo(0, 0));
    await page.keyboard.press('3');
    expect(await field(4).getByRole('radio', { checked: true }).count()).toBe(0);
    await page.keyboard.press('3');
    await expect
      .poll(() =>
        field(4)
          .getByRole('radio', { name: /^Delete/ })
          .isChecked(),
      )
      .toBe(true);
    expect(await field(1).getByRole('radio', { checked: true }).count()).toBe(0);
    await run.end();
  });

  it('has the buttons of a card in a session at its foot, never over another card', async () => {
    const run = await begin('Cards');
    const lines = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    await run.approval({ command: lines });
    await run.approval({ command: `${lines}\nnext` });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.session_id}`);
    await page.getByText('echo 59').last().waitFor();
    const positions = await page
      .locator('.card .actions')
      .evaluateAll((all) => all.map((e) => getComputedStyle(e).position));
    expect(positions).toEqual(['static', 'static']);
    await run.end();
  });

  it('selects the first match of a search, so that keys decide nothing that it hides', async () => {
    const run = await begin('Search');
    const hidden = await run.approval({ command: 'terraform destroy' });
    const found = await run.approval({ command: 'npm test' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${hidden.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('npm');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/asks/${found.ask_id}*`);
    await page.keyboard.press('a');
    expect(await statusOf(hidden)).toBe('pending');
    await page.getByLabel('Search and filter').fill('no such thing');
    await page.getByText('Nothing matches this search').waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await run.end();
  });

  it('starts no demo by what is typed into the dialog for a new run, and no end by a double click', async () => {
    const run = await begin('Ended by accident');
    const { page } = await testBed.signedIn('lead');
    await page.keyboard.press('n');
    const task = page.getByLabel('Task');
    await expect.poll(() => task.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('fix the tests');
    expect(await task.inputValue()).toBe('fix the tests');
    expect(new URL(page.url()).pathname).not.toContain('/sessions/');
    await page.goto(`/sessions/${run.session_id}`);
    await button(page, 'End').dblclick();
    await button(page, 'End session?').waitFor();
    expect((await testBed.client.sessions.get(run.session_id)).status).not.toBe('ended');
    await run.end();
  });

  it('leads to the first question without an answer, and saves no draft of a secret', async () => {
    const run = await begin('Missing');
    const questions = [1, 2, 3, 4, 5, 6].map((n) => ({ id: `q${n}`, question: `File ${n}?` }));
    const ask = await run.question(...questions, { id: 's', question: 'The token?', secret: true });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await page.getByLabel('The token?').fill('s3cret');
    await button(page, 'Send answers').click();
    await page.getByText('6 questions need an answer').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.closest('fieldset')?.textContent ?? '');
    await expect.poll(focused).toContain('File 1?');
    expect(await page.getByText('Draft saved').count()).toBe(0);
    await page.getByLabel('File 1?').fill('x');
    await page.getByText('Draft saved').waitFor();
    await run.end();
  });

  it('discards an edit, also for the next visit', async () => {
    const run = await begin('Discard');
    const ask = await run.approval({ command: 'make' });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Edit').click();
    await page.getByLabel('Edit command').fill('make all');
    await page.getByText('Draft saved').waitFor();
    const dropped = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await button(page, 'Discard').click();
    await dropped;
    await page.reload();
    await button(page, 'Edit').click();
    expect(await page.getByLabel('Edit command').inputValue()).toBe('make');
    await run.end();
  });

  it('keeps list and card apart on a tablet, and the lines of a diff out of its column of signs', async () => {
    const run = await begin('Tablet');
    const old_string = `const before = '${'long '.repeat(60)}';`;
    const ask = await run.approval({ file_path: '/srv/a.ts', old_string, new_string: 'const after = 1;' });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 800, height: 1100 } });
    await page.goto(`/asks/${ask.ask_id}`);
    const line = page.locator('.diff tr.removed td.line').first();
    await line.waitFor();
    expect(await page.locator('.card').evaluate((card) => card.getBoundingClientRect().width)).toBeGreaterThan(600);
    const isApart = await line.evaluate((cell) => {
      const sign = cell.querySelector('.sign')?.getBoundingClientRect().right ?? Number.NaN;
      const text = document.createRange();
      text.selectNodeContents(cell);
      text.setStartAfter(cell.firstChild ?? cell);
      const lines = [...text.getClientRects()];
      return lines.length > 1 && lines.every(({ left }) => left >= sign - 1);
    });
    expect(isApart).toBe(true);
    await run.end();
  });
});
