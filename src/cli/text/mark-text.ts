// Words what people did about a pending ask without deciding it: who is on it, and that it is snoozed. Pure.
import { timeOfDay } from '../../client/times.ts';
import { isAsleep } from '../../client/triage.ts';
import type { AskView } from '../../core/views.ts';
import { oneLine } from './terminal-text.ts';

/** `on it: alice, snoozed`; empty for an ask without marks. `me`: the name of the person at this terminal. */
export function markText(ask: AskView, nowMs: number, me?: string): string {
  if (ask.status !== 'pending') return '';
  const taken = ask.taken_by ? [`on it: ${ask.taken_by.by === me ? 'you' : oneLine(ask.taken_by.by)}`] : [];
  return [...taken, ...(isAsleep(ask, nowMs) ? ['snoozed'] : [])].join(', ');
}

export const isSnoozed = ({ snoozed, status }: AskView, nowMs: number): boolean =>
  status === 'pending' && snoozed !== undefined && snoozed.until_ms > nowMs;

/** The marks of one ask, each whole: `alice is on it`, `snoozed until 14:05 by mate`. */
export function markTexts(ask: AskView, nowMs: number, me?: string): string[] {
  const { taken_by, snoozed, status } = ask;
  const taken =
    taken_by && status === 'pending' && (taken_by.by === me ? 'you are on it' : `${oneLine(taken_by.by)} is on it`);
  const asleep =
    snoozed && isSnoozed(ask, nowMs) && `snoozed until ${timeOfDay(snoozed.until_ms)} by ${oneLine(snoozed.by)}`;
  return [taken, asleep].filter((text) => typeof text === 'string');
}
