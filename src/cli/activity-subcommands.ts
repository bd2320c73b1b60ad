// The commands about a pending request that decide nothing: comment, take and snooze, the same for approvals and questions.

import { instant } from '../client/times.ts';
import type { AskView } from '../core/views.ts';
import { Command } from './command.ts';
import type { Scope, ServerFlags } from './command-flags.ts';
import { Failure } from './failure.ts';
import { findAsk } from './lookup.ts';
import { note, printJson } from './output.ts';
import { connect } from './server-connection.ts';
import { wrap } from './text/layout.ts';
import { type Line, line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

type Kind = AskView['kind'];

export const activitySubcommands = (kind: Kind, id: string): Command[] => [
  commentCommand(kind, id),
  takeCommand(kind, id),
  snoozeCommand(kind, id),
];

const of = (kind: Kind, verb: string, does: string) =>
  new Command(verb, does).argument('<request_id>', `the ${kind}, or the beginning or end of its id`);

function commentCommand(kind: Kind, id: string): Command {
  return of(kind, 'comment', `say something about a pending ${kind} without deciding it`)
    .argument('<text>', 'the comment; the request stays open')
    .withExamples(`holdpoint ${kind}s comment ${id} "why?"`)
    .withScope('look in')
    .withServer()
    .action(async (typed: string, text: string, flags: ServerFlags & Scope) => {
      const client = await connect(flags);
      const ask = await findAsk(client, kind, typed, flags);
      const comment = await client.asks.comment(ask.ask_id, text);
      if (flags.json) return printJson(comment);
      note(
        ask.takes_comments
          ? 'Sent. The request stays open; the agent may reply (show lists comments).'
          : 'Saved for people. The request stays open; this agent can’t read comments while it waits.',
      );
    });
}

function takeCommand(kind: Kind, id: string): Command {
  return of(kind, 'take', `tell everyone that you are on a pending ${kind}; anyone may still answer`)
    .option('--release', 'you are no longer on it')
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

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function snoozeCommand(kind: Kind, id: string): Command {
  return of(kind, 'snooze', `put a pending ${kind} out of the way for everyone; it stays open and its deadline passes`)
    .argument('<time>', 'how long: 30m, 2h, 3d; or off')
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
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhd])$/.exec(time) ?? [];
  if (count === undefined) throw new Failure('usage', `"${time}" is no time: 30m, 2h, 3d, or off.`);
  return now + Number(count) * (UNITS[unit] ?? 0);
}

/** The comments, each with its author. */
export const commentLines = ({ comments = [] }: AskView, width: number): Line[] =>
  comments.flatMap(({ by, role, text }) =>
    wrap(line(span(`${oneLine(by)}${role === 'agent' ? ' (agent)' : ''}: `, 'bold'), oneLine(text)), width, 2),
  );
