// The plan that a session of Claude Code shows when it has done planning. Which file it stands in is known to Claude Code
// alone, which reads it and gives it with the call. Where there is no such file, what the model put into the call
// counts, and where that is nothing, what it said last. Owns the text; reads no files.
import { PLAN_TOOL } from './claude-asks.ts';
import { fittingText } from './fitting-text.ts';
import type { Content } from './wire/claude-stream.ts';

const PLAN_CHARACTERS = 20_000;

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
    /** What a person is shown who is to allow it. `input`: of the call, as Claude Code shows it. */
    text(input: Record<string, unknown>): string {
      const words = lastText === '' ? '' : ` What it said last:\n\n${lastText}`;
      return fittingText(wordsIn(input.plan) || given || `There is no plan with this.${words}`, PLAN_CHARACTERS);
    },
  };
}

const wordsIn = (plan: unknown): string => (typeof plan === 'string' && plan.trim() !== '' ? plan : '');
