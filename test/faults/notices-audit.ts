// Compares what providers received with what the database says was sent, after a fault run: no notice lost, none shown
// twice, every message settled, events of each session in their order. Reads only.
import type { Notice } from '../../src/core/notice.ts';
import type { TestBrowser } from '../support/push-service.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

export interface Evidence {
  /** Every ask that was raised, in the order of each session; all of them have ended. */
  asks: readonly { askId: string; sessionId: string }[];
  /** Every raise and end of an ask, in the order of the log. */
  events: readonly { sessionId: string; askId: string; type: string }[];
  /** When each ask ended. */
  endedAt: ReadonlyMap<string, number>;
  notices: readonly Pick<
    Notice,
    'id' | 'event' | 'askId' | 'contactId' | 'channel' | 'handle' | 'state' | 'attempts' | 'reason' | 'createdAt'
  >[];
  browsers: ReadonlyMap<string, TestBrowser>;
  receivers: ReadonlyMap<string, WebhookReceiver>;
}

export function auditNotices({ asks, events: logged, endedAt, notices, browsers, receivers }: Evidence): string[] {
  const problems: string[] = [];
  for (const { id, event, state, reason } of notices)
    if (state !== 'accepted' && state !== 'cancelled') problems.push(`${event} ${id} is ${state}: ${reason ?? ''}`);
  for (const { askId } of asks) {
    for (const [contactId, browser] of browsers) {
      const own = notices.filter((each) => each.askId === askId && each.contactId === contactId);
      const raised = own.filter(({ event }) => event === 'ask.raised');
      // A device is not told of an ask that had ended when it was planned. The row of a webhook dates that plan.
      const planned = notices.find((each) => each.askId === askId && each.event === 'ask.raised')?.createdAt ?? 0;
      const isOver = Number(planned) >= (endedAt.get(askId) ?? Number.POSITIVE_INFINITY);
      // One row is right in both cases: an answer is dated before its commit, so a plan of the same instant or a later one
      // may still have found the ask pending. It is then held to the rules below: what was tried is settled, and arrived.
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
    // A request whose message changed its handle between two attempts is shown under both.
    const handles = new Set(notices.filter((each) => each.contactId === contactId).map(({ handle }) => handle));
    for (const tag of browser.shown().keys())
      if (!handles.has(tag)) problems.push(`${tag} at ${contactId} is a second message of a request`);
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
      const wanted = logged
        .filter((each) => each.sessionId === sessionId)
        .map(({ askId, type }) => `${type === 'ask.raised' ? type : 'ask.ended'} ${askId}`);
      const got = events.filter((each) => each.sessionId === sessionId).map(({ key }) => key);
      if (got.join() !== wanted.join()) problems.push(`the order of ${sessionId} at ${contactId} is ${got.join()}`);
    }
  }
  return problems;
}
