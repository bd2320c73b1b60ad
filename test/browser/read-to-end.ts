// Reads the long action on the screen to its end, as the page leads through it: on to the first part that was not shown.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Longer than a part has to be on the screen. */
const SCREEN_MS = 150;

/** Until it can be allowed. */
export async function readToEnd(page: Page): Promise<void> {
  const rest = page.getByRole('button', { name: 'Go to the rest' });
  const isRead = async () => {
    if (await rest.isEnabled()) await rest.evaluate((button) => (button as HTMLElement).click());
    return page.getByRole('button', { name: /^Allow once/ }).count();
  };
  await expect.poll(isRead, { interval: SCREEN_MS, timeout: 60_000 }).toBe(1);
}
