// Decides which calls are put to a person in which permission mode of Claude Code, beyond what Claude Code decides itself.
// Owns what holds in plan mode: no file is changed, and nothing that was allowed for other modes lets a call through.
// Rules in the user's own settings are not considered. Pure.
import { type Decision, PLAN_TOOL, QUESTION_TOOL } from './asks.ts';
import type { ClaudeSpec } from './input.ts';
import type { ToolCall } from './stream-events.ts';

/** Tools that only read, or only affect the agent itself. */
const HARMLESS = new Set(
  'Read Glob Grep LS NotebookRead TodoWrite TodoRead Agent Task Skill ToolSearch ListAgents ReportFindings BashOutput EnterPlanMode'.split(
    ' ',
  ),
);
const EDITS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** A skill or slash command has rules of its own, which are not reported. */
export const SKILL_TOOL = 'Skill';

/** A sub-agent may have a mode of its own, but plans whenever its session does. */
export const modeOf = (call: ToolCall, sessionMode: string): string =>
  sessionMode === 'plan' ? sessionMode : (call.mode ?? sessionMode);

/** No file is changed in plan mode, even with an approval: the plan has to be allowed first. */
export function refusedIn(mode: string, call: ToolCall): Extract<Decision, { behavior: 'deny' }> | undefined {
  if (mode !== 'plan' || !EDITS.has(call.name)) return undefined;
  const next =
    call.agentId === undefined
      ? `Show your plan with ${PLAN_TOOL}; when it is allowed, begin.`
      : 'Tell the agent that called you what is to be changed.';
  return { behavior: 'deny', message: `Nothing is changed in plan mode. ${next}` };
}

/**
 * Whether Claude Code has to request a permission in plan mode although a rule, or a mode that a sub-agent has of its own,
 * may allow the call. `allowedTools`: the tools that accepted rules name.
 */
export function isAskedInPlan(mode: string, call: ToolCall, allowedTools: ReadonlySet<string>): boolean {
  if (mode !== 'plan' || HARMLESS.has(call.name)) return false;
  // Only Claude Code knows which file is the plan. In plan mode it lets that one be written, and asks for any other.
  if (EDITS.has(call.name)) return call.mode !== 'plan';
  const hasOwnMode = call.agentId !== undefined && call.mode !== undefined && call.mode !== 'plan';
  return hasOwnMode || [...allowedTools].some((ruleTool) => mayCover(ruleTool, call.name));
}

/** Only Claude Code knows which calls of a tool a rule covers. */
function mayCover(ruleTool: string, name: string): boolean {
  if (ruleTool === name || ruleTool === SKILL_TOOL) return true;
  if (ruleTool.includes('*')) return name.startsWith(ruleTool.slice(0, ruleTool.indexOf('*')));
  if (name.startsWith('mcp__')) return name.startsWith(`${ruleTool}__`);
  // Rules for commands apply to every tool that runs one.
  return ruleTool === 'Bash';
}

/**
 * Whether a call is put to a person before Claude Code applies its own rules, so that the run can be held on it without a
 * process. Questions and plans are for a person anyway.
 */
export function isHeldFor(name: string, mode: string, hold: ClaudeSpec['hold']): boolean {
  if (mode === 'dontAsk' || hold === 'nothing') return false;
  if (name === QUESTION_TOOL || name === PLAN_TOOL) return true;
  if (hold === 'questions' || HARMLESS.has(name) || (mode !== 'default' && mode !== 'acceptEdits')) return false;
  return mode === 'default' || !EDITS.has(name);
}
