// One session of the demo: starts the agent that has a demo and passes every ask of it and its sub-agents to the answerer.
import { type AskRequest, isQuestion } from '../client/action-summary.ts';
import { type Client, listAll } from '../client/client.ts';
import type { AskView } from '../core/views.ts';
import { RETRY_FOR_MS } from './command.ts';
import { followRun } from './follow-run.ts';
import { answerAsk } from './prompt/answer-ask.ts';
import type { Answerer } from './prompt/answerer.ts';
import { cardLines } from './text/ask-text.ts';
import { type Line, line, span } from './text/spans.ts';

export interface DemoSession {
  client: Client;
  answerer: Answerer;
  print(line: Line): void;
  width: number;
  task: string;
  /** A shell expression that yields the token. */
  tokenInShell: string;
  /** Whether the first ask is shown with the HTTP request that answers it. */
  showsCurl: boolean;
  signal: AbortSignal;
}

/** Returns the asks with their answers. */
export async function playSession(demo: DemoSession): Promise<AskView[]> {
  const { client, answerer, task } = demo;
  const { loadAgents } = await import('../boot/agents.ts');
  const agent = (await loadAgents()).find((known) => known.demo);
  if (!agent?.demo) throw new Error('this build has no agent with a demo');
  const session = await client.sessions.create({ agent: agent.name, title: agent.demo.title });
  const run = await client.runs.start(session.session_id, { input: { text: task } });
  let hasShownCurl = false;
  const family = await followRun({
    ...demo,
    retryForMs: RETRY_FOR_MS,
    session,
    runId: run.run_id,
    card(request, runId, signs) {
      // The prompt of a question shows all of it; that of an approval only the choice.
      const shown = answerer.isScripted || !isQuestion(request) ? cardLines(request, demo.width) : [];
      const other = hasShownCurl || !demo.showsCurl ? [] : curlLines(demo, runId, request);
      hasShownCurl = true;
      return [...shown, ...signs, ...other];
    },
    answer: (request, runId, settled) => answerAsk({ client, answerer, print: demo.print, request, runId, settled }),
  });
  const asks = family.map((session_id) => listAll((page) => client.asks.list({ session_id, ...page })));
  return (await Promise.all(asks)).flat();
}

function curlLines({ client, tokenInShell }: DemoSession, runId: string, request: AskRequest): Line[] {
  const first = isQuestion(request) ? request.questions[0] : undefined;
  const body = first
    ? {
        resolution: {
          request_id: request.id,
          answers: [{ question_id: first.id, selected_option_ids: [first.options[0]?.id] }],
        },
      }
    : { resolutions: [{ request_id: request.id, behavior: 'allow' }] };
  const address = `${client.http.url}/v1/runs/${runId}/${first ? 'questions' : 'approvals'}`;
  return [
    `    curl -H "Authorization: Bearer ${tokenInShell}" -H 'Content-Type: application/json' \\`,
    `      ${address} -d '${JSON.stringify(body)}'`,
  ].map((text) => line(span(text, 'dim')));
}
