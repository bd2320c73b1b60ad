// Tests the receipt of an ended request: who decided what, on one line.
import { describe, expect, it } from 'vitest';
import { receiptOf } from '../../../web/src/text/receipt.ts';
import { answer, approval, asked, question } from '../../client/asks.ts';

const ended = (ask: ReturnType<typeof approval> | ReturnType<typeof question>, given: object) =>
  ({ ...ask, created_at_ms: 1000, answer: { ...answer(given), answered_at_ms: 3000 } }) as typeof ask;

describe('a receipt', () => {
  it('says “you” to the person who decided, and how long it waited', () => {
    const ask = ended(approval({ command: 'rm -rf build' }), {
      behavior: 'allow',
      answered_by: 'lead',
      surface: 'web',
    });
    const receipt = { lead: 'You allowed', what: 'rm -rf build', isCode: true, given: '', unused: '', took: '2s' };
    expect(receiptOf(ask, 'lead')).toEqual(receipt);
    expect(receiptOf(ask, 'mate')).toEqual({ ...receipt, lead: 'lead allowed' });
  });

  it('says that an allow was not run, because a file had changed', () => {
    const ask = ended(approval({ command: 'sh check.sh' }), { behavior: 'allow', answered_by: 'lead' });
    const reason = 'check.sh has changed since this was asked.';
    const unused = { ...ask, delivery: { state: 'undeliverable' as const, attempts: 1, reason } };
    expect(receiptOf(unused, 'lead')?.unused).toBe(`It was not run and was asked again: ${reason}`);
  });

  it('calls a plan approved', () => {
    const plan = ended(approval({}), { behavior: 'allow', answered_by: 'lead' });
    const request = { ...plan.request, tool_name: 'ExitPlanMode', reason: '# Move' };
    expect(receiptOf({ ...plan, request } as typeof plan, 'lead')?.lead).toBe('You approved');
  });

  it('names the reason of a denial and an edited input', () => {
    const call = approval({ command: 'make' });
    const by = { answered_by: 'lead', surface: 'web' };
    expect(receiptOf(ended(call, { ...by, behavior: 'deny', reason: 'not now' }), 'lead')?.given).toBe('not now');
    const edited = { ...by, behavior: 'allow', updated_input: { command: 'make all' } };
    expect(receiptOf(ended(call, edited), 'lead')?.given).toBe('as edited');
  });

  it('of several questions names the first, and of an end without a person says how', () => {
    const ask = question([asked({ question: 'Where to?' }), asked({ id: 'b', question: 'When?' })]);
    const expired = ended(ask, { outcome: 'expired', answered_by: 'system', surface: 'system', behavior: undefined });
    expect(receiptOf(expired, 'lead')).toMatchObject({
      lead: 'Expired before anyone answered:',
      what: '“Where to?” and 1 more',
      took: undefined,
    });
  });

  it('exists only once the request has ended', () => {
    expect(receiptOf(approval({ command: 'ls' }), 'lead')).toBeUndefined();
  });
});
