// One session of the demo: starts the mock agent and hands every ask of it and its sub-agents to the person.
import { type Client, every } from '../client/client.ts';
import type { AskView } from '../core/views.ts';
import { followWork } from './follow-run.ts';
import { answerAs } from './prompt/answer-ask.ts';
import type { Person } from './prompt/answerer.ts';
import { note, RETRY_FOR_MS } from './server-connection.ts';
import { cardLines, isQuestion, type Request } from './text/ask-text.ts';
import { type Line, line, span } from './text/spans.ts';

export interface DemoSession {
  client: Client;
  person: Person;
  print(line: Line): void;
  width: number;
  task: string;
  tokenInShell: string;
  /** Whether the first ask comes with the call that answers it. */
  showsCurl: boolean;
  signal: AbortSignal;
}

/** Returns what was asked, with the answers. */
export async function playSession(demo: DemoSession): Promise<AskView[]> {
  const { client, person, task } = demo;
  const { loadAgents } = await import('../boot/agents.ts');
  const agent = (await loadAgents()).find((known) => known.demo);
  if (!agent?.demo) throw new Error('this build has no agent with a demo');
  const session = await client.sessions.create({ agent: agent.name, title: agent.demo.title });
  const run = await client.runs.start(session.session_id, { input: { text: task } });
  let hasShownCurl = false;
  const family = await followWork({
    ...demo,
    remark: note,
    retryForMs: RETRY_FOR_MS,
    session,
    runId: run.run_id,
    card(request, runId) {
      // At a terminal the question's prompt shows it; an approval's shows only the choice.
      const shown = person.isScripted || !isQuestion(request) ? cardLines(request, demo.width) : [];
      const other = hasShownCurl || !demo.showsCurl ? [] : curl(demo, runId, request);
      hasShownCurl = true;
      return [...shown, ...other];
    },
    asked: (request, runId, taken) => answerAs(person, { client, print: demo.print }, request, runId, taken),
  });
  const asks: AskView[] = [];
  for (const id of family)
    for await (const ask of every((page) => client.asks.list({ session_id: id, ...page }))) asks.push(ask);
  return asks;
}

function curl({ client, tokenInShell }: DemoSession, runId: string, request: Request): Line[] {
  const first = isQuestion(request) ? request.questions[0] : undefined;
  const body = isQuestion(request)
    ? {
        resolution: {
          request_id: request.id,
          answers: [{ question_id: first?.id, selected_option_ids: [first?.options[0]?.id] }],
        },
      }
    : { resolutions: [{ request_id: request.id, behavior: 'allow' }] };
  const address = `${client.http.url}/v1/runs/${runId}/${first ? 'questions' : 'approvals'}`;
  return [
    `    curl -H "Authorization: Bearer ${tokenInShell}" -H 'Content-Type: application/json' \\`,
    `      ${address} -d '${JSON.stringify(body)}'`,
  ].map((text) => line(span(text, 'dim')));
}
