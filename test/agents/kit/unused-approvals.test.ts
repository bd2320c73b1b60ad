// Approvals that were granted but never acted on: each is found once, for the identical action.
import { expect, it } from 'vitest';
import { createUnusedApprovals } from '../../../src/agents/kit/unused-approvals.ts';
import type { AskView } from '../../../src/core/views.ts';

const make = { tool_name: 'Bash', input: { command: 'make', cwd: '/project' } };
const answered = (answer: object | undefined): AskView =>
  ({ ask_id: 'ask', kind: 'approval', request: make, answer }) as never;
const ALLOW = { outcome: 'answered', behavior: 'allow' };

it('finds an approval once for the identical action', () => {
  const unused = createUnusedApprovals();
  unused.add(make, 'ask');
  expect(unused.take({ ...make, input: { cwd: '/project', command: 'make' } })).toBe('ask');
  expect([unused.take(make), unused.isEmpty()]).toEqual([undefined, true]);
});

it.each([
  ['another input', { ...make, input: { command: 'make' } }],
  ['another tool', { ...make, tool_name: 'apply_patch' }],
  ['other limits', { ...make, limits: 'sandboxed' }],
])('does not find an approval for %s', (_, action) => {
  const unused = createUnusedApprovals();
  unused.add(make, 'ask');
  expect([unused.take(action), unused.isEmpty()]).toEqual([undefined, false]);
});

it('finds an approval with limits only under the same limits', () => {
  const unused = createUnusedApprovals();
  unused.addAnswered(answered(ALLOW), 'sandboxed');
  expect([unused.take(make), unused.take({ ...make, limits: 'sandboxed' })]).toEqual([undefined, 'ask']);
});

it('finds an approval as the person changed it', () => {
  const unused = createUnusedApprovals();
  unused.addAnswered(answered({ ...ALLOW, updated_input: { command: 'make test' } }));
  expect(unused.take(make)).toBeUndefined();
  expect(unused.take({ ...make, input: { command: 'make test' } })).toBe('ask');
});

it.each([
  ['open', undefined],
  ['denied', { outcome: 'answered', behavior: 'deny' }],
  ['expired', { outcome: 'expired' }],
  ['withdrawn', { outcome: 'cancelled' }],
])('adds no approval that is %s', (_, answer) => {
  const unused = createUnusedApprovals();
  unused.addAnswered(answered(answer));
  expect(unused.isEmpty()).toBe(true);
});
