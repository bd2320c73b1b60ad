// Stores the texts, reasoning and tool calls of OpenCode as outputs of the run, in order; those of a sub-agent under its name.
// Also stores the id of the conversation's session as an output, for later runs.
import { shorten } from '../../core/text-limit.ts';
import type { AgentContext, OutputOptions } from '../agent.ts';
import { createConversationOutputs } from '../kit/output-queue.ts';
import type { Part } from './protocol.ts';

/** The output type that holds the session id. */
export const SESSION = 'opencode-session';
const MAX_RESULT_CHARACTERS = 4000;

interface Output extends OutputOptions {
  text: string;
}

/** `nameOf`: the sub-agent that a session is; undefined for the conversation itself. */
export function createOutputs(
  context: Pick<AgentContext, 'output'>,
  nameOf: (sessionId: string) => Promise<string | undefined>,
) {
  let session: string | undefined;
  let last: string | undefined;
  const reported = new Set<string>();
  /** Messages of the user; their parts are no outputs. */
  const prompts = new Set<string>();
  const stored = createConversationOutputs(context, SESSION);

  return {
    /** Sets the session of the conversation. */
    async follow(sessionId: string): Promise<void> {
      session = sessionId;
      await stored.follow({ session_id: sessionId });
    },
    message({ id, role }: { id: string; role: string }): void {
      if (role === 'user') prompts.add(id);
    },
    /** OpenCode reports a part whenever it changes; each output of it is stored once. */
    part(part: Part): void {
      const output = prompts.has(part.messageID) ? undefined : outputOf(part);
      if (!output || reported.has(output.id)) return;
      reported.add(output.id);
      const { text, ...options } = output;
      const isOwn = part.sessionID === session;
      if (options.type === 'text' && isOwn) last = text;
      stored.report(text, options, isOwn ? undefined : () => nameOf(part.sessionID));
    },
    status: stored.status,
    lastMessage: () => last,
    flush: stored.flush,
  };
}

function outputOf({ id, type, text, time, tool, state }: Part): (Output & { id: string }) | undefined {
  if (type === 'text' || type === 'reasoning')
    return text && time?.end ? { id, type: type === 'text' ? 'text' : 'thinking', text } : undefined;
  if (type !== 'tool' || !state || state.status === 'pending') return undefined;
  const action = actionText(tool ?? 'tool', state.input ?? {});
  if (state.status === 'running') return { id: `${id}:begun`, type: 'tool_call', text: action };
  const result = shorten((state.error ?? state.output ?? '').trimEnd(), MAX_RESULT_CHARACTERS);
  return { id, type: 'tool_result', text: `${action}: ${state.status}${result && `\n${result}`}` };
}

const actionText = (tool: string, { command, ...input }: Record<string, unknown>): string =>
  tool === 'bash' && typeof command === 'string'
    ? `$ ${command}`
    : `${tool} ${JSON.stringify(command === undefined ? input : { command, ...input })}`;
