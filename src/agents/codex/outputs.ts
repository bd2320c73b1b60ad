// What Codex does, as what is said of it: messages, thoughts, commands, file changes, tool calls. Pure. Long outputs are
// cut in the middle; nothing here is decided upon.
import { shortened } from '../../core/shortened.ts';
import type { OutputOptions } from '../agent.ts';
import { unwrapShell } from '../wire/shell-words.ts';
import type { Item } from './protocol.ts';

export interface Said extends OutputOptions {
  text: string;
}

const OUTPUT_CHARACTERS = 4000;

export function begun(item: Item, turnId: string): Said | undefined {
  const text = doing(item);
  return text === undefined ? undefined : { id: `${idOf(item, turnId)}:begun`, type: 'tool_call', text };
}

export function done(item: Item, turnId: string): Said | undefined {
  const id = idOf(item, turnId);
  if (item.type === 'agentMessage' && item.text) return { id, type: 'text', text: item.text };
  const thoughts = item.type === 'reasoning' ? (item.summary ?? []).join('\n') : '';
  if (thoughts) return { id, type: 'thinking', text: thoughts };
  const text = result(item);
  return text === undefined ? undefined : { id, type: 'tool_result', text };
}

function doing(item: Item): string | undefined {
  if (item.type === 'commandExecution') return `$ ${unwrapShell(item.command ?? '')}`;
  if (item.type === 'mcpToolCall') return `${item.server}: ${item.tool} ${JSON.stringify(item.arguments ?? {})}`;
  if (item.type === 'fileChange') return `change ${pathsOf(item)}`;
  return undefined;
}

function result(item: Item): string | undefined {
  const what = doing(item);
  if (what === undefined) return undefined;
  const exit = typeof item.exitCode === 'number' ? ` (exit ${item.exitCode})` : '';
  const output = item.aggregatedOutput ? `\n${shortened(item.aggregatedOutput.trimEnd(), OUTPUT_CHARACTERS)}` : '';
  return `${what}: ${item.status ?? 'done'}${exit}${output}`;
}

const pathsOf = ({ changes }: Item): string =>
  (changes ?? [])
    .map(({ path, kind }) => `${kind.type} ${kind.move_path ? `${path} → ${kind.move_path}` : path}`)
    .join(', ');

/** Ids of items are unique in their turn. */
const idOf = (item: Item, turnId: string): string => `${item.id ?? item.type}@${turnId}`.slice(-120);
