// The subcommands `list` and `show`, and those that decide nothing, of `questions` and `approvals`.
import { isQuestion } from '../client/action-summary.ts';
import { type Client, type Listed, listAll } from '../client/client.ts';
import { commentReaders } from '../client/comment-readers.ts';
import { countdown, duration, instant } from '../client/times.ts';
import type { AskKind } from '../core/ask.ts';
import type {
  AskView,
  PendingApprovalView,
  PendingQuestionView,
  SightingView,
  UserQuestionRequest,
} from '../core/views.ts';
import { shellQuote } from '../node/shell-quote.ts';
import { activitySubcommands } from './activity-subcommands.ts';
import { printAsks } from './ask-table.ts';
import { Command } from './command.ts';
import { type Scope, type ServerFlags, wholeNumber } from './command-flags.ts';
import { findAsk } from './lookup.ts';
import { isTerminal, note, print, printJson, terminalWidth } from './output.ts';
import { programName } from './program-name.ts';
import { connect } from './server-connection.ts';
import { reportSighting } from './sighting.ts';
import { answerLines, endText } from './text/answer-text.ts';
import { requestLines, withFolder } from './text/ask-text.ts';
import { commentLines } from './text/comment-text.ts';
import { fieldLines, indented, wrap } from './text/layout.ts';
import { riskLines } from './text/risk-text.ts';
import { hintLines } from './text/run-text.ts';
import { type Line, line, span } from './text/spans.ts';
import { oneLine } from './text/terminal-text.ts';

interface ListFlags extends ServerFlags, Scope {
  limit?: string;
  cursor?: string;
}

type Pending = PendingQuestionView | PendingApprovalView;

/** `id` is the one that the examples show. */
export const askSubcommands = (kind: AskKind, id: string): Command[] => [
  listCommand(kind),
  showCommand(kind, id),
  ...activitySubcommands(kind, id),
];

function listCommand(kind: AskKind): Command {
  return new Command('list', `pending ${kind}s, oldest first`)
    .withExamples(`holdpoint ${kind}s list`, `holdpoint ${kind}s list --session-id nightly --json`)
    .withScope('in')
    .option('--limit <number>', 'one page of at most this many (up to 500); by default everything')
    .option('--cursor <cursor>', 'continue after the page that ended with this cursor')
    .withServer()
    .action(async (flags: ListFlags) => {
      const client = await connect(flags);
      const { items, next } = await pendingOf(client, kind, flags);
      const pending = items.filter(({ run_id }) => flags.runId === undefined || run_id === flags.runId);
      if (next !== undefined) note(`there are more; continue with --cursor ${next}`);
      if (flags.json) return printJson(pending);
      printAsks(await withAsks(client, kind, pending), `no ${kind} is pending`);
      if (pending.length > 0 && isTerminal())
        print([], line(span(`Show one: ${programName()} ${kind}s show <id>`, 'dim')));
    });
}

/** Everything, or one page where a limit or a cursor was given. */
async function pendingOf(client: Client, kind: AskKind, { sessionId, limit, cursor }: ListFlags) {
  const { list, ofSession } = kind === 'approval' ? client.approvals : client.questions;
  const read = (page: { limit?: number; cursor?: string }): Promise<Listed<Pending>> =>
    sessionId === undefined ? list(page) : ofSession(sessionId, page);
  if (limit === undefined && cursor === undefined) return { items: await listAll<Pending>(read), next: undefined };
  const size = wholeNumber('--limit', limit);
  return read({ ...(size !== undefined && { limit: size }), ...(cursor !== undefined && { cursor }) });
}

/** Adds what only the asks themselves say: their folder, signs of risk and marks. */
async function withAsks(client: Client, kind: AskKind, pending: readonly Pending[]) {
  const asks = await listAll((page) => client.asks.list({ kind, status: 'pending', ...page }));
  const found = new Map(asks.map((ask) => [ask.ask_id, ask]));
  return pending.flatMap(({ request, ...requester }) => {
    const ask = found.get(request.id);
    return ask ? [{ ...requester, ask }] : [];
  });
}

function showCommand(kind: AskKind, id: string): Command {
  return new Command('show', `one ${kind} in full, even if it has ended`)
    .argument('<request_id>', `the ${kind}, or the beginning or end of its id`)
    .withExamples(`holdpoint ${kind}s show ${id}`)
    .withScope('look in')
    .withServer()
    .action(async (typed: string, flags: ServerFlags & Scope) => {
      const client = await connect(flags);
      const ask = await findAsk(client, kind, typed, flags);
      if (flags.json) return printJson(ask);
      print(...askLines(ask, await requesterOf(client, ask), terminalWidth()));
      if (ask.status === 'pending') await reportSighting(client, ask.request);
    });
}

/** The child run that asks its parent session; undefined for any other question. */
async function requesterOf(client: Client, ask: AskView): Promise<string | undefined> {
  if (ask.kind !== 'question' || ask.status !== 'pending') return undefined;
  const questions = await listAll((page) => client.questions.ofSession(ask.session_id, page));
  const found = questions.find(({ request }) => request.id === ask.ask_id);
  if (found?.requester_session_id === undefined) return undefined;
  const { requester_project_ids: projects = [], requester_channel_ids: channels = [] } = found;
  return [
    `${found.requester_agent_id} in session ${found.requester_session_id}`,
    `run ${found.requester_run_id}`,
    ...(projects.length > 0 ? [`project ${projects.join(' ')}`] : []),
    ...(channels.length > 0 ? [`channel ${channels.join(' ')}`] : []),
  ].join(', ');
}

function askLines(ask: AskView, requester: string | undefined, width: number): Line[] {
  const now = Date.now();
  const isPending = ask.status === 'pending';
  const expires =
    ask.expires_at_ms === undefined || !isPending
      ? undefined
      : `${instant(ask.expires_at_ms)}, in ${countdown(ask.expires_at_ms - now)}`;
  const lines: Line[] = [
    ...wrap(line(span(ask.ask_id, 'bold'), '  ', span(ask.status, isPending ? 'warn' : 'dim')), width),
    ...fieldLines(
      {
        session: ask.session_id,
        run: ask.run_id,
        'asked by': requester,
        raised: `${instant(ask.created_at_ms)}, ${duration(now - ask.created_at_ms)} ago`,
        'seen by': ask.seen_by?.map((sighting) => sightingText(sighting, now)).join(', '),
        expires,
        'on it': ask.taken_by && sightingText(ask.taken_by, now),
        snoozed:
          ask.snoozed && isPending
            ? `until ${instant(ask.snoozed.until_ms)}, by ${oneLine(ask.snoozed.by)}`
            : undefined,
        scope: 'scope' in ask.request ? ask.request.scope : undefined,
        comments: isPending ? commentReaders(ask) : undefined,
      },
      width,
    ),
    [],
    ...indented(requestLines(withFolder(ask.request, ask.asked_from?.work_folder), width - 2), 2),
    [],
    ...spaced(riskLines(ask, width, now)),
    ...commentLines(ask, width),
  ];
  if (!ask.answer)
    return [...lines, ...hintLines(ask.request), ...(isQuestion(ask.request) ? example(ask.request) : [])];
  const { state, reason } = ask.delivery;
  return [
    ...lines,
    ...wrap(line(endText(ask.answer), `, ${instant(ask.answer.answered_at_ms)}`), width, 2),
    ...indented(answerLines(ask, width - 2), 2),
    line(span(`delivery: ${state}${reason ? `, ${oneLine(reason)}` : ''}`, 'dim')),
  ];
}

const spaced = (lines: readonly Line[]): Line[] => (lines.length > 0 ? [...lines, []] : []);

/** The ids of the questions, in the JSON that answers them. */
function example({ id, questions }: UserQuestionRequest): Line[] {
  const answers = questions.map((question) => ({
    question_id: question.id,
    ...(question.options[0] ? { selected_option_ids: [question.options[0].id] } : { freeform_answer: '…' }),
  }));
  const command = `${programName()} questions answer ${id} --answers-json ${shellQuote(JSON.stringify(answers))}`;
  return [line(span(`  or:      ${oneLine(command)}`, 'dim'))];
}

const sightingText = ({ by, surface, at_ms }: SightingView, now: number): string =>
  `${oneLine(by)} (${surface}) ${duration(now - at_ms)} ago`;
