// Tests which request is recognised as another one asked again.
import { describe, expect, it } from 'vitest';
import type { ApprovalAskView } from '../../../src/core/views.ts';
import { repeatOf } from '../../../web/src/state/asked-again.ts';
import { answer, approval } from '../../client/asks.ts';

const unused = approval(
  { command: 'sh a.sh' },
  { answer: answer(), delivery: { state: 'undeliverable', attempts: 1 } },
);
const again = (more: Partial<ApprovalAskView> = {}, request: object = {}) => {
  const ask = approval({ command: 'sh a.sh' }, more);
  return { ...ask, request: { ...ask.request, files: [], reason: 'Asked again: a.sh has changed.', ...request } };
};

describe('the request that takes the place of another', () => {
  it('is the same action of the same run, asked later because a file has changed', () => {
    const repeat = again();
    expect(repeatOf(unused, [{ ask: unused }, { ask: repeat }])).toBe(repeat);
  });

  it.each([
    ['of another run', again({ run_id: 'run_2' })],
    ['asked before', again({ created_at_ms: 0 })],
    ['of another command', again({}, { input: { command: 'sh b.sh' } })],
    ['whose agent writes so itself', again({}, { files: undefined })],
  ])('is none %s', (_, other) => {
    expect(repeatOf(unused, [{ ask: unused }, { ask: other }])).toBeUndefined();
  });

  it('is none of one whose answer arrived, or that was denied', () => {
    const delivered = { ...unused, delivery: { state: 'delivered', attempts: 1 } } as const;
    const denied = { ...unused, answer: answer({ behavior: 'deny' }) };
    for (const ask of [delivered, denied]) expect(repeatOf(ask, [{ ask: again() }])).toBeUndefined();
  });
});
