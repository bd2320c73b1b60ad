// Plans of agents: which approvals are one, and whether Markdown would hide a part of it from who reads it. Pure.
import type { ApprovalRequest } from '../../../src/core/views.ts';

/** Claude Code leaves its plan mode with this tool; the plan is why it asks, and, where it has a file, the input too. */
const PLAN_TOOL = 'ExitPlanMode';

export function isPlan({ tool_name, input, reason }: ApprovalRequest): boolean {
  const { plan = reason, planFilePath = '', ...rest } = input;
  const isAllOfIt = plan === reason && typeof planFilePath === 'string' && Object.keys(rest).length === 0;
  return tool_name === PLAN_TOOL && isAllOfIt && reason.trim() !== '';
}

/** The file that it stands in, if there is one. */
export const planFile = ({ input }: ApprovalRequest): string => String(input.planFilePath ?? '');

/** Where links lead, definitions that are drawn nowhere, what follows the name of a language, characters by their name. */
const HIDING = /\][:([]|^\s*[>\s\d.*+-]*(?:```|~~~)[^\S\n]*\S+[^\S\n]+\S|&#?\w+;/m;

export const hidesText = (markdown: string): boolean => HIDING.test(markdown);

/** What a plan is called in a list: its first line that says something. */
export function planTitle(plan: string): string {
  const line = plan.split('\n').find((text) => /[\p{L}\p{N}]/u.test(text)) ?? plan;
  return line.replace(/^[\s#>*-]+/, '');
}
