// Derives the launch options of a resumed session: conversation, permission mode, accepted rules, abandoned calls and first
// prompt. Pure. These follow from what people decided; outputs of the run may only make them stricter.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hasEnded } from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { callIdOf } from '../kit/ask-ids.ts';
import { resumeMessage } from '../kit/resume-message.ts';
import { acceptedRules, PLAN_TOOL, ruleText } from './asks.ts';
import { withoutUnusedElicitations } from './elicitations.ts';
import type { ClaudeSpec } from './input.ts';
import type { LaunchOptions } from './launch.ts';
import { heldOutputId } from './outputs.ts';
import type { Rule } from './protocol.ts';

/** `stored`: the id that Claude Code reported. Anything but a UUID could be read as a command line option. */
export const resumedConversation = (stored: unknown, sessionId: string): string =>
  z.uuid().safeParse(stored).data ?? conversationOf(sessionId);

/** The same UUID for the same session on every worker. */
function conversationOf(sessionId: string): string {
  const hex = createHash('sha256').update(`holdpoint ${sessionId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `chosen`: for the run. `seen`: the mode it was last seen in, or that of the session if none was chosen. */
export function resumedMode(chosen: string | undefined, seen: unknown, asks: readonly AskView[]): string {
  if (seen === 'plan') return seen;
  if (chosen === undefined) return 'default';
  return chosen === 'plan' && asks.findLast(isDeliveredPlan)?.answer?.behavior === 'allow' ? 'default' : chosen;
}

const isDeliveredPlan = (ask: AskView): boolean =>
  ask.kind === 'approval' && ask.request.tool_name === PLAN_TOOL && hasEnded(ask) && ask.delivery.state === 'delivered';

/** In the syntax of settings. None in plan mode: they would let commands change files. */
export function resumedRules(mode: string, asks: readonly AskView[]): string[] {
  if (mode === 'plan') return [];
  return [...new Set(asks.filter(hasEnded).flatMap(acceptedRules).map(ruleInSettings))];
}

/** As in `permissions.allow`, where backslashes and parentheses inside a rule are escaped. */
export const ruleInSettings = ({ toolName, ruleContent }: Rule): string =>
  ruleText({ toolName, ruleContent: ruleContent?.replaceAll(/[\\()]/g, '\\$&') });

/**
 * The calls that earlier runs were held on. Claude Code keeps such a call and makes it again when its conversation is
 * resumed, whatever the prompt; but its run is over, so it can no longer be allowed. The form that this run answers is no such call.
 */
export function abandonedCalls(
  asks: readonly AskView[],
  { run, input }: Pick<AgentContext, 'run' | 'input'>,
): ReadonlySet<string> {
  const answered = (input.interactive_form_answer as { tool_use_id?: unknown } | undefined)?.tool_use_id;
  const held = asks.filter((ask) => ask.run_id !== run.run_id && ask.mode !== 'blocking');
  return new Set(held.map(callIdOf).filter((id) => id !== answered));
}

export const isFormAnswer = ({ input }: Pick<AgentContext, 'input'>): boolean =>
  input.interactive_form_answer !== undefined;

/** The first message of a resumed conversation: the input, or what was decided since its process ended. */
export function firstPrompt(
  context: AgentContext,
  { text }: ClaudeSpec,
  known: readonly AskView[],
): Pick<LaunchOptions, 'prompt' | 'fallbackPrompt'> {
  const { due, run, resumed } = context;
  // Claude Code has kept the call that displayed the form, and makes it again by itself.
  if (!resumed) return { prompt: isFormAnswer(context) ? undefined : text, fallbackPrompt: text };
  const isHeld = (ask: AskView) => run.outputs.some((output) => output.output_id === heldOutputId(ask.tool_call_id));
  const fallbackPrompt = decisionsPrompt(due, known);
  // If Claude Code has kept every call that has an answer now, it makes them again by itself.
  return { prompt: due.length > 0 && due.every(isHeld) ? undefined : fallbackPrompt, fallbackPrompt };
}

function decisionsPrompt(due: readonly AskView[], known: readonly AskView[]): string {
  const dueIds = new Set(due.map((ask) => ask.ask_id));
  const used = withoutUnusedElicitations(known);
  const unusedIds = new Set(known.filter((ask) => !used.includes(ask)).map((ask) => ask.ask_id));
  return resumeMessage(
    due.filter((ask) => !unusedIds.has(ask.ask_id)),
    used.filter((ask) => hasEnded(ask) && !dueIds.has(ask.ask_id)),
  );
}

/** For a new conversation: the task, and what was decided about it in one that this machine does not have. */
export function taskPrompt({ text }: ClaudeSpec, known: readonly AskView[]): string {
  const ended = withoutUnusedElicitations(known).filter(hasEnded);
  return ended.length === 0 ? text : `${text}\n\n${resumeMessage(ended, [])}`;
}
