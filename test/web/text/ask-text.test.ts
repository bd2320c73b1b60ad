// Tests the words for an ask and for how it ended.
import { describe, expect, it } from 'vitest';
import { expiredMeans, isInDelivery, reasonOf } from '../../../web/src/text/answer-text.ts';
import { endSentence, endText, heading, summary, within } from '../../../web/src/text/ask-text.ts';
import { answer, approval, asked, question } from '../../client/asks.ts';

describe('the summary of an ask', () => {
  it('has hidden characters spelled out', () => {
    expect(summary(approval({ command: 'ls \u202e\u200b' }).request)).toBe('ls U+202EU+200B');
    expect(heading(question([asked({ header: 'Tar\u200bget' })]).request)).toBe('TarU+200Bget');
  });
});

it('shortens a path to what it is within the folder', () => {
  expect(within('/srv/shop', '/srv/shop/src/a.ts')).toBe('src/a.ts');
  for (const path of ['/srv/shop-old/a.ts', '/etc/hosts', 'src/a.ts']) expect(within('/srv/shop', path)).toBe(path);
  expect(within(undefined, '/srv/a.ts')).toBe('/srv/a.ts');
});

describe('the sentence for the end of an ask', () => {
  it('names the decision, the person and the surface', () => {
    expect(endSentence(answer({ behavior: 'deny' }))).toBe('Denied by mate from the command line');
    expect(endSentence(answer({ surface: 'system' }))).toBe('Allowed by mate');
    expect(endSentence(answer({ surface: 'opencode' }))).toBe('Allowed by mate from opencode');
    expect(endSentence(answer({ outcome: 'expired' }))).toBe('Expired before anyone answered');
    const stopped = { outcome: 'cancelled', behavior: 'deny', answered_by: 'system', surface: 'system' } as const;
    expect(endSentence(answer({ ...stopped, reason: 'the run was completed' }))).toBe(
      'Cancelled: the run was completed',
    );
    expect(endSentence(answer({ ...stopped, reason: 'worker_restart' }))).toBe('Cancelled: its worker was restarted');
    expect(reasonOf(answer({ ...stopped, reason: 'the run was completed' }))).toBeUndefined();
  });

  it('of an ask that expired says what it means for the agent, and repeats nothing', () => {
    const expired = answer({ outcome: 'expired', behavior: 'deny', reason: 'expired' });
    const told = { answer: expired, delivery: { state: 'delivered', attempts: 1 } } as const;
    expect(reasonOf(expired)).toBeUndefined();
    expect(expiredMeans(approval({}, told))).toBe('The agent was told that nobody answered. It counts as denied.');
    expect(expiredMeans(question([asked()], { ...told, delivery: { state: 'none', attempts: 0 } }))).toBeUndefined();
  });

  it('is followed by its delivery only where a person answered or declined', () => {
    const due = { state: 'due', attempts: 0 } as const;
    const isDue = (outcome: 'answered' | 'declined' | 'expired' | 'cancelled') =>
      isInDelivery(approval({}, { answer: answer({ outcome }), delivery: due }));
    expect([isDue('answered'), isDue('declined')]).toEqual([true, true]);
    expect([isDue('expired'), isDue('cancelled')]).toEqual([false, false]);
    expect(isInDelivery(approval({}, { answer: answer({}), delivery: { ...due, state: 'delivered' } }))).toBe(false);
  });

  it('says that the agent did not take an allow, and why', () => {
    const given = answer({ surface: 'system' });
    const text = (delivery: object) =>
      endText(approval({}, { answer: given, delivery: { state: 'undeliverable', attempts: 1, ...delivery } }));
    expect(text({})).toBe('Allowed by mate. The agent did not get it.');
    expect(text({ reason: 'Codex was not\nseen to do it' })).toBe(
      'Allowed by mate. The agent did not get it: Codex was not seen to do it',
    );
    expect(text({ reason: 'x'.repeat(500) }).length).toBeLessThan(460);
  });

  it.each([
    '/srv/shop/check.sh has changed since this was asked.',
    '/srv/shop/check.sh is gone since this was asked.',
    '/srv/shop/check.sh is no file any more that can be looked at.',
  ])('says that an allow was not run: %s', (reason) => {
    const given = { answer: answer({ answered_by: 'lead', surface: 'web' }) };
    const ask = approval({}, { ...given, delivery: { state: 'undeliverable', attempts: 1, reason } });
    const from = { ...ask, request: { ...ask.request, work_folder: '/srv/shop' } };
    const why = reason.replace('/srv/shop/', '');
    expect(endText(from, 'lead')).toBe(`You allowed this. It was not run and was asked again: ${why}`);
  });

  it('calls a plan approved', () => {
    const plan = { ...approval({}).request, tool_name: 'ExitPlanMode', reason: '# Move' };
    const by = { answered_by: 'lead', surface: 'web' } as const;
    expect(endSentence(answer(by), 'lead', plan)).toBe('You approved this');
    expect(endSentence(answer({ ...by, behavior: 'deny' }), 'lead', plan)).toBe('You denied this');
    expect(endText({ ...approval({}, { answer: answer({}) }), request: plan })).toBe(
      'Approved by mate from the command line',
    );
  });

  it('says that it was not run where it is asked again, with paths from the work folder', () => {
    const reason = '/srv/shop/check.sh has changed since this was asked.';
    const ask = approval({}, { answer: answer(), delivery: { state: 'undeliverable', attempts: 1, reason } });
    const from = { ...ask, request: { ...ask.request, work_folder: '/srv/shop' } };
    expect(endText(from, 'mate', true)).toBe('Not run, asked again: check.sh has changed since this was asked.');
  });

  it('says “you” to the person who decided', () => {
    expect(endSentence(answer({ behavior: 'deny', answered_by: 'lead', surface: 'web' }), 'lead')).toBe(
      'You denied this',
    );
    expect(endSentence(answer({ behavior: 'allow', answered_by: 'mate', surface: 'cli' }), 'lead')).toBe(
      'Allowed by mate from the command line',
    );
  });

  it('of an ask that its agent withdrew gives the reason of the agent, which is no reason of a person', () => {
    const withdrawn = { outcome: 'cancelled', reason: 'withdrawn', justification: 'settled at the terminal' } as const;
    expect(endSentence(answer(withdrawn))).toBe('Withdrawn by its agent: settled at the terminal');
    expect(reasonOf(answer(withdrawn))).toBeUndefined();
  });

  it('of a denial is not changed by a person who writes “withdrawn” as the reason', () => {
    const written = answer({ behavior: 'deny', reason: 'withdrawn' });
    expect(endSentence(written)).toBe('Denied by mate from the command line');
    expect(reasonOf(written)).toBe('withdrawn');
  });
});
