// The commands about a pending request that decide nothing: comment, take and snooze, the same for approvals and questions.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { instant } from '../client/times.ts';
import type { AskView, CommentView } from '../core/views.ts';
import { Command } from './command.ts';
import { type MutationFlags, type Scope, type ServerFlags, wholeNumber } from './command-flags.ts';
import { Failure } from './failure.ts';
import { findAsk } from './lookup.ts';
import { note, print, printJson, terminalWidth } from './output.ts';
import { connect, once } from './server-connection.ts';
import { SNOOZE_TIMES, snoozedUntil } from './snooze-time.ts';
import { commentLines } from './text/comment-text.ts';

type Kind = AskView['kind'];

export const activitySubcommands = (kind: Kind, id: string): Command[] => [
  commentCommand(kind, id),
  takeCommand(kind, id),
  snoozeCommand(kind, id),
];

const of = (kind: Kind, verb: string, does: string) =>
  new Command(verb, does).argument('<request_id>', `the ${kind}, or the beginning or end of its id`);

/** `kind`: undefined where either is meant. */
export function commentCommand(kind: Kind | undefined, id: string): Command {
  const noun = kind ?? 'request';
  const path = kind === undefined ? 'holdpoint' : `holdpoint ${kind}s`;
  return new Command('comment', `say something about a pending ${noun} without deciding it`)
    .argument('<request_id>', `the ${noun}, or the beginning or end of its id`)
    .argument('<text>', 'the comment; the request stays open')
    .option('--wait-ms <number>', "wait this long for the agent's reply, and print it")
    .withExamples(`${path} comment ${id} "why?"`)
    .withScope('look in')
    .withMutation()
    .action(async (typed: string, text: string, flags: CommentFlags) => {
      const waitMs = wholeNumber('--wait-ms', flags.waitMs);
      if (text.trim() === '') throw new Failure('usage', 'the comment is blank');
      const client = await connect(flags);
      const ask = await findAsk(client, kind, typed, flags);
      if (waitMs !== undefined && !ask.takes_comments)
        throw new Failure('usage', `the agent of ${ask.ask_id} is not told of comments: leave out --wait-ms`);
      const comment = await once(flags, (options) => client.asks.comment(ask.ask_id, text, options));
      if (waitMs !== undefined) return printReply(client, ask.ask_id, comment, waitMs, flags);
      if (flags.json) return printJson(comment);
      note(
        ask.takes_comments
          ? 'Sent. The request stays open; the agent may reply (show lists comments, --wait-ms waits).'
          : 'Saved. The request stays open; this agent is not told of comments.',
      );
    });
}

interface CommentFlags extends MutationFlags, Scope {
  waitMs?: string;
}

const POLL_MS = 500;

async function printReply(
  client: Client,
  askId: string,
  { comment_id }: CommentView,
  waitMs: number,
  { json }: ServerFlags,
): Promise<void> {
  for (const until = Date.now() + waitMs; ; ) {
    const { comments = [], status } = await client.asks.get(askId);
    const own = comments.findIndex((comment) => comment.comment_id === comment_id);
    const reply = comments.slice(own + 1).find(({ role }) => role === 'agent');
    if (reply) return json ? printJson(reply) : print(...commentLines({ comments: [reply] }, terminalWidth()));
    if (status !== 'pending') throw new Failure('conflict', 'the request ended before the agent replied');
    if (Date.now() >= until) throw new Failure('away', 'the agent has not replied yet; the request is still open');
    await sleep(Math.min(POLL_MS, Math.max(0, until - Date.now())));
  }
}

function takeCommand(kind: Kind, id: string): Command {
  return of(kind, 'take', `tell everyone that you are on a pending ${kind}; anyone may still answer`)
    .option('--release', 'take that back')
    .withExamples(`holdpoint ${kind}s take ${id}`)
    .withScope('look in')
    .withServer()
    .action(async (typed: string, flags: ServerFlags & Scope & { release?: boolean }) => {
      const client = await connect(flags);
      const { ask_id } = await findAsk(client, kind, typed, flags);
      const ask = await (flags.release ? client.asks.release(ask_id) : client.asks.take(ask_id));
      if (flags.json) return printJson(ask);
      note(flags.release ? 'You are no longer on it.' : 'You are on it. Anyone may still answer.');
    });
}

function snoozeCommand(kind: Kind, id: string): Command {
  return of(
    kind,
    'snooze',
    `put a pending ${kind} out of the way for everyone; it stays open, and its deadline still applies`,
  )
    .argument('<time>', `how long: ${SNOOZE_TIMES}; or off`)
    .withExamples(`holdpoint ${kind}s snooze ${id} 2h`)
    .withScope('look in')
    .withServer()
    .action(async (typed: string, time: string, flags: ServerFlags & Scope) => {
      const client = await connect(flags);
      const { ask_id } = await findAsk(client, kind, typed, flags);
      const until = untilOf(time, Date.now());
      const ask = await client.asks.snooze(ask_id, until);
      if (flags.json) return printJson(ask);
      note(until === null ? 'It is back.' : `Snoozed for everyone until ${instant(until)}.`);
    });
}

function untilOf(time: string, now: number): number | null {
  if (time === 'off') return null;
  const until = snoozedUntil(time, now);
  if (until === undefined)
    throw new Failure('usage', `"${time}" is no time to snooze for: use ${SNOOZE_TIMES}, at most 31d, or off`);
  return until;
}
