// Writes who was notified of a request: "told: lead (push, 2m ago), ops (webhook)". Pure.
import { duration } from '../../../src/client/times.ts';
import type { NoticeView } from '../../../src/core/notice-views.ts';

export interface ToldText {
  text: string;
  /** No person was told, and none is about to be. */
  isBad: boolean;
}

/** Undefined where no person wanted to be told. `isUnreached`: the server counts on none of the attempts any more. */
export function toldText(all: readonly NoticeView[], nowMs: number, isUnreached = false): ToldText | undefined {
  const notices = all.filter(({ event }) => event === 'ask.raised' || event === 'ask.escalated');
  const next = all.find(({ event, state }) => event === 'step' && state === 'due');
  const later =
    next?.due_at_ms === undefined ? '' : `; in ${duration(Math.max(0, next.due_at_ms - nowMs))}: ${next.who}`;
  const told = notices.filter(({ state }) => state === 'accepted').map((each) => toldOne(each, nowMs));
  if (told.length > 0) return { text: `Notified: ${[...new Set(told)].join(', ')}${later}`, isBad: false };
  const coming = notices.filter(({ state }) => state === 'due' || state === 'sent');
  const names = [...new Set(coming.map((each) => comingOne(each, nowMs)))];
  if (isUnreached && coming.length > 0)
    return { text: `Nobody could be notified of this yet: ${names.join(', ')}.`, isBad: true };
  if (coming.length > 0 || later !== '')
    return { text: `Notifying: ${names.length > 0 ? names.join(', ') : 'nobody yet'}${later}`, isBad: false };
  const failed = notices.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return undefined;
  const why = [
    ...new Set(failed.map(({ who, reason = '' }) => (reason.startsWith(who) ? reason : `${who}: ${reason}`))),
  ];
  return { text: `Nobody could be notified of this: ${why.join('; ')}.`, isBad: true };
}

/** A digest or quiet hours delay the first attempt; a failure those after it. */
const comingOne = ({ who, reason, attempts, due_at_ms = 0 }: NoticeView, nowMs: number): string => {
  if (reason !== undefined) return `${who} (${reason}; tried again)`;
  return attempts === 0 && due_at_ms > nowMs ? `${who} (in ${duration(due_at_ms - nowMs)})` : who;
};

const toldOne = ({ who, channel, settled_at_ms }: NoticeView, nowMs: number): string =>
  `${who} (${channel}${settled_at_ms === undefined ? '' : `, ${duration(Math.max(0, nowMs - settled_at_ms))} ago`})`;
