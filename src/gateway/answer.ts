// Answers or declines a question set, in one transaction: load → judge → end the ask → settle the run. The first answer
// wins; an identical second one gets the first outcome, a different one is refused with the winner.
import { checkAnswers, type QuestionAnswer, type QuestionResolution } from '../core/answer.ts';
import { type Answer, authorOf, decide, type EndedAsk, endAsk, isOverdue, lateRefusal } from '../core/ask.ts';
import { canonical } from '../core/digest.ts';
import { enforce, fail, HoldpointError } from '../core/errors.ts';
import type { Ports, Reader } from '../core/ports.ts';
import type { Question } from '../core/question.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { RunView, SessionView } from '../core/views.ts';
import { expireNow } from './expire.ts';
import { type Ledger, openRun, openSession } from './ledger.ts';
import { type Key, mutate, ok, type Refused, type Reply } from './mutate.ts';
import { questionOf, runOfRequest } from './records.ts';
import { settle } from './settle.ts';
import { runReply, sessionView } from './views.ts';

export interface Command {
  resolution: QuestionResolution;
  actor: Pick<Actor, 'name' | 'surface'>;
  key?: Key | undefined;
}

export function answerForRun(ports: Ports, command: Command & { runId: string }): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    return runReply(ledger, await answer(ledger, run, command));
  });
}

export function answerForSession(ports: Ports, command: Command & { sessionId: string }): Promise<Reply<SessionView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openSession(ports, tx, command.sessionId);
    const run = await runOfRequest(tx, ledger.session, command.resolution.request_id);
    if (!run) throw fail('question_state_conflict', 'This session is not waiting for an answer.');
    const carried = await answer(ledger, run, command);
    if ('refused' in carried) return carried;
    await ledger.close();
    return ok(await sessionView(tx, ledger.session));
  });
}

/** Of an answer that is given again: where it is from and when it was given. */
type Earlier = Partial<Pick<Answer, 'kept_from' | 'answered_at_ms'>>;

/** In a transaction that the caller closes; an expired ask is closed here. */
export async function answer(
  ledger: Ledger,
  run: Run,
  { resolution, actor }: Command,
  earlier: Earlier = {},
): Promise<Run | Refused> {
  const { tx } = ledger;
  const ask = await questionOf(tx, run, resolution.request_id);
  if (isOverdue(ask, ledger.now)) return expireNow(ledger, run, ask);
  if (ask.status !== 'pending') {
    const move = decide(ask, resolution.declined ? 'decline' : 'answer', ledger.now);
    if (move === 'compare' && isSameAnswer(ledger, ask, resolution)) return carriedOn(tx, run, ask);
    throw new HoldpointError(lateRefusal(ask, run.clarification !== undefined));
  }
  enforce(checkAnswers(ask.content.questions, resolution));
  const { shown, sealed } = seal(ledger, ask.content.questions, resolution.answers ?? []);
  const ended = endAsk(
    ask,
    resolution.declined ? 'declined' : 'answered',
    {
      ...(!resolution.declined && { answers: shown }),
      ...(resolution.justification !== undefined && { justification: resolution.justification }),
      ...earlier,
    },
    authorOf(actor),
    ledger.now,
    { answerMac: macOf(ledger, resolution), sealed },
  );
  if (!(await tx.endAsk(ended))) throw fail('question_state_conflict', 'Another answer was given at the same moment.');
  return settle(ledger, run, [ended]);
}

/** The run that continued with an earlier, identical answer. */
async function carriedOn(tx: Reader, run: Run, ask: EndedAsk): Promise<Run> {
  if (ask.mode !== 'form' && ask.mode !== 'restart') return run;
  return (await tx.carryingRun(ask.id)) ?? run;
}

const isSameAnswer = (ledger: Ledger, ask: EndedAsk, resolution: QuestionResolution): boolean =>
  ask.answerMac === macOf(ledger, resolution);

const macOf = ({ ports }: Ledger, resolution: QuestionResolution): string => ports.sealer.mac(decisionText(resolution));

/** Two answers are the same decision when this text is the same. */
function decisionText(resolution: QuestionResolution): string {
  const answers = (resolution.answers ?? []).map((a) => [
    a.question_id,
    [...(a.selected_option_ids ?? [])].sort(),
    a.freeform_answer || null,
  ]);
  answers.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return canonical([resolution.request_id, resolution.declined ?? false, answers, resolution.justification ?? null]);
}

/** Removes the text of secret answers from the stored answer. */
function seal(ledger: Ledger, questions: readonly Question[], answers: readonly QuestionAnswer[]) {
  const secretIds = new Set(questions.filter((q) => q.secret).map((q) => q.id));
  if (secretIds.size === 0) return { shown: [...answers], sealed: undefined };
  const secrets: [questionId: string, text: string][] = [];
  const shown = answers.map((a) => {
    if (!secretIds.has(a.question_id)) return a;
    secrets.push([a.question_id, a.freeform_answer ?? '']);
    return { question_id: a.question_id, secret: true };
  });
  return { shown, sealed: secrets.length > 0 ? ledger.ports.sealer.seal(JSON.stringify(secrets)) : undefined };
}
