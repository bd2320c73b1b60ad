// Writes what a message says, for every channel: a headline and one sentence. Pure.
import type { Winner } from '../core/errors.ts';
import type { Message } from './channel.ts';

export function headline(message: Message): string {
  const { event, ask, ended, count, run, agent, title } = message;
  const where = [agent, title].filter((name) => name !== undefined).join(' · ');
  const of = (what: string) => (where === '' ? what : `${what}: ${where}`);
  if (event === 'test') return 'Holdpoint can reach you';
  if (run) return of(`Run ${run.status}`);
  if (count !== undefined) return of(waiting(count));
  if (ended) return of(endedText(ended));
  return of(ask?.kind === 'question' ? 'Question' : 'Approval');
}

const waiting = (count: number): string =>
  count === 0 ? 'Nothing waits' : count === 1 ? '1 request waits' : `${count} requests wait`;

export function sentence(message: Message): string {
  const { event, ask, count, waitedMs, ended } = message;
  if (event === 'test') return 'This is a test. Requests that wait for you arrive like this.';
  if (message.run) return `The run has ended: ${message.run.status}.`;
  if (count !== undefined && count > 0) return 'Open the inbox to decide.';
  const what = ask === undefined ? '' : ask.text === '' ? ask.heading : `${ask.heading}: ${ask.text}`;
  if (ended) return `${endedText(ended)}. ${what}`;
  const waited = waitedMs === undefined ? '' : `Nobody has reacted for ${minutes(waitedMs)}. `;
  return `${waited}${what}${ask && !ask.isWhole ? ' (open it to see all of it)' : ''}`;
}

/** "Denied by ana", "Expired". */
export function endedText({ outcome, behavior, answered_by: by }: Winner): string {
  if (outcome === 'expired') return 'Expired';
  if (by === 'system') return outcome === 'cancelled' ? 'No longer needed' : capital(outcome);
  // An approval that was cancelled counts as denied for its agent, but no person denied it.
  if (outcome !== 'answered' || behavior === undefined) return `${capital(outcome)} by ${by}`;
  return `${behavior === 'allow' ? 'Allowed' : 'Denied'} by ${by}`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const minutes = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1000)} seconds` : ms === 60_000 ? '1 minute' : `${Math.round(ms / 60_000)} minutes`;
