// Defines what people and the agent do about a pending ask besides deciding it: comments, "I'm on it" and snooze. A pure
// fold over events; the record and the audit of the log both use it. None of it answers, blocks or expires an ask.
//
//   event          pending ask                                       ended or overdue ask
//   ask.commented  one more comment, of a person or of the agent     refused, with the winner
//   ask.taken      this person is on it, instead of anyone before    refused
//   ask.released   no person is on it                                refused
//   ask.snoozed    out of the way until the instant, or no longer    refused
import type { Surface } from './ask.ts';
import type { EventType } from './event.ts';

/** Who did it, on which surface, and when. */
export interface Mark {
  by: string;
  surface: Surface;
  at_ms: number;
}

export interface Comment extends Mark {
  comment_id: string;
  role: 'person' | 'agent';
  text: string;
  /** Of a reply: how many comments of people the agent had read before it. Without it, all that were there. */
  comments_read?: number | undefined;
}

/** As it is stored with the ask. */
export interface Activity {
  /** Its agent reads comments while it waits. */
  takes_comments?: true;
  comments?: Comment[];
  /** "I'm on it." */
  taken_by?: Mark;
  snoozed?: Mark & { until_ms: number };
}

/** Of one ask, by people; its agent has as many of its own. */
export const MOST_COMMENTS = 200;
export const LONGEST_COMMENT = 10_000;
/** Of one ask and side: they are stored and listed with it. */
export const MOST_COMMENT_TEXT = 100_000;
/** A snooze ends at the latest after this. */
export const LONGEST_SNOOZE_MS = 31 * 24 * 60 * 60_000;

export type ActivityEvent = Extract<EventType, 'ask.commented' | 'ask.taken' | 'ask.released' | 'ask.snoozed'>;

/** The data of these events, beside the token. */
export interface Act {
  by: string;
  surface: Surface;
  comment_id?: string;
  role?: Comment['role'];
  text?: string;
  comments_read?: number;
  /** Of a snooze; absent where it ends. */
  until_ms?: number;
}

export function acted(activity: Activity, type: ActivityEvent, act: Act, at_ms: number): Activity {
  const { by, surface } = act;
  const { taken_by, snoozed, ...rest } = activity;
  if (type === 'ask.taken') return { ...activity, taken_by: { by, surface, at_ms } };
  if (type === 'ask.released') return snoozed ? { ...rest, snoozed } : rest;
  if (type === 'ask.snoozed') {
    const others = taken_by ? { ...rest, taken_by } : rest;
    return act.until_ms === undefined ? others : { ...others, snoozed: { by, surface, at_ms, until_ms: act.until_ms } };
  }
  const { comment_id = '', role = 'person', text = '', comments_read } = act;
  const read = comments_read === undefined ? {} : { comments_read };
  const comment = { comment_id, role, by, surface, at_ms, text, ...read };
  return { ...activity, comments: [...(activity.comments ?? []), comment] };
}

/** It has nothing that anyone would see. */
export const isBlank = (text: string): boolean =>
  /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);

/** How many comments of people there are: a program that waits says how many it has read. */
export const personComments = <C extends Pick<Comment, 'role'>>({
  comments = [],
}: {
  comments?: readonly C[] | undefined;
}): C[] => comments.filter(({ role }) => role === 'person');

/** How many comments of people have a reply: the first so many. What came while the agent replied has none. */
export function repliedComments({
  comments = [],
}: {
  comments?: readonly Pick<Comment, 'role' | 'comments_read'>[] | undefined;
}): number {
  let [written, replied] = [0, 0];
  for (const { role, comments_read } of comments) {
    if (role === 'person') written++;
    else replied = Math.max(replied, Math.min(comments_read ?? written, written));
  }
  return replied;
}
