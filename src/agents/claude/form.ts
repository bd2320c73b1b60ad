// Forms that Claude Code's model wants to display. A call of a tool whose name has `interactive_form_question` in it is
// caught before it is made and forwarded, as it is, to the server's MCP door, which alone judges and displays forms. What
// comes back decides: deferred, the process ends and the run stops; refused, the model is told how to correct it; answered,
// because this run carries the answer, the call is made and finds it as its result, or is told it where the tool is
// somebody else's. Every other tool goes its own way.
import { findDeferred } from '../../core/deferred.ts';
import { FORM_TOOL } from '../../core/form-input.ts';
import type { AgentContext } from '../agent.ts';
import type { Decision } from './asks.ts';
import type { Hindrance, ToolCall } from './stream-events.ts';

export const isForm = (toolName: string): boolean => toolName.includes(FORM_TOOL);

/** Our door as one of its MCP servers. It fills in address and token from its environment: no command line has them. */
const variable = (name: string): string => `\${${name}}`;
const SERVER = {
  type: 'http',
  url: `${variable('HOLDPOINT_URL')}/mcp`,
  headers: { Authorization: `Bearer ${variable('HOLDPOINT_TOKEN')}` },
};
/** To the letter: a server called `holdpoint__more` has tools whose names begin as ours do, and would be allowed with us. */
const own = (tool: string): string => `mcp__holdpoint__${tool}`;
const OWN_TOOLS = [FORM_TOOL, 'ask_user', 'request_approval', 'request_parent_clarification', 'check_answer'].map(own);
export const isOwnTool = (toolName: string): boolean => OWN_TOOLS.includes(toolName);
export const TOOL_ARGUMENTS: readonly string[] = [
  '--mcp-config',
  JSON.stringify({ mcpServers: { holdpoint: SERVER } }),
  '--allowedTools',
  OWN_TOOLS.join(','),
];

/** A form stops the run: what the model is to do first where something would be lost by that. */
const FIRST: Record<Hindrance, string> = {
  sub_agent: 'A sub-agent cannot display a form. Tell the agent that called you what is to be asked.',
  other_calls: 'Display the form by itself: call no other tool beside it.',
  background: 'Work is still going on in the background. Display the form when it has ended and you have its result.',
};

/** `hasOwnTools`: where the run was not given our tools, one that has their name is somebody else's. */
export async function forwardForm(
  context: AgentContext,
  call: ToolCall,
  hindrance: Hindrance | undefined,
  hasOwnTools: boolean,
): Promise<Decision> {
  if (hindrance) return { behavior: 'deny', message: FIRST[hindrance] };
  const { text, isError } = await context.callTool({ name: FORM_TOOL, arguments: call.input, tool_use_id: call.id });
  if (isError) return { behavior: 'deny', message: text };
  const deferred = findDeferred(text);
  if (!deferred && hasOwnTools && call.name === own(FORM_TOOL))
    return { behavior: 'allow', input: call.input, rules: [] };
  // Somebody else's tool has nothing to do any more, and nobody has allowed it.
  if (!deferred)
    return { behavior: 'deny', message: `The form was displayed by Holdpoint, and has its answer: ${text}` };
  const data = { type: 'tool_done', tool_use_id: call.id, tool_name: call.name, ask_id: deferred.ask_id };
  // Where the answer was quicker than this, the run is over and nobody needs to be told.
  await context.output(undefined, { id: `tool-done-${call.id}`, type: 'tool_result', data }).catch(() => {});
  return { behavior: 'held' };
}
