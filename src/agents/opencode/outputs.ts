// Stores the texts, reasoning and tool calls of OpenCode as outputs of the run, in order; those of a sub-agent under its name.
// Also stores the id of the conversation's session as an output, for later runs.
import { shorten } from '../../core/text-limit.ts';
import type { AgentContext, OutputOptions } from '../agent.ts';
import { createOutputQueue } from '../kit/output-queue.ts';
import type { Part } from './protocol.ts';

/** The output type that holds the session id. */
export const SESSION = 'opencode-session';
/** Only the newest outputs of a run can be read back, so the session id is repeated. */
const REPEAT_SESSION_EVERY = 40;
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
  // An output that could not be stored does not stop the run: no decision depends on it.
  const queue = createOutputQueue(context, () => {});
  const storeSession = () =>
    context.output(undefined, {
      id: `${SESSION}-${crypto.randomUUID()}`,
      type: SESSION,
      data: { session_id: session },
    });

  async function store({ text, ...options }: Output, sessionId: string): Promise<void> {
    const name = sessionId === session ? undefined : await nameOf(sessionId);
    if (name === undefined) return context.output(text, options);
    await context.output(`[${name}] ${text}`, {
      ...options,
      type: options.type === 'text' ? 'thinking' : options.type,
    });
  }

  return {
    /** Sets the session of the conversation. */
    async follow(sessionId: string): Promise<void> {
      session = sessionId;
      await storeSession();
    },
    message({ id, role }: { id: string; role: string }): void {
      if (role === 'user') prompts.add(id);
    },
    /** OpenCode reports a part whenever it changes; each output of it is stored once. */
    part(part: Part): void {
      const output = prompts.has(part.messageID) ? undefined : outputOf(part);
      if (!output || reported.has(output.id)) return;
      reported.add(output.id);
      if (output.type === 'text' && part.sessionID === session) last = output.text;
      void queue.push(() => store(output, part.sessionID));
      if (reported.size % REPEAT_SESSION_EVERY === 0) void queue.push(storeSession);
    },
    status: (text: string) => void queue.output(text, { type: 'status' }),
    lastMessage: () => last,
    flush: queue.flush,
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
