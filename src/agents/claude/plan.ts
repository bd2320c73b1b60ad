// The plan that a session of Claude Code shows when it has done planning. Which file it stands in is known to Claude Code
// alone, which reads it and gives it with the call. Where there is no such file, what the model put into the call
// counts, and where that is nothing, what it said last. Owns the text, and that a plan is shown whole or refused; reads
// no files.

import { fittingText } from '../kit/fitting-text.ts';
import { type Decision, PLAN_TOOL } from './asks.ts';
import type { Content } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

/** What the server takes as the words beside a call, and what it surely takes in the call itself. */
const WORDS_CHARACTERS = 20_000;
const INPUT_CHARACTERS = 200_000;

export function createPlan() {
  /** As the model put it into its last call: Claude Code leaves that out of the calls that it shows. */
  let given = '';
  let lastText = '';

  return {
    /** What the session itself says and calls. */
    said(part: Content): void {
      if (part.type === 'text') lastText = part.text;
      if (part.type === 'tool_use' && part.name === PLAN_TOOL) given = wordsIn(part.input.plan);
    },
    /** What a person is told who is to allow it. `input`: of the call, as Claude Code shows it, and the person sees it. */
    text(input: ToolCall['input']): string {
      const plan = wordsIn(input.plan);
      if (plan.length > WORDS_CHARACTERS)
        return `The plan has ${plan.length} characters. It stands whole in the input of this call.`;
      const words = lastText === '' ? '' : ` What it said last:\n\n${lastText}`;
      return plan || given || fittingText(`There is no plan with this.${words}`, WORDS_CHARACTERS);
    },
  };
}

/** A plan that nobody can be shown whole is not one that anybody could allow. */
export function refusedPlan({ name, input, reason }: ToolCall): Extract<Decision, { behavior: 'deny' }> | undefined {
  if (name !== PLAN_TOOL) return undefined;
  const { length } = wordsIn(input.plan);
  if (length > INPUT_CHARACTERS) return tooLong(length, INPUT_CHARACTERS, 'Shorten it');
  if (reason.length > WORDS_CHARACTERS)
    return tooLong(reason.length, WORDS_CHARACTERS, 'Write it into your plan file, which may be longer, or shorten it');
  return undefined;
}

const tooLong = (length: number, most: number, next: string) => ({
  behavior: 'deny' as const,
  message: `Your plan has ${length} characters, and a person can be shown ${most} of it at most. ${next}, then call ${PLAN_TOOL} again.`,
});

const wordsIn = (plan: unknown): string => (typeof plan === 'string' && plan.trim() !== '' ? plan : '');
