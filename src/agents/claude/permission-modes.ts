// Which calls are put to a person in which of Claude Code's permission modes, as far as that is not left to Claude Code
// itself. Owns what holds while it plans: no file is changed, and nothing that was allowed for work lets a call through
// unasked. Rules in its user's own settings are not looked at. Pure.
import { type Decision, PLAN_TOOL, QUESTION_TOOL } from './asks.ts';
import type { ClaudeSpec } from './input.ts';
import type { ToolCall } from './stream-events.ts';

/** Tools that only look, or only talk to the agent itself. Any other may need a person. */
const HARMLESS = new Set(
  'Read Glob Grep LS NotebookRead TodoWrite TodoRead Agent Task Skill ToolSearch ListAgents ReportFindings BashOutput EnterPlanMode'.split(
    ' ',
  ),
);
const EDITS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** A sub-agent has the mode that its hook says. One that plans, or whose session does, plans. */
export const modeOf = (call: ToolCall, session: string): string =>
  session === 'plan' ? session : (call.mode ?? session);

/** A run that only plans changes no file, whoever would allow it: first the plan is to be allowed. */
export function refusedIn(mode: string, call: ToolCall): Extract<Decision, { behavior: 'deny' }> | undefined {
  if (mode !== 'plan' || !EDITS.has(call.name)) return undefined;
  const next =
    call.agentId === undefined
      ? `Show your plan with ${PLAN_TOOL}; when it is allowed, begin.`
      : 'Tell the agent that called you what is to be changed.';
  return { behavior: 'deny', message: `Nothing is changed in plan mode. ${next}` };
}

/** A skill, or a command, brings rules of its own along; nobody here is told which. */
export const SKILL_TOOL = 'Skill';

/** Which calls of a tool a rule covers is known to Claude Code alone: whatever it may cover counts. */
function covers(ruleTool: string, name: string): boolean {
  if (ruleTool === name || ruleTool === SKILL_TOOL) return true;
  if (ruleTool.includes('*')) return name.startsWith(ruleTool.slice(0, ruleTool.indexOf('*')));
  if (name.startsWith('mcp__')) return name.startsWith(`${ruleTool}__`);
  // Rules for commands hold for whatever runs them.
  return ruleTool === 'Bash';
}

/**
 * What was allowed for work was not allowed for planning: so while it plans, Claude Code asks for all that may change
 * something and that may be let through by that, or by a mode that a sub-agent has of its own. `opened`: what was
 * allowed, by the tools that its rules name.
 */
export function isAskedInPlan(mode: string, call: ToolCall, opened: ReadonlySet<string>): boolean {
  if (mode !== 'plan' || HARMLESS.has(call.name)) return false;
  // Which file is the plan is known to Claude Code alone. In this mode it lets that one be written, and asks for any other.
  if (EDITS.has(call.name)) return call.mode !== 'plan';
  const hasOwnMode = call.agentId !== undefined && call.mode !== undefined && call.mode !== 'plan';
  return hasOwnMode || [...opened].some((ruleTool) => covers(ruleTool, call.name));
}

/**
 * Whether a call is put to a person before Claude Code has looked at its own rules. Questions and plans are for a person
 * in any case; for the rest this is the price of holding without a process.
 */
export function isHeldFor(name: string, mode: string, hold: ClaudeSpec['hold']): boolean {
  if (mode === 'dontAsk' || hold === 'nothing') return false;
  if (name === QUESTION_TOOL || name === PLAN_TOOL) return true;
  if (hold === 'questions' || HARMLESS.has(name) || (mode !== 'default' && mode !== 'acceptEdits')) return false;
  return mode === 'default' || !EDITS.has(name);
}
