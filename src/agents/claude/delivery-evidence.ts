// Judges what an event of an attached Claude Code shows about an ask that is not settled: whether its decision reached
// Claude Code, or the person at the terminal decided before. Nothing reports a decision at the terminal before the call
// has ended, so a decision here may be accepted, sent, and take no effect. Pure; works on records alone, on any server.
import { approvalOutcome, type Ended, hasEnded, questionOutcome } from '../../client/outcome.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import type { AskView, QuestionAskView } from '../../core/views.ts';
import { callIdOf } from '../kit/ask-ids.ts';
import { QUESTION_TOOL, questionDecision, questionsOf } from './asks.ts';
import { askName, type Call, comparable, isOfThread } from './attached-calls.ts';

/** A call that ran may have failed. One that is over was not seen to run: it was refused, or its whole batch has ended. */
export type Evidence = 'ran' | 'over' | 'thread ended';

export type Effect =
  | { state: 'withdrawn' | 'undeliverable'; reason: string; isContradicted?: boolean }
  | { state: 'delivered' };

const ANSWER_CHARACTERS = 1000;
const AT_TERMINAL = 'settled at the terminal of Claude Code';
const RAN = { approval: 'allowed at the terminal of Claude Code', question: 'answered at the terminal of Claude Code' };
const UNSEEN = 'Claude Code was not seen to act on it';
const THERE = 'the person at the terminal of Claude Code had';

/**
 * `call`: the one that ran.
 *
 *   ask                        the call ran               the call is over    its thread has ended
 *   pending                    withdrawn                  withdrawn           withdrawn
 *   decided, not sent          undeliverable              undeliverable       undeliverable
 *   allowed or answered, sent  delivered; undeliverable   none yet            undeliverable
 *                              where another input ran
 *   denied or declined, sent   undeliverable              delivered           delivered
 */
export function effectOf(ask: AskView, evidence: Evidence, call?: Call): Effect | undefined {
  if (!hasEnded(ask)) return { state: 'withdrawn', reason: evidence === 'ran' ? RAN[ask.kind] : AT_TERMINAL };
  const reason = evidence === 'ran' && call ? contradiction(ask, call) : undefined;
  if (reason !== undefined) return { state: 'undeliverable', reason, isContradicted: true };
  if (ask.delivery.attempts === 0) return { state: 'undeliverable', reason: AT_TERMINAL };
  if (evidence === 'ran' || !isAllowed(ask)) return { state: 'delivered' };
  return evidence === 'thread ended' ? { state: 'undeliverable', reason: UNSEEN } : undefined;
}

/**
 * The ask that a call is about: the one of its name, else one for the same input, because a server that does not receive
 * every event may have given it another name. Of several, a call that ran is the one that was allowed here, else one that
 * was not decided here.
 */
export function askAbout(
  asks: readonly AskView[],
  callId: string,
  call: Call,
  evidence: Evidence,
): AskView | undefined {
  const ofThread = asks.filter((ask) => isOfThread(ask, call.thread));
  const named = ofThread.find((ask) => callIdOf(ask) === askName(call.thread, callId));
  if (named) return named;
  const same = ofThread.filter((ask) => isSame(ask, call));
  if (evidence !== 'ran') return same.find((ask) => effectOf(ask, evidence) !== undefined);
  const isAsAllowed = (ask: AskView) => hasEnded(ask) && isAllowed(ask) && contradiction(ask, call) === undefined;
  return same.find(isAsAllowed) ?? same.find((ask) => !hasEnded(ask)) ?? same[0];
}

function isSame(ask: AskView, { tool, input }: Call): boolean {
  if (ask.kind === 'question') {
    const asked = ask.request.questions.map(({ question }) => question);
    const { questions } = input as { questions?: unknown };
    return (
      tool === QUESTION_TOOL && Array.isArray(questions) && comparable(questions.map(textOf)) === comparable(asked)
    );
  }
  const inputs = [ask.request.input, ask.answer?.updated_input ?? ask.request.input].map(comparable);
  return tool === ask.request.tool_name && inputs.includes(comparable(input));
}

const textOf = (asked: { question?: unknown } | null): unknown => asked?.question;

const isAllowed = ({ kind, answer }: Ended): boolean =>
  answer.outcome === 'answered' && (kind === 'question' || answer.behavior === 'allow');

/** How what ran differs from what was decided here; undefined where it does not. */
function contradiction(ask: Ended, call: Call): string | undefined {
  if (ask.kind === 'question') return otherAnswer(ask, call);
  if (ask.answer.outcome !== 'answered') return undefined;
  const { allowed, input } = approvalOutcome(ask, ask.request.input);
  if (!allowed) return `denied here, but ran: ${THERE} allowed it before.`;
  if (ask.answer.updated_input === undefined || comparable(input) === comparable(call.input)) return undefined;
  return `allowed here with a changed input, but another one ran: ${THERE} allowed it before.`;
}

function otherAnswer(ask: Ended<QuestionAskView>, { input }: Call): string | undefined {
  const { answers } = input;
  if (typeof answers !== 'object' || answers === null) return undefined;
  const before = `${THERE} answered before: ${truncate(storable(Object.values(answers).join(' · ')), ANSWER_CHARACTERS)}`;
  if (ask.status === 'declined') return `declined here, but ${before}`;
  if (ask.status !== 'answered') return undefined;
  const { answers: _, annotations: __, ...asked } = input;
  const call = { id: '', name: QUESTION_TOOL, input: asked, lineage: [], reason: '', suggestions: [] };
  if (!questionsOf(call)) return undefined;
  const decision = questionDecision(call, questionOutcome(ask));
  if (decision.behavior === 'allow' && comparable(decision.input.answers) === comparable(answers)) return undefined;
  return `answered here, but the model was told something else: ${before}`;
}
