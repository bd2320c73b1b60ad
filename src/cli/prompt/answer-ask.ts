// Hands an ask to a person and sends what they decide. Whoever leaves has answered nothing; whoever is too late is told
// who was first.
import type { Client } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { left, told } from '../failure.ts';
import { SETTLED } from '../follow-run.ts';
import { tellSeen } from '../sighting.ts';
import { isQuestion, type Request } from '../text/ask-text.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { Person } from './answerer.ts';

interface Place {
  client: Client;
  print(line: Line): void;
}

export async function answerAs(
  person: Person,
  { client, print }: Place,
  request: Request,
  runId: string,
  taken: AbortSignal,
): Promise<void> {
  if (!person.isScripted) void tellSeen(client, request);
  const resolution = isQuestion(request) ? await person.answer(request, taken) : await person.decide(request, taken);
  if (taken.reason === SETTLED) print(line(span('Not asked any more: it was settled elsewhere meanwhile.', 'warn')));
  if (taken.aborted) return;
  if (!resolution) throw left(`nothing was answered; ${request.id} stays open`);
  try {
    if ('behavior' in resolution) await client.approvals.decideRun(runId, { resolutions: [resolution] });
    else await client.questions.answerRun(runId, { resolution });
  } catch (error) {
    if (!(error instanceof HoldpointProblem) || !error.winner) throw error;
    print(line(span(oneLine(told(error).message), 'warn')));
  }
}
