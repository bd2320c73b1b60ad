// Limits the partial state that a stopped dispatch leaves for the next one: any JSON, bounded by the size of its canonical
// form.
import { canonical } from './digest.ts';
import { type Refusal, refuse } from './errors.ts';

export const PARTIAL_STATE_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

export const bytesOf = (text: string): number => encoder.encode(text).length;

export function checkPartialState(state: unknown, mode: string): Refusal | undefined {
  if (state === undefined) return undefined;
  if (mode !== 'restart') return refuse('invalid_ask', 'Only an ask in mode "restart" carries a partial_state.');
  const bytes = bytesOf(canonical(state));
  if (bytes <= PARTIAL_STATE_BYTES) return undefined;
  return refuse(
    'invalid_ask',
    `partial_state has ${bytes} bytes of canonical JSON; at most ${PARTIAL_STATE_BYTES} are kept. Leave a pointer to the rest.`,
  );
}
