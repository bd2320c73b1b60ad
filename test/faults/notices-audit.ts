// Compares what providers received with what the database says was sent, after a fault run: no notice lost, none shown
// twice, every message settled, events of each session in their order. Reads only.
import type { Notice } from '../../src/core/notice.ts';
import type { TestBrowser } from '../support/push-service.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

export interface Evidence {
  /** Every ask that was raised, in the order of each session; all of them have ended. */
  asks: readonly { askId: string; sessionId: string }[];
  /** When each ask ended. */
  endedAt: ReadonlyMap<string, number>;
  notices: readonly Pick<
    Notice,
    'id' | 'event' | 'askId' | 'contactId' | 'channel' | 'handle' | 'state' | 'attempts' | 'reason' | 'createdAt'
  >[];
  browsers: ReadonlyMap<string, TestBrowser>;
  receivers: ReadonlyMap<string, WebhookReceiver>;
}

export function auditNotices({ asks, endedAt, notices, browsers, receivers }: Evidence): string[] {
  const problems: string[] = [];
  for (const { id, event, state, reason } of notices)
    if (state !== 'accepted' && state !== 'cancelled') problems.push(`${event} ${id} is ${state}: ${reason ?? ''}`);
  for (const { askId } of asks) {
    for (const [contactId, browser] of browsers) {
      const own = notices.filter((each) => each.askId === askId && each.contactId === contactId);
      const raised = own.filter(({ event }) => event === 'ask.raised');
      // Nobody is told of what ended before it could be planned.
      const planned = notices.find((each) => each.askId === askId && each.event === 'ask.raised')?.createdAt ?? 0;
      const isOver = Number(planned) >= (endedAt.get(askId) ?? Number.POSITIVE_INFINITY);
      // An answer is dated before its commit: the plan may still have found the ask pending, and what it sent is settled.
      if (raised.length > 1 || (raised.length === 0 && !isOver))
        problems.push(`${askId} has ${raised.length} notices for the browser ${contactId}`);
      const tried = raised.filter(({ attempts }) => attempts > 0);
      if (tried.length > 0 && !own.some(({ event, state }) => event === 'ask.ended' && state === 'accepted'))
        problems.push(`${askId} was sent to the browser ${contactId} and never settled`);
      for (const { handle, state } of tried)
        if (state === 'accepted' && !browser.shown().has(handle))
          problems.push(`${askId} did not arrive at ${contactId}`);
    }
  }
  for (const [contactId, browser] of browsers) {
    for (const [tag, { event, title }] of browser.shown())
      if (event !== 'ask.ended' || /^\d/.test(title)) problems.push(`${tag} is still shown at ${contactId}: ${title}`);
    const shownTwice = [...browser.shown().keys()].filter(
      (tag) => tag.startsWith('several ') && browser.shown().has(tag.slice(8)),
    );
    for (const tag of shownTwice) problems.push(`${tag} is shown twice at ${contactId}`);
  }
  for (const [contactId, receiver] of receivers) {
    problems.push(...receiver.forged.map((text) => `forged at ${contactId}: ${text}`));
    const events = receiver
      .distinct()
      .map(({ type, data }) => ({ key: `${type} ${data.ask_id}`, sessionId: data.session_id }));
    const counts = new Map<string, number>();
    for (const { key } of events) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const { askId } of asks)
      for (const type of ['ask.raised', 'ask.ended'])
        if (counts.get(`${type} ${askId}`) !== 1)
          problems.push(`${type} of ${askId}: ${counts.get(`${type} ${askId}`) ?? 0} at ${contactId}`);
    for (const sessionId of new Set(asks.map((each) => each.sessionId))) {
      const wanted = asks
        .filter((each) => each.sessionId === sessionId)
        .flatMap(({ askId }) => [`ask.raised ${askId}`, `ask.ended ${askId}`]);
      const got = events.filter((each) => each.sessionId === sessionId).map(({ key }) => key);
      if (got.join() !== wanted.join()) problems.push(`the order of ${sessionId} at ${contactId} is ${got.join()}`);
    }
  }
  return problems;
}
