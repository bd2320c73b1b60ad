// Tests the composer of a session: which ask a text answers, and when nothing is sent.
// Covers: web/src/ui/composer.tsx, web/src/ui/thread.tsx, web/src/text/composer-text.ts, web/src/state/thread-prompt.ts
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the composer', () => {
  const testBed = useTestBed();

  it('sends no text that was typed for another prompt, also after a reload', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'One after another' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'ask' } });
    const ask = (question: string) =>
      client.asks.raise(run_id, { kind: 'question', tool_call_id: question, questions: [{ id: 'q', question }] });
    const decline = async ({ ask_id }: AskView) => {
      await client.questions.answerRun(run_id, { resolution: { request_id: ask_id, declined: true } });
      await client.asks.delivered(ask_id);
    };
    const first = await ask('First?');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByLabel('Answers “First?”').fill('yes');
    await decline(first);
    const second = await ask('Second?');
    await page.getByLabel('Answers “Second?”').press('Control+Enter');
    const warning = page.getByText(/Not sent: you started writing this for a request that has ended/);
    await warning.waitFor();
    expect((await client.asks.get(second.ask_id)).status).toBe('pending');
    // Also after a reload, which restores the text.
    await page.goto('about:blank');
    await decline(second);
    const third = await ask('Third?');
    await page.goBack();
    await page.getByLabel('Answers “Third?”').press('Control+Enter');
    await warning.waitFor();
    expect((await client.asks.get(third.ask_id)).status).toBe('pending');
    await client.runs.cancel(run_id);
  });

  it('sends nothing while an answer is being delivered, and asks again before it sends what was typed meanwhile', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Slow to listen' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'ask' } });
    const bash = { tool_call_id: 'first', tool_name: 'Bash', input: { command: 'make' } };
    const first = await client.asks.raise(run_id, { kind: 'approval', ...bash });
    const questions = [{ id: 'q', question: 'The second?' }];
    const second = await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'second', questions });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    await page.getByText('2 requests are waiting above').waitFor();
    const resolutions = [{ request_id: first.ask_id, behavior: 'deny' as const }];
    await client.approvals.decideRun(run_id, { resolutions });
    const field = page.getByLabel('Delivering your last answer');
    await field.fill('go on');
    await field.press('Control+Enter');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await client.asks.delivered(first.ask_id);
    const answer = page.getByLabel('Answers “The second?”');
    await answer.waitFor();
    expect(await answer.inputValue()).toBe('go on');
    // It was typed before the next ask was known, so it may not answer that unread.
    await answer.press('Control+Enter');
    await page.getByText('Not sent: you started writing this before this was asked').waitFor();
    expect((await client.asks.get(second.ask_id)).status).toBe('pending');
    await answer.press('Control+Enter');
    await expect.poll(async () => (await client.asks.get(second.ask_id)).status).toBe('answered');

    // With no ask after the delivery, it is the next message.
    await field.fill('then tidy up');
    await client.asks.delivered(second.ask_id);
    await page.getByLabel('Starts a new run').press('Control+Enter');
    await expect.poll(() => page.getByPlaceholder('Message the agent').inputValue()).toBe('');
    await page.getByText('then tidy up').first().waitFor();
    expect(await page.getByText('Not sent').count()).toBe(0);
    await client.runs.cancel(run_id);
  });

  it('answers a question or comments on it, neither by Enter alone', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Why' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'ask' } });
    const questions = [{ id: 'q', question: 'Drop the table?' }];
    const { ask_id } = await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'drop', questions });
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${session_id}`);
    const field = page.getByLabel('Answers “Drop the table?”');
    await field.fill('wait, why?');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('wait, why?\n');
    const composer = page.locator('.composer');
    await composer.getByRole('button', { name: 'Comment' }).click();
    await expect.poll(async () => (await client.asks.get(ask_id)).comments?.[0]?.text).toBe('wait, why?');
    await expect.poll(() => field.inputValue()).toBe('');
    expect((await client.asks.get(ask_id)).status).toBe('pending');
    await field.fill('no');
    await composer.getByRole('button', { name: 'Answer' }).click();
    await expect.poll(async () => (await client.asks.get(ask_id)).status).toBe('answered');
    await client.sessions.end(session_id);
  });

  it('takes `2` for the second option, and shows the answer and the rest of the run', async () => {
    const options = [{ label: 'Staging' }, { label: 'Production' }, { label: 'Nowhere' }];
    const run = await playMock(
      testBed.client,
      { do: 'say', text: 'I have **one** question.' },
      { do: 'ask', id: 'where', questions: [{ id: 'q', question: 'Where to?', options }] },
      { do: 'complete', text: 'Going to {{where}}.' },
    );
    await run.ask('where');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    // A draft that is stored after its ask has ended is refused, which the page's console would report.
    const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('radio', { name: 'Nowhere' }).check();
    await stored;
    await page.getByLabel('Answers “Where to?”').fill('2');
    await page.keyboard.press('Control+Enter');
    expect(await run.received('where')).toBe('answered: Production');
    // The same person answered what they had started on the card: no notice is left.
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await page.getByText('Going to Production.').waitFor();
    await page.getByText(/You answered “.+”\s*: Production/).waitFor();
    const runs = page.getByRole('complementary');
    await runs.getByText('completed').waitFor();
    await runs.getByText(/You answered this ·/).waitFor();
    // The next text is input for the next run.
    await page.getByPlaceholder('Message the agent').fill('and now the changelog');
    await page.keyboard.press('Control+Enter');
    await runs.getByText('and now the changelog').waitFor();
  });

  it('is closed while a form is pending, and opens again when the form is declined', async () => {
    const run = await playMock(testBed.client, {
      do: 'ask',
      id: 'form',
      mode: 'form',
      questions: [{ id: 'q', question: 'A form?' }],
      otherwise: [{ do: 'say', text: 'No form then.' }],
    });
    const { ask_id } = await run.ask('form');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByText('A form is waiting above').waitFor();
    expect(await page.getByPlaceholder('Your answer').count()).toBe(0);
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByLabel(/Reason for declining/).fill('no forms');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    expect(await run.received('form')).toBe('cancelled: no forms');
    // The draft is deleted once it was sent.
    const kept = () => page.evaluate((path) => fetch(path).then(({ status }) => status), `/v1/asks/${ask_id}/draft`);
    await expect.poll(kept).toBe(204);
    await page.getByPlaceholder('Message the agent').waitFor();
  });

  it('shows the whole text of what it would answer on a phone', async () => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Long words' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const questions = [{ id: 'q', question: `Why ${'x'.repeat(120)}?` }];
    await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'long', questions });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/sessions/${session_id}`);
    const label = page.locator('label[for=composer]');
    await label.getByText('xxx').waitFor();
    const isWithin = () =>
      label.evaluate((text) => [...text.getClientRects()].every(({ right }) => right <= innerWidth));
    expect(await isWithin()).toBe(true);
    await client.sessions.end(session_id);
  });
});
