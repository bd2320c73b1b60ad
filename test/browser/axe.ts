// Runs axe on a page in the light and in the dark theme and returns all of its findings. The themes differ in nothing but
// colours, so what depends on colours is checked in both, and the rest once.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const COLOURS = "{ runOnly: ['color-contrast', 'link-in-text-block'] }";

/** Evaluated through the debugger, which the page's content policy does not apply to. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  await show(page, 'light');
  const found = await page.evaluate<AxeResults>('axe.run()');
  await show(page, 'dark');
  const dark = await page.evaluate<AxeResults>(`axe.run(${COLOURS})`);
  await show(page, 'light');
  return [...found.violations, ...dark.violations].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Until it is drawn in these colours. */
async function show(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  for (let frame = 0; frame < 2; frame++) await page.evaluate(() => new Promise(requestAnimationFrame));
}
