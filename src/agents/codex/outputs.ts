// Reports messages, reasoning, commands, file changes and tool calls of Codex as outputs of the run, in order; those of a
// sub-agent under its name. Also stores the id of the conversation's thread as an output, for later runs.
import { FORM_TOOL } from '../../core/form-input.ts';
import { shorten } from '../../core/text-limit.ts';
import type { AgentContext, OutputOptions } from '../agent.ts';
import { createOutputQueue } from '../kit/output-queue.ts';
import { unwrapShell } from '../wire/shell-words.ts';
import { type Item, type ItemNotice, idInTurn } from './protocol.ts';

/** The output type that holds the thread id. */
export const THREAD = 'codex-thread';
/** Only the newest outputs of a run can be read back, so the thread id is repeated. */
const REPEAT_THREAD_EVERY = 40;
const MAX_COMMAND_OUTPUT_CHARACTERS = 4000;

interface Output extends OutputOptions {
  text: string;
}

export function createOutputs(
  context: Pick<AgentContext, 'output'>,
  lineageOf: (threadId: string) => Promise<string[]>,
) {
  let thread: string | undefined;
  let count = 0;
  let last: string | undefined;
  // An output that could not be stored does not stop the run: no decision depends on it.
  const queue = createOutputQueue(context, () => {});
  const storeThread = () =>
    context.output(undefined, { id: `${THREAD}-${crypto.randomUUID()}`, type: THREAD, data: { thread_id: thread } });

  async function store({ text, ...options }: Output, threadId: string): Promise<void> {
    if (threadId === thread) return context.output(text, options);
    const name = (await lineageOf(threadId)).at(-1) ?? threadId;
    const type = options.type === 'text' ? 'thinking' : options.type;
    await context.output(`[${name}] ${text}`, { ...options, type });
  }

  function report(output: Output | undefined, threadId: string): void {
    if (!output) return;
    if (output.type === 'text' && threadId === thread) last = output.text;
    count += 1;
    void queue.push(() => store(output, threadId));
    if (count % REPEAT_THREAD_EVERY === 0) void queue.push(storeThread);
  }

  return {
    /** Sets the thread of the conversation. */
    async follow(threadId: string): Promise<void> {
      thread = threadId;
      await storeThread();
    },
    started: ({ item, turnId, threadId }: ItemNotice) => report(startOf(item, turnId), threadId),
    completed: ({ item, turnId, threadId }: ItemNotice) => report(endOf(item, turnId), threadId),
    status: (text: string) => void queue.output(text, { type: 'status' }),
    lastMessage: () => last,
    flush: queue.flush,
  };
}

function startOf(item: Item, turnId: string): Output | undefined {
  const text = actionText(item);
  return text === undefined ? undefined : { id: `${outputId(item, turnId)}:begun`, type: 'tool_call', text };
}

function endOf(item: Item, turnId: string): Output | undefined {
  const id = outputId(item, turnId);
  if (item.type === 'agentMessage' && item.text) return { id, type: 'text', text: item.text };
  const summary = item.type === 'reasoning' ? (item.summary ?? []).join('\n') : '';
  if (summary) return { id, type: 'thinking', text: summary };
  const action = actionText(item);
  if (action === undefined) return undefined;
  const exit = typeof item.exitCode === 'number' ? ` (exit ${item.exitCode})` : '';
  const printed = shorten((item.aggregatedOutput ?? '').trimEnd(), MAX_COMMAND_OUTPUT_CHARACTERS);
  return { id, type: 'tool_result', text: `${action}: ${item.status ?? 'done'}${exit}${printed && `\n${printed}`}` };
}

function actionText(item: Item): string | undefined {
  if (item.type === 'commandExecution') return `$ ${unwrapShell(item.command ?? '')}`;
  if (item.type === 'mcpToolCall' && item.tool?.includes(FORM_TOOL)) return `${item.server}: ${item.tool}`;
  if (item.type === 'mcpToolCall') return `${item.server}: ${item.tool} ${JSON.stringify(item.arguments ?? {})}`;
  if (item.type !== 'fileChange') return undefined;
  const changes = (item.changes ?? []).map(
    ({ path, kind }) => `${kind.type} ${kind.move_path ? `${path} → ${kind.move_path}` : path}`,
  );
  return `change ${changes.join(', ')}`;
}

const outputId = (item: Item, turnId: string): string => idInTurn(item.id ?? item.type, turnId).slice(-120);
