// Forwards the form tool of Claude Code's model to the server's MCP endpoint, which alone validates and displays forms. If
// the form is displayed, the process exits and the run is held; if it is refused, the model gets the reason; if this run
// carries the answer, our own tool returns it, and a call of another server's tool is denied with it.
import { findDeferred } from '../../core/deferred.ts';
import { FORM_TOOL } from '../../core/form-input.ts';
import type { AgentContext } from '../agent.ts';
import type { Decision } from './asks.ts';
import type { Obstacle, ToolCall } from './stream-events.ts';

export const isForm = (toolName: string): boolean => toolName.includes(FORM_TOOL);

/** The server's MCP endpoint. Claude Code expands the variables, so that no command line contains the token. */
const variable = (name: string): string => `\${${name}}`;
const SERVER = {
  type: 'http',
  url: `${variable('HOLDPOINT_URL')}/mcp`,
  headers: { Authorization: `Bearer ${variable('HOLDPOINT_TOKEN')}` },
};
/** Exact names, because a server called `holdpoint__more` would have tools with our prefix. */
const ownName = (tool: string): string => `mcp__holdpoint__${tool}`;
const OWN_TOOLS = [FORM_TOOL, 'ask_user', 'request_approval', 'request_parent_clarification', 'check_answer'].map(
  ownName,
);
export const isOwnTool = (toolName: string): boolean => OWN_TOOLS.includes(toolName);
export const TOOL_ARGUMENTS: readonly string[] = [
  '--mcp-config',
  JSON.stringify({ mcpServers: { holdpoint: SERVER } }),
  '--allowedTools',
  OWN_TOOLS.join(','),
];

/** What the model has to do before the process may exit. */
const FIRST: Record<Obstacle, string> = {
  sub_agent: 'A sub-agent cannot display a form. Tell the agent that called you what is to be asked.',
  other_calls: 'Display the form by itself: call no other tool beside it.',
  background: 'Work is still going on in the background. Display the form when it has ended and you have its result.',
};

/** `hasOwnTools`: a run without our tools may have another server's tool of the same name. */
export async function forwardForm(
  context: AgentContext,
  call: ToolCall,
  obstacle: Obstacle | undefined,
  hasOwnTools: boolean,
): Promise<Decision> {
  if (obstacle) return { behavior: 'deny', message: FIRST[obstacle] };
  const { text, isError } = await context.callTool({ name: FORM_TOOL, arguments: call.input, tool_use_id: call.id });
  if (isError) return { behavior: 'deny', message: text };
  const deferred = findDeferred(text);
  if (!deferred && hasOwnTools && call.name === ownName(FORM_TOOL))
    return { behavior: 'allow', input: call.input, rules: [] };
  // The tool of another server was not allowed by a person.
  if (!deferred)
    return { behavior: 'deny', message: `The form was displayed by Holdpoint, and has its answer: ${text}` };
  const data = { type: 'tool_done', tool_use_id: call.id, tool_name: call.name, ask_id: deferred.ask_id };
  // Refused if the form was answered meanwhile: the run is over then.
  await context.output(undefined, { id: `tool-done-${call.id}`, type: 'tool_result', data }).catch(() => {});
  return { behavior: 'held' };
}
