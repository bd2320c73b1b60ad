// What `questions` and `approvals` have in common: `list` and `show`.
import { Command } from 'commander';
import { type Client, every, type Listed } from '../client/client.ts';
import { countdown, duration, instant } from '../client/times.ts';
import type { AskKind } from '../core/ask.ts';
import type { AskView, PendingApprovalView, PendingQuestionView, SightingView } from '../core/views.ts';
import { findAsk, type Scope } from './ask-lookup.ts';
import { printAsks } from './ask-table.ts';
import { withExamples } from './help-examples.ts';
import { isTerminal, print, printJson, terminalWidth } from './output.ts';
import { ownName } from './program-name.ts';
import { connect, note, type ServerFlags, withServer } from './server-connection.ts';
import { tellSeen } from './sighting.ts';
import { answerLines, endText, located, requestLines } from './text/ask-text.ts';
import { indented, wrap } from './text/layout.ts';
import { hintLines } from './text/run-text.ts';
import { type Line, line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

type Pending = PendingQuestionView | PendingApprovalView;

export interface Page {
  cursor?: string;
  limit: number;
}
const PAGE = 500;

interface ListSpec {
  kind: AskKind;
  list(client: Client, sessionId: string | undefined, page: Page): Promise<Listed<Pending>>;
  examples: string[];
}

export function addAskList(parent: Command, { kind, list, examples }: ListSpec): void {
  const command = new Command('list')
    .description(`pending ${kind}s, oldest first`)
    .option('--session-id <id>', 'of this session only')
    .option('--run-id <id>', 'of this run only');
  withExamples(command, ...examples);
  parent.addCommand(
    withServer(command).action(async (flags: ServerFlags & Scope) => {
      const client = await connect(flags);
      const pending: Pending[] = [];
      for await (const one of every((page) => list(client, flags.sessionId, { ...page, limit: PAGE })))
        if (flags.runId === undefined || one.run_id === flags.runId) pending.push(one);
      if (flags.json) return printJson(pending);
      if (pending.length === 0) return note(`no ${kind} is pending`);
      printAsks(await withFolders(client, kind, pending));
      if (isTerminal()) print([], line(span(`Show one: ${ownName()} ${kind}s show <id>`, 'dim')));
    }),
  );
}

/** What would be done is done somewhere. */
async function withFolders(client: Client, kind: AskKind, pending: readonly Pending[]) {
  if (kind === 'question') return pending;
  const origins = new Map<string, AskView['asked_from']>();
  for await (const ask of every((page) => client.asks.list({ kind, status: 'pending', limit: PAGE, ...page })))
    origins.set(ask.ask_id, ask.asked_from);
  return pending.map((one) => ({ ...one, asked_from: origins.get(one.request.id) }));
}

export function addAskShow(parent: Command, kind: AskKind, examples: string[]): void {
  const command = new Command('show')
    .description(`one ${kind}, whole; an ended one too`)
    .argument('<request_id>', `the ${kind}, or the beginning or end of its id`)
    .option('--session-id <id>', 'look in this session only')
    .option('--run-id <id>', 'look in this run only');
  withExamples(command, ...examples);
  parent.addCommand(
    withServer(command).action(async (typed: string, flags: ServerFlags & Scope) => {
      const client = await connect(flags);
      const ask = await findAsk(client, kind, typed, flags);
      if (flags.json) return printJson(ask);
      print(...askLines(ask, await requesterOf(client, ask), terminalWidth()));
      if (ask.status === 'pending') await tellSeen(client, ask.request);
    }),
  );
}

/** Which child asks its parent here; nothing for any other question. */
async function requesterOf(client: Client, ask: AskView): Promise<string | undefined> {
  if (ask.kind !== 'question' || ask.status !== 'pending') return undefined;
  for await (const one of every((page) => client.questions.ofSession(ask.session_id, { ...page, limit: PAGE })))
    if (one.request.id === ask.ask_id && one.requester_session_id !== undefined)
      return `${one.requester_agent_id} in session ${one.requester_session_id}, run ${one.requester_run_id}`;
  return undefined;
}

function askLines(ask: AskView, requester: string | undefined, width: number): Line[] {
  const now = Date.now();
  const field = (name: string, value: string) => wrap(line(span(name.padEnd(10), 'dim'), value), width, 10);
  const lines: Line[] = [
    ...wrap(line(span(ask.ask_id, 'bold'), '  ', span(ask.status, ask.status === 'pending' ? 'warn' : 'dim')), width),
    ...field('session', ask.session_id),
    ...field('run', ask.run_id),
    ...(requester === undefined ? [] : field('asked by', oneLine(requester))),
    ...field('raised', `${instant(ask.created_at_ms)}, ${duration(now - ask.created_at_ms)} ago`),
  ];
  if (ask.seen_by?.length) lines.push(...field('seen by', ask.seen_by.map((of) => sightingText(of, now)).join(', ')));
  if (ask.expires_at_ms !== undefined && ask.status === 'pending')
    lines.push(...field('expires', `${instant(ask.expires_at_ms)}, in ${countdown(ask.expires_at_ms - now)}`));
  if (ask.kind === 'approval' && 'scope' in ask.request) lines.push(...field('scope', oneLine(ask.request.scope)));
  lines.push([], ...indented(requestLines(located(ask.request, ask.asked_from?.work_folder), width - 2), 2), []);
  if (!ask.answer) return [...lines, ...hintLines(ask.ask_id, ask.kind === 'question')];
  const { state, reason } = ask.delivery;
  return [
    ...lines,
    ...wrap(line(endText(ask.answer), `, ${instant(ask.answer.answered_at_ms)}`), width, 2),
    ...indented(answerLines(ask, width - 2), 2),
    line(span(`delivery: ${state}${reason ? `, ${oneLine(reason)}` : ''}`, 'dim')),
  ];
}

const sightingText = ({ by, surface, at_ms }: SightingView, now: number): string =>
  `${oneLine(by)} (${surface}) ${duration(now - at_ms)} ago`;
