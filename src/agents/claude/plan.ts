// Finds the text of a plan for ExitPlanMode: in the plan file, which Claude Code adds to the call; or else in the model's
// call; or else its last text. Refuses a plan that is too long to be shown whole. Reads no files.
import { truncate } from '../../core/text-limit.ts';
import { type Decision, PLAN_TOOL } from './asks.ts';
import type { Content } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

/** What the server accepts as the reason of an ask, and in its input. */
const REASON_CHARACTERS = 20_000;
const INPUT_CHARACTERS = 200_000;

export function createPlan() {
  /** From the model's last call: Claude Code leaves it out of its requests. */
  let given = '';
  let lastText = '';

  return {
    /** Content of the session itself, not of its sub-agents. */
    said(part: Content): void {
      if (part.type === 'text') lastText = part.text;
      if (part.type === 'tool_use' && part.name === PLAN_TOOL) given = planIn(part.input.plan);
    },
    /** The reason of the ask. `input`: of the call, as Claude Code sends it and the person sees it. */
    text(input: ToolCall['input']): string {
      const plan = planIn(input.plan);
      if (plan.length > REASON_CHARACTERS)
        return `The plan has ${plan.length} characters. It stands whole in the input of this call.`;
      const last = lastText === '' ? '' : ` What it said last:\n\n${lastText}`;
      return plan || given || truncate(`There is no plan with this.${last}`, REASON_CHARACTERS);
    },
  };
}

export function refusedPlan({ name, input, reason }: ToolCall): Extract<Decision, { behavior: 'deny' }> | undefined {
  if (name !== PLAN_TOOL) return undefined;
  const { length } = planIn(input.plan);
  if (length > INPUT_CHARACTERS) return tooLong(length, INPUT_CHARACTERS, 'Shorten it');
  if (reason.length > REASON_CHARACTERS)
    return tooLong(
      reason.length,
      REASON_CHARACTERS,
      'Write it into your plan file, which may be longer, or shorten it',
    );
  return undefined;
}

const tooLong = (length: number, max: number, next: string) => ({
  behavior: 'deny' as const,
  message: `Your plan has ${length} characters, and a person can be shown ${max} of it at most. ${next}, then call ${PLAN_TOOL} again.`,
});

const planIn = (plan: unknown): string => (typeof plan === 'string' && plan.trim() !== '' ? plan : '');
