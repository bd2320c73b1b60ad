// Tests question cards in a real browser up to the answer, compared with what the mock agent received.
// Covers: web/src/ui/question-card.tsx, web/src/ui/question-field.tsx, web/src/ui/asked-questions.tsx
// Covers: web/src/ui/preview.tsx, web/src/hooks/submission.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskStep } from '../../src/agents/mock/input.ts';
import type { QuestionInput } from '../../src/core/question.ts';
import { type MockRun, playMock } from './mock-run.ts';
import { describeInBrowser, expectComplaints, useTestBed, type Visitor } from './test-bed.ts';

const TARGETS = [
  { id: 'staging', label: 'Staging', recommended: true },
  { id: 'canary', label: 'Canary', description: 'five percent', preview: 'canary: 5%' },
  { id: 'production', label: 'Production' },
];
const target: QuestionInput = { id: 'target', header: 'Target', question: 'Where to?', options: TARGETS };

const ask = (id: string, questions: QuestionInput[], more: Partial<AskStep> = {}): AskStep => ({
  do: 'ask',
  id,
  questions,
  ...more,
});
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('questions', () => {
  const testBed = useTestBed();
  const opened = async (run: MockRun, id: string): Promise<Visitor> => {
    const visitor = await testBed.signedIn('lead');
    await visitor.page.goto(`/asks/${(await run.ask(id)).ask_id}`);
    await visitor.page.getByRole('article').waitFor();
    return visitor;
  };

  it('preselects the recommended option, and answers with it, with a number key, or with a text', async () => {
    const run = await playMock(testBed.client, ask('plain', [target]), ask('number', [target]), ask('other', [target]));
    const { page } = await opened(run, 'plain');
    expect(await page.getByRole('radio', { name: /Staging/ }).isChecked()).toBe(true);
    await page.getByText('canary: 5%').waitFor();
    await button(page, 'Answer').click();
    expect(await run.received('plain')).toBe('answered: Staging');

    await page.goto(`/asks/${(await run.ask('number')).ask_id}`);
    await page.getByRole('article').waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press('3');
        return page.getByRole('radio', { name: 'Production' }).isChecked();
      })
      .toBe(true);
    await page.keyboard.press('a');
    expect(await run.received('number')).toBe('answered: Production');

    await page.goto(`/asks/${(await run.ask('other')).ask_id}`);
    await page.getByLabel('Other', { exact: true }).check();
    await page.getByLabel('Your own answer').fill('the moon');
    expect(await page.getByRole('radio', { name: /Staging/ }).isChecked()).toBe(false);
    await page.keyboard.press('Control+Enter');
    expect(await run.received('other')).toBe('answered: the moon');
  });

  it('answers with several options, with a text, and with a secret that is never shown', async () => {
    const checks = { id: 'checks', question: 'Which checks?', multi_select: true, options: TARGETS };
    const run = await playMock(
      testBed.client,
      ask('several', [checks]),
      ask('text', [{ id: 'note', question: 'What should it say?', placeholder: 'One sentence' }]),
      ask('secret', [{ id: 'key', question: 'The key?', secret: true }]),
    );
    const { page } = await opened(run, 'several');
    await page.getByRole('checkbox', { name: /Canary/ }).check();
    await page.getByRole('checkbox', { name: /Staging/ }).uncheck();
    await page.getByRole('checkbox', { name: 'Production' }).check();
    await button(page, 'Answer').click();
    expect(await run.received('several')).toBe('answered: Canary, Production');

    await page.goto(`/asks/${(await run.ask('text')).ask_id}`);
    await page.getByPlaceholder('One sentence').fill('It works.\nNow with two lines.');
    await button(page, 'Answer').click();
    expect(await run.received('text')).toBe('answered: It works.\nNow with two lines.');

    const secret = await run.ask('secret');
    await page.goto(`/asks/${secret.ask_id}`);
    const field = page.getByRole('textbox', { name: 'The key?' }).or(page.locator('input[type=password]'));
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('correct horse');
    await button(page, 'Answer').click();
    expect(await run.received('secret')).toBe('answered: (a secret of 13 characters)');
    const shown = await testBed.client.asks.get(secret.ask_id);
    expect(JSON.stringify(shown)).not.toContain('correct horse');
    expect(await page.content()).not.toContain('correct horse');
  });

  it('shows missing answers and refusals of the server at their question', async () => {
    const strict = { id: 'strict', question: 'Which one exactly?', allow_other: false, options: TARGETS.slice(1) };
    const optional = { id: 'maybe', question: 'Anything else?', required: false };
    const run = await playMock(
      testBed.client,
      ask('form', [target, strict, optional, { id: 'why', question: 'Why?' }]),
    );
    const { page, complaints } = await opened(run, 'form');
    await button(page, 'Send answers').click();
    await page.getByText('2 questions need an answer.').waitFor();
    const why = page.getByRole('group', { name: /Why\?/ });
    await why.getByText('Write an answer.').waitFor();
    await page
      .getByRole('group', { name: /Which one exactly/ })
      .getByText('Choose an option.')
      .waitFor();

    await page
      .getByRole('group', { name: /Which one exactly/ })
      .getByLabel('Production')
      .check();
    await why.getByRole('textbox').fill('Because');
    // An answer is removed from the request: the server refuses it, and the refusal is shown at the question.
    await page.route('**/questions', (route) => {
      const body = route.request().postDataJSON() as { resolution: { answers: { question_id: string }[] } };
      body.resolution.answers = body.resolution.answers.filter(({ question_id }) => question_id !== 'why');
      return route.continue({ postData: JSON.stringify(body) });
    });
    await button(page, 'Send answers').click();
    await why.getByText('Question "why" must be answered.').waitFor();
    // The browser logs the refused request.
    await expectComplaints({ complaints }, '400');
    await page.unroute('**/questions');
    await button(page, 'Send answers').click();
    expect(await run.received('form')).toBe('answered: Staging\nProduction\nBecause\n(skipped: maybe)');
  });

  it('declines a question, and sends the reason to the agent', async () => {
    const run = await playMock(testBed.client, ask('decline', [target]));
    const { page } = await opened(run, 'decline');
    await button(page, 'Decline').click();
    await page.getByLabel(/Reason for declining/).fill('Ask me after lunch');
    await button(page, 'Decline').click();
    expect(await run.received('decline')).toBe('declined: Ask me after lunch');
  });

  it('renders a form from the payload of the server, and its answer starts the next run', async () => {
    const questions = [target, { id: 'note', question: 'A note?', required: false }];
    const run = await playMock(testBed.client, ask('form', questions, { mode: 'form' }));
    const { page } = await opened(run, 'form');
    await page.getByRole('radio', { name: /Canary/ }).check();
    await button(page, 'Send answers').click();
    expect(await run.received('form')).toContain('answered: Canary');
    const { items } = await testBed.client.runs.list({ session_id: run.sessionId });
    expect(items).toHaveLength(2);
  });
});
