// The auditor: holds what clients know against the server's account of itself, and says everything that does not fit.
// Pure: it asks nobody and changes nothing. A sound history gives an empty list.
import { isDeepStrictEqual } from 'node:util';
import type { Winner } from '../../src/core/errors.ts';
import type { AskView } from '../../src/core/views.ts';
import { auditLog } from './audit-log.ts';
import { auditMail } from './audit-mail.ts';
import { countOf } from './count.ts';
import { winnerOf } from './crowd.ts';
import type { Account, AnswerView, Attempt, Knowledge } from './knowledge.ts';

export function audit(knowledge: Knowledge, account: Account): string[] {
  return [
    ...knowledge.faults,
    ...auditAttempts(knowledge.attempts, account),
    ...auditAnswers(knowledge.attempts, account),
    ...auditDelivery(knowledge, account),
    ...auditRuns(knowledge, account),
    ...auditLists(account),
    ...auditMail(knowledge, account),
    ...auditLog(knowledge, account),
  ];
}

/** What each answerer was told is true: acknowledged answers are there as they were sent, refused ones nowhere. */
export function auditAttempts(attempts: readonly Attempt[], { asks }: Pick<Account, 'asks'>): string[] {
  const byId = new Map(asks.map((ask) => [ask.ask_id, ask]));
  return attempts.flatMap((attempt) => {
    const stored = attempt.decisions.map(({ askId }) => byId.get(askId));
    if (attempt.result === 'acknowledged')
      return attempt.decisions.flatMap(({ askId, answer }, i) =>
        isStored(stored[i], attempt, answer)
          ? []
          : [`lost: ask ${askId} was answered by ${attempt.nonce}, acknowledged`],
      );
    if (attempt.result === 'sent') return [];
    const complaints: string[] = [];
    if (stored.some((ask) => ask?.answer?.justification === attempt.nonce))
      complaints.push(`half done: ${attempt.nonce} was refused (${attempt.code}), but an ask has its answer`);
    const { winner } = attempt;
    if (!winner) complaints.push(`untold: ${attempt.nonce} was refused (${attempt.code}) without being told who won`);
    else if (!stored.some((ask) => ask?.answer && isDeepStrictEqual(winnerOf(ask.answer), withoutDelivery(winner))))
      complaints.push(`misled: ${attempt.nonce} was told ${JSON.stringify(winner)} won, which is not what is stored`);
    return complaints;
  });
}

function isStored(ask: AskView | undefined, attempt: Attempt, answer: Partial<AnswerView>): boolean {
  const stored = ask?.answer;
  if (!stored || stored.justification !== attempt.nonce || stored.answered_by !== attempt.by) return false;
  return Object.entries(answer).every(([name, value]) => isDeepStrictEqual(stored[name as keyof AnswerView], value));
}

/** Every answer was given by somebody, and nothing but an answer allows anything. */
function auditAnswers(attempts: readonly Attempt[], { asks }: Account): string[] {
  const byNonce = new Map(attempts.map((attempt) => [attempt.nonce, attempt]));
  const complaints: string[] = [];
  for (const { ask_id, status, answer } of asks) {
    if (status === 'pending') {
      if (answer) complaints.push(`premature: ask ${ask_id} is pending and has an answer`);
      continue;
    }
    if (!answer?.answered_by || !answer.surface || !answer.answered_at_ms || answer.outcome !== status) {
      complaints.push(`unsigned: ask ${ask_id} is ${status} without author, surface, instant or that outcome`);
      continue;
    }
    const attempt = byNonce.get(answer.justification ?? '');
    const given = attempt?.decisions.find((decision) => decision.askId === ask_id);
    if (status !== 'answered' && answer.behavior === 'allow')
      complaints.push(`invented: approval ${ask_id} is ${status} and yet allowed`);
    if ((status === 'answered' || status === 'declined') && !given)
      complaints.push(`invented: ask ${ask_id} is ${status} by ${answer.answered_by}, but nobody sent that`);
    if (given && given.answer.behavior !== answer.behavior)
      complaints.push(`invented: approval ${ask_id} says ${answer.behavior}, but ${given.answer.behavior} was sent`);
  }
  return complaints;
}

/** Every ended ask of an agent was applied once, as it is stored, and delivered once. */
function auditDelivery(knowledge: Knowledge, { asks, runs, events }: Account): string[] {
  const clarifications = new Set(runs.filter((run) => run.kind === 'parent_clarification').map((run) => run.run_id));
  const delivered = countOf(events.filter((e) => e.type === 'ask.delivered').map((e) => e.ask_id));
  const applied = countOf(knowledge.applied.map((entry) => entry.askId));
  const complaints: string[] = [];
  for (const ask of asks) {
    const { ask_id } = ask;
    const marks = delivered.get(ask_id) ?? 0;
    if (marks > 1) complaints.push(`delivered twice: ask ${ask_id} has ${marks} ask.delivered events`);
    if ((ask.delivery.state === 'delivered') !== marks > 0)
      complaints.push(`undecided: ask ${ask_id} is ${ask.delivery.state} with ${marks} ask.delivered events`);
    if (knowledge.confirmed.has(ask_id) && ask.delivery.state !== 'delivered')
      complaints.push(`forgotten: the delivery of ask ${ask_id} was acknowledged, it is ${ask.delivery.state}`);
    if (clarifications.has(ask.run_id)) continue;
    const times = applied.get(ask_id) ?? 0;
    if (times > 1) complaints.push(`applied twice: ask ${ask_id}`);
    if (times > 0 && ask.status === 'pending') complaints.push(`applied too early: ask ${ask_id} is pending`);
    if (knowledge.unheard.has(ask_id)) continue;
    if (times === 0 && ask.status !== 'pending') complaints.push(`never applied: ask ${ask_id} is ${ask.status}`);
    if (ask.delivery.state === 'due') complaints.push(`never acknowledged: ask ${ask_id} is still due`);
  }
  const byId = new Map(asks.map((ask) => [ask.ask_id, ask]));
  for (const { askId, answer } of knowledge.applied)
    if (!isDeepStrictEqual(byId.get(askId)?.answer, answer))
      complaints.push(`applied something else: ask ${askId} has another answer than its agent got`);
  return complaints;
}

/** No run is stuck: what waits has something to wait for, what runs has somebody who works on it. */
function auditRuns(knowledge: Knowledge, { runs, sessions, asks }: Account): string[] {
  const complaints: string[] = [];
  const pending = countOf(asks.filter((ask) => ask.status === 'pending').map((ask) => ask.run_id));
  const active = new Map<string, string[]>();
  for (const { run_id, session_id, status } of runs) {
    const waits = status.startsWith('waiting_');
    if (waits && !pending.has(run_id)) complaints.push(`stuck: run ${run_id} is ${status} without a pending ask`);
    if (!waits && pending.has(run_id)) complaints.push(`unheld: run ${run_id} is ${status} with a pending ask`);
    if (status === 'running' && !knowledge.liveRuns.has(run_id))
      complaints.push(`stuck: run ${run_id} is running and nobody works on it`);
    if (waits || status === 'running') active.set(session_id, [...(active.get(session_id) ?? []), run_id]);
  }
  for (const session of sessions) {
    const here = active.get(session.session_id) ?? [];
    if (here.length > 1) complaints.push(`crowded: session ${session.session_id} has ${here.length} active runs`);
    if (session.active_run_id !== here[0])
      complaints.push(
        `confused: session ${session.session_id} names ${session.active_run_id} as active, not ${here[0]}`,
      );
    if (here.length === 0 && session.queued_run_ids.length > 0 && session.agent === 'external')
      complaints.push(`stuck: session ${session.session_id} has queued runs and a free slot`);
  }
  return complaints;
}

/** The lists people look at show what is pending and nothing else. */
export function auditLists(account: Pick<Account, 'asks' | 'pendingQuestions' | 'pendingApprovals'>): string[] {
  const { asks, pendingQuestions, pendingApprovals } = account;
  return (['question', 'approval'] as const).flatMap((kind) => {
    const shown = new Set((kind === 'question' ? pendingQuestions : pendingApprovals).map((view) => view.request.id));
    return asks
      .filter((ask) => ask.kind === kind && shown.has(ask.ask_id) !== (ask.status === 'pending'))
      .map((ask) => `listed wrongly: ${kind} ${ask.ask_id} is ${ask.status}`);
  });
}

/** Why the end could not be delivered depends on the moment, and is not part of the stored answer. */
const withoutDelivery = ({ undelivered: _, ...winner }: Winner): Omit<Winner, 'undelivered'> => winner;
