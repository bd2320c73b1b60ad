// What is said where a person here decided after the one at the terminal of Claude Code. Between a decision there and the
// end of the call nobody can know here that it was made, so a later one is accepted, and carried to nobody. When the call
// is over it shows what was done instead. Pure.

import { fittingText } from '../kit/fitting-text.ts';
import { type Decision, QUESTION_TOOL } from './asks.ts';
import { comparable } from './attached-calls.ts';
import type { HookEvent } from './hook-protocol.ts';

interface Decided {
  /** By somebody here. */
  decision?: Decision;
  /** The person here allowed a changed input. */
  isChanged?: boolean;
  /** The calls it may be about. */
  mayBe: ReadonlySet<string>;
}

const ANSWER_CHARACTERS = 1000;
const THERE = 'the person at the terminal of Claude Code had';

/** Nothing where what was done is what was decided here. `event`: the call is over, well or not, and was not refused. */
export function tooLate(decided: Decided, event: HookEvent): string | undefined {
  if (event.tool_name === QUESTION_TOOL) return otherAnswer(decided, event);
  const { decision, isChanged, mayBe } = decided;
  if (decision?.behavior === 'deny') return `This was denied here, but ran: ${THERE} allowed it before.`;
  // Among several calls that it can be, one that ran as it was need not be the one that was changed.
  if (decision?.behavior !== 'allow' || !isChanged || mayBe.size > 1) return undefined;
  if (comparable(event.tool_input ?? {}) === comparable(decision.input)) return undefined;
  return `This was allowed here with a changed input, but another one ran: ${THERE} allowed it before.`;
}

function otherAnswer({ decision, mayBe }: Decided, { tool_input: { answers } = {} }: HookEvent): string | undefined {
  if (typeof answers !== 'object' || answers === null || mayBe.size > 1) return undefined;
  const given = fittingText(Object.values(answers).join(' · '), ANSWER_CHARACTERS);
  const before = `${THERE} answered before: ${given}`;
  if (decision?.behavior === 'deny') return `This was declined here, but ${before}`;
  if (decision?.behavior !== 'allow' || comparable({ answers }) === comparable({ answers: decision.input.answers }))
    return undefined;
  return `This was answered here, but the model was told something else: ${before}`;
}
