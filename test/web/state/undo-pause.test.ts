// Tests how long an allow is held back before it is sent, so that a deadline is never lost to the pause.
import { expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { endingBefore, pauseMs, UNDO_MS } from '../../../web/src/state/undo-pause.ts';
import { approval } from '../../client/asks.ts';

const NOW = 1_000_000;
const dueIn = (ms: number | undefined, more: object = {}): AskView => ({
  ...approval({ command: 'make' }),
  ask_id: `ask-${ms}`,
  ...(ms !== undefined && { expires_at_ms: NOW + ms }),
  ...more,
});

it('holds an allow back where its deadline is far away or there is none', () => {
  expect(pauseMs([dueIn(undefined)], [], NOW)).toBe(UNDO_MS);
  expect(pauseMs([dueIn(60_000)], [], NOW)).toBe(UNDO_MS);
});

it('sends an allow at once where its deadline comes within the pause or soon after it', () => {
  expect(pauseMs([dueIn(1500)], [], NOW)).toBe(0);
  expect(pauseMs([dueIn(UNDO_MS + 500)], [], NOW)).toBe(0);
  expect(pauseMs([dueIn(-1)], [], NOW)).toBe(0);
});

it('sends the allow of a group at once where one of its members is due', () => {
  expect(pauseMs([dueIn(60_000), dueIn(2000)], [], NOW)).toBe(0);
});

it('sends an allow at once where a question is due that ends its run', () => {
  const question = dueIn(2000, { kind: 'question' });
  expect(pauseMs([dueIn(60_000)], [question], NOW)).toBe(0);
  expect(endingBefore(dueIn(60_000), [question])).toBe(question);
  expect(pauseMs([dueIn(60_000)], [{ ...question, run_id: 'another' }], NOW)).toBe(UNDO_MS);
  const clarification = { ...question, asked_from: { requester: { session_id: 's' } } } as unknown as AskView;
  expect(pauseMs([dueIn(60_000)], [clarification], NOW)).toBe(UNDO_MS);
});
