// Has an ask answered by the person or the script at hand, and sends the answer. Leaving answers nothing; an answer that
// comes too late is reported with who was first.
import { type AskRequest, isQuestion } from '../../client/action-summary.ts';
import type { Client } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { left, reportOf } from '../failure.ts';
import { SETTLED } from '../follow-run.ts';
import { reportSighting } from '../sighting.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { Answerer } from './answerer.ts';

interface OpenAsk {
  client: Client;
  answerer: Answerer;
  print(line: Line): void;
  request: AskRequest;
  runId: string;
  /** Aborts when the ask is no longer open. */
  settled: AbortSignal;
}

export async function answerAsk({ client, answerer, print, request, runId, settled }: OpenAsk): Promise<void> {
  if (!answerer.isScripted) void reportSighting(client, request);
  const resolution = isQuestion(request)
    ? await answerer.answer(request, settled)
    : await answerer.decide(request, settled);
  if (settled.reason === SETTLED) print(line(span('Settled elsewhere in the meantime.', 'warn')));
  if (settled.aborted) return;
  if (!resolution) throw left(`nothing was answered; ${request.id} stays open`);
  try {
    if ('behavior' in resolution) await client.approvals.decideRun(runId, { resolutions: [resolution] });
    else await client.questions.answerRun(runId, { resolution });
  } catch (error) {
    if (!(error instanceof HoldpointProblem) || !error.winner) throw error;
    print(line(span(oneLine(reportOf(error).message), 'warn')));
  }
}
