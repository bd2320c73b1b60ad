// Short names of asks for a model: it copies them from one call into the next. A name stands for one ask of its session;
// the full id is accepted everywhere, too.
import { hash } from 'node:crypto';
import { fail } from '../core/errors.ts';
import { askIdOf } from '../core/id.ts';
import type { AskView } from '../core/views.ts';
import type { ToolBackend } from './tool-backend.ts';

const TAIL = 8;
const CLARIFICATION = /_parent_[0-9a-f]{16}$/;
const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** The name of a clarification counts: its call id, and with it the id of the ask, follows from the number. */
export const clarificationCall = (n: number): string => `parent-${n}`;

export function handleOf({ ask_id, tool_call_id }: Pick<AskView, 'ask_id' | 'tool_call_id'>): string {
  if (!CLARIFICATION.test(ask_id)) return `ask_${ask_id.slice(-TAIL)}`;
  return /^parent-\d+$/.test(tool_call_id) ? tool_call_id.replace('-', '_') : ask_id;
}

export const isClarification = ({ ask_id }: Pick<AskView, 'ask_id'>): boolean => CLARIFICATION.test(ask_id);

/** The id that a name stands for. `open` are the asks that are most likely meant. */
export async function askIdFor(backend: ToolBackend, name: string, open: readonly AskView[]): Promise<string> {
  const [, n] = /^parent_(\d+)$/.exec(name) ?? [];
  if (n !== undefined) return askIdOf(`${await backend.runId()}_parent`, clarificationCall(Number(n)), sha256);
  if (!new RegExp(`^ask_[0-9a-f]{${TAIL}}$`).test(name)) return name;
  const tail = name.slice(-TAIL);
  const isMeant = ({ ask_id }: AskView) => ask_id.endsWith(tail);
  const near = open.filter(isMeant);
  const [found, other] = near.length > 0 ? near : (await backend.history()).filter(isMeant);
  if (!found) throw fail('ask_not_found', `ask_id: this session has asked nothing called "${name}".`);
  if (other) throw fail('ask_not_found', `ask_id: "${name}" is ${found.ask_id} or ${other.ask_id}; give the whole id.`);
  return found.ask_id;
}
