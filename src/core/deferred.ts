// Defines the deferred result, which a tool returns when its answer comes with a later message. It makes a runtime stop the
// run. Owns its shape and how it is recognised inside a runtime's own wrapping.

const WAITING = 'waiting_for_user_response';

/** The result of the tool: an instruction for the runtime, without content for the model. */
export const deferredResult = (askId: string) => ({
  __deferred_user_input__: true as const,
  success: true as const,
  status: WAITING,
  ask_id: askId,
});
export type DeferredResult = ReturnType<typeof deferredResult>;

/** Why a run that displayed a form has stopped. */
export const TOOL_DEFERRED = 'tool_deferred';

const DEEPEST = 5;

/** Finds the deferred result inside content blocks, and in JSON inside their texts. */
export function findDeferred(result: unknown, depth = 0): DeferredResult | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof result === 'string') return findDeferred(jsonIn(result), depth + 1);
  if (typeof result !== 'object' || result === null) return undefined;
  const record = result as Record<string, unknown>;
  if (record.__deferred_user_input__ === true && record.success === true && record.status === WAITING)
    return deferredResult(String(record.ask_id ?? ''));
  const inside = Array.isArray(result) ? result : [record.structuredContent, record.content, record.text];
  for (const part of inside) {
    const found = findDeferred(part, depth + 1);
    if (found) return found;
  }
  return undefined;
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
