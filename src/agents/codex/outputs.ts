// Reports messages, reasoning, commands, file changes and tool calls of Codex as outputs of the run, in order; those of a
// sub-agent under its name. Also stores the id of the conversation's thread as an output, for later runs.
import { FORM_TOOL } from '../../core/form-input.ts';
import { shorten } from '../../core/text-limit.ts';
import type { AgentContext, OutputOptions } from '../agent.ts';
import { createConversationOutputs } from '../kit/output-queue.ts';
import { unwrapShell } from '../wire/shell-words.ts';
import { type Item, type ItemNotice, idInTurn } from './protocol.ts';

/** The output type that holds the thread id. */
export const THREAD = 'codex-thread';
const MAX_COMMAND_OUTPUT_CHARACTERS = 4000;

interface Output extends OutputOptions {
  text: string;
}

export function createOutputs(
  context: Pick<AgentContext, 'output'>,
  lineageOf: (threadId: string) => Promise<string[]>,
) {
  let thread: string | undefined;
  let last: string | undefined;
  const stored = createConversationOutputs(context, THREAD);
  const nameOf = async (threadId: string) => (await lineageOf(threadId)).at(-1) ?? threadId;

  function report(output: Output | undefined, threadId: string): void {
    if (!output) return;
    const { text, ...options } = output;
    if (options.type === 'text' && threadId === thread) last = text;
    stored.report(text, options, threadId === thread ? undefined : () => nameOf(threadId));
  }

  return {
    /** Sets the thread of the conversation. */
    async follow(threadId: string): Promise<void> {
      thread = threadId;
      await stored.follow({ thread_id: threadId });
    },
    started: ({ item, turnId, threadId }: ItemNotice) => report(startOf(item, turnId), threadId),
    completed: ({ item, turnId, threadId }: ItemNotice) => report(endOf(item, turnId), threadId),
    status: stored.status,
    lastMessage: () => last,
    flush: stored.flush,
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
