// One session of the demo: starts the mock agent, follows what it and its sub-agents do, shows it line by line, and
// hands every ask to the person. Over when no run of the family is open any more.
import pc from 'picocolors';
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { ApprovalRequest, AskView, EventView, UserQuestionRequest } from '../core/views.ts';
import type { Person } from './demo-person.ts';
import { oneLine, printable } from './printable.ts';

export interface DemoSession {
  client: Client;
  person: Person;
  print(line: string): void;
  task: string;
  tokenInShell: string;
  signal: AbortSignal;
}

/** The person went away. Nothing was answered by that. */
export class Left extends Error {}

const RUN_ENDS = new Set(['completed', 'failed', 'interrupted', 'cancelled']);
const NOBODY_MS = 10_000;

export async function playSession(demo: DemoSession): Promise<{ asks: AskView[]; lastMessage: string }> {
  const { client, person, task } = demo;
  const over = new AbortController();
  const signal = AbortSignal.any([demo.signal, over.signal]);
  const session = await client.sessions.create({ agent: 'mock', title: 'Demo' });
  const family = new Set([session.session_id]);
  const open = new Set<string>();
  const asked = new Map<string, AbortController>();
  const lines = createLines(demo.print);
  let failure: unknown;
  let hasShownCurl = false;
  const nobody = setTimeout(() => lines.add(pc.yellow('No worker has taken the run yet. Is one running?')), NOBODY_MS);

  function hear(event: EventView): void {
    if (event.type === 'session.created' && family.has(String(event.data.parent_session_id))) {
      family.add(event.session_id);
      lines.add(pc.dim('┆ a sub-agent begins'));
    }
    if (!family.has(event.session_id)) return;
    const indent = event.session_id === session.session_id ? '' : pc.dim('┆ ');
    if (event.type === 'accepted') open.add(String(event.run_id));
    if (event.type === 'started') clearTimeout(nobody);
    if (event.type === 'output') lines.add(...spoken(event).map((line) => indent + line));
    if (event.type === 'waiting_for_approval' || event.type === 'waiting_for_user_question') raise(event);
    if (event.type === 'ask.claimed') settle(event);
    if (RUN_ENDS.has(event.type)) open.delete(String(event.run_id));
    if (event.type === 'failed') lines.add(pc.red(`the run failed: ${oneLine(String(event.data.error))}`));
    if (open.size === 0 && RUN_ENDS.has(event.type)) over.abort();
  }

  function raise(event: EventView): void {
    for (const request of event.data.requests as (ApprovalRequest | UserQuestionRequest)[]) {
      const taken = new AbortController();
      asked.set(request.id, taken);
      if (person.isScripted || !('questions' in request)) lines.add(...card(request));
      if (!hasShownCurl) lines.add(pc.dim(curl(demo, String(event.run_id), request)));
      hasShownCurl = true;
      void lines
        .hold(() => answer(String(event.run_id), request, AbortSignal.any([signal, taken.signal])))
        .catch((error: unknown) => {
          if (signal.aborted || taken.signal.aborted) return;
          failure = error;
          over.abort();
        });
    }
  }

  async function answer(
    runId: string,
    request: ApprovalRequest | UserQuestionRequest,
    taken: AbortSignal,
  ): Promise<void> {
    const resolution =
      'questions' in request ? await person.answer(request, taken) : await person.decide(request, taken);
    if (taken.aborted) return;
    if (!resolution) throw new Left(`Nothing was answered. ${request.id} stays open.`);
    try {
      if ('behavior' in resolution) await client.approvals.decideRun(runId, { resolutions: [resolution] });
      else await client.questions.answerRun(runId, { resolution });
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || !error.winner) throw error;
      lines.add(pc.yellow(`too late: ${oneLine(error.winner.answered_by)} was first`));
    }
  }

  /** Every surface settles: an answer from elsewhere takes the prompt away here. */
  function settle(event: EventView): void {
    const { outcome, behavior, answered_by, surface } = event.data.answer as NonNullable<AskView['answer']>;
    lines.add(`${pc.green('✓')} ${behavior ?? outcome} ${pc.dim(`by ${oneLine(answered_by)}, ${surface}`)}`);
    asked.get(String(event.ask_id))?.abort();
  }

  try {
    const run = await client.runs.start(session.session_id, { input: { text: task } });
    open.add(run.run_id);
    const begin = await firstSeq(client, session.session_id);
    for await (const event of client.events.follow({ after: begin - 1, signal })) hear(event);
  } finally {
    clearTimeout(nobody);
    over.abort();
  }
  if (failure) throw failure;
  if (demo.signal.aborted) throw demo.signal.reason;
  const asks: AskView[] = [];
  for (const id of family)
    for await (const ask of every((page) => client.asks.list({ session_id: id, ...page }))) asks.push(ask);
  const { snapshot } = await client.sessions.get(session.session_id);
  return { asks, lastMessage: snapshot.last_message ?? '' };
}

const firstSeq = async (client: Client, sessionId: string): Promise<number> =>
  (await client.events.ofSession(sessionId, { limit: 1 })).items[0]?.seq ?? 1;

/** Lines wait while the person is being asked, one at a time, and follow when that is over. */
function createLines(print: (line: string) => void) {
  const waiting: string[] = [];
  let held = 0;
  let turn = Promise.resolve();
  const flush = () => {
    if (held === 0) for (const line of waiting.splice(0)) print(line);
  };
  return {
    add(...lines: string[]): void {
      waiting.push(...lines);
      flush();
    },
    hold(work: () => Promise<void>): Promise<void> {
      held += 1;
      const mine = turn.then(work).finally(() => {
        held -= 1;
        flush();
      });
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

function spoken(event: EventView): string[] {
  const { text, type } = event.data as { text?: string; type?: string };
  if (text === undefined) return [];
  if (type === 'tool_call') return [`${pc.cyan('⚙')} ${oneLine(text)}`];
  if (type === 'tool_result') return [pc.dim(`  → ${oneLine(text)}`)];
  if (type === 'status') return [pc.dim(`  the agent heard ${oneLine(text)}`)];
  return printable(text).split('\n');
}

function card(request: ApprovalRequest | UserQuestionRequest): string[] {
  if ('questions' in request) {
    return request.questions.flatMap((q) => [
      `${pc.yellow('?')} ${pc.bold(printable(q.question))}`,
      ...q.options.map(
        (o, i) => `    ${i + 1}. ${oneLine(o.label)}${o.description ? pc.dim(` – ${oneLine(o.description)}`) : ''}`,
      ),
    ]);
  }
  return [
    `${pc.yellow('!')} ${pc.bold(`${oneLine(request.tool_name)}`)} ${printable(JSON.stringify(request.input))}`,
    ...(request.reason ? [pc.dim(`    ${oneLine(request.reason)}`)] : []),
    ...(request.diff
      ? printable(request.diff)
          .split('\n')
          .map((line) => `    ${coloured(line)}`)
      : []),
  ];
}

function coloured(line: string): string {
  if (line.startsWith('+')) return pc.green(line);
  return line.startsWith('-') ? pc.red(line) : pc.dim(line);
}

function curl(
  { client, tokenInShell }: DemoSession,
  runId: string,
  request: ApprovalRequest | UserQuestionRequest,
): string {
  const isQuestion = 'questions' in request;
  const first = isQuestion ? request.questions[0] : undefined;
  const body = isQuestion
    ? {
        resolution: {
          request_id: request.id,
          answers: [{ question_id: first?.id, selected_option_ids: [first?.options[0]?.id] }],
        },
      }
    : { resolutions: [{ request_id: request.id, behavior: 'allow' }] };
  const address = `${client.http.url}/v1/runs/${runId}/${isQuestion ? 'questions' : 'approvals'}`;
  return `    curl -H "Authorization: Bearer ${tokenInShell}" -H 'Content-Type: application/json' \\\n      ${address} -d '${JSON.stringify(body)}'`;
}
