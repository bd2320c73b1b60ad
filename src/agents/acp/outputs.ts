// Stores what an ACP agent reports as outputs of the run, in order: its texts and thoughts, which arrive in pieces, its tool
// calls and its plans. Also stores the id of its session as an output, for later runs.
import type { PlanEntry, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { SAID_CHARACTERS, shorten } from '../../core/text-limit.ts';
import type { AgentContext } from '../agent.ts';
import { createConversationOutputs } from '../kit/output-queue.ts';

/** The output type that holds the session id. */
export const SESSION = 'acp-session';
const MAX_RESULT_CHARACTERS = 4000;
/** More is stored of no output; an agent may go on without end. */
const LONGEST_SPEECH = 2 * SAID_CHARACTERS;
const CHECKED = { completed: '[x]', in_progress: '[~]', pending: '[ ]' } as const;

type Spoken = 'text' | 'thinking';

export function createOutputs(context: Pick<AgentContext, 'output'>) {
  let speaking: { type: Spoken; text: string } | undefined;
  let last: string | undefined;
  let lastPlan = '';
  const calls = new Map<string, Partial<ToolCallUpdate> & { isReported?: boolean }>();
  const stored = createConversationOutputs(context, SESSION);

  function store(text: string, type: string): void {
    if (text.trim() !== '') stored.report(text, { type });
  }

  function endSpeech(): void {
    if (!speaking) return;
    const { type, text } = speaking;
    speaking = undefined;
    if (type === 'text' && text.trim() !== '') last = text;
    store(text, type);
  }

  function speak(type: Spoken, text: string): void {
    if (speaking?.type !== type) endSpeech();
    const said = speaking?.text ?? '';
    speaking = { type, text: said.length > LONGEST_SPEECH ? said : said + text };
  }

  /** An update has only the fields that changed. */
  function call(update: ToolCallUpdate): void {
    const changed = Object.fromEntries(Object.entries(update).filter(([, value]) => value != null));
    const now = { ...calls.get(update.toolCallId), ...changed };
    calls.set(update.toolCallId, now);
    const isOver = now.status === 'completed' || now.status === 'failed';
    if (!now.isReported && (isOver || now.status === 'in_progress')) {
      now.isReported = true;
      store(actionText(now), 'tool_call');
    }
    if (!isOver) return;
    const result = shorten(resultOf(now).trimEnd(), MAX_RESULT_CHARACTERS);
    store(`${actionText(now)}: ${now.status}${result && `\n${result}`}`, 'tool_result');
    calls.delete(update.toolCallId);
  }

  /** The agent reports the whole plan whenever a part of it changes. */
  function plan(entries: readonly PlanEntry[]): void {
    const text = entries.map(({ status, content }) => `${CHECKED[status]} ${content}`).join('\n');
    if (text === lastPlan) return;
    lastPlan = text;
    store(text && `Plan:\n${text}`, 'status');
  }

  return {
    /** Sets the session of the conversation. */
    follow: stored.follow,
    update(update: SessionUpdate): void {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          speak('text', textOf(update.content));
          break;
        case 'agent_thought_chunk':
          speak('thinking', textOf(update.content));
          break;
        case 'tool_call':
        case 'tool_call_update':
          endSpeech();
          call(update);
          break;
        case 'plan':
          endSpeech();
          plan(update.entries);
      }
    },
    endTurn: endSpeech,
    lastMessage: () => last,
    flush: stored.flush,
  };
}

const textOf = (content: { type: string; text?: unknown }): string =>
  content.type === 'text' && typeof content.text === 'string' ? content.text : `[${content.type}]`;

function actionText({ kind, title, rawInput }: Partial<ToolCallUpdate>): string {
  const { command } = (rawInput ?? {}) as { command?: unknown };
  if (kind === 'execute' && typeof command === 'string') return `$ ${command}`;
  return title || kind || 'a tool';
}

function resultOf({ content, rawOutput }: Partial<ToolCallUpdate>): string {
  const texts = (content ?? []).map((part) => {
    if (part.type === 'content') return textOf(part.content);
    return part.type === 'diff' ? `changed ${part.path}` : '';
  });
  const said = texts.filter(Boolean).join('\n');
  return said || (typeof rawOutput === 'string' ? rawOutput : '');
}
