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

/** Where links lead, definitions that are drawn nowhere, characters by their name. */
const HIDING = /\][:([]|&#?\w{1,40};/;

export const hidesText = (markdown: string): boolean =>
  HIDING.test(markdown) || markdown.split('\n').some(isSilentFence);

/** Of what follows a fence only the first word is ever used. */
function isSilentFence(line: string): boolean {
  const at = line.search(/```|~~~/);
  return (
    at >= 0 &&
    /\s/.test(
      line
        .slice(at)
        .replace(/^[`~]+/, '')
        .trim(),
    )
  );
}

/** What a plan is called in a list: its first line that says something. */
export function planTitle(plan: string): string {
  const line = plan.split('\n').find((text) => /[\p{L}\p{N}]/u.test(text)) ?? plan;
  return line.replace(/^[\s#>*-]+/, '');
}
