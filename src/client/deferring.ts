// Implements the defer contract for your own agent loop. A tool whose result is deferred has asked a person: the loop
// reports the tool as done, stops, and continues with the next message of its session. The result of such a tool is for
// the loop alone and never reaches the model.
import { type DeferredResult, findDeferred, TOOL_DEFERRED } from '../core/deferred.ts';
import type { AskView } from '../core/views.ts';
import { type Client, listAll } from './client.ts';

export interface ToolCall {
  tool_use_id: string;
  tool_name: string;
}

export interface ToolDone extends ToolCall {
  type: 'tool_done';
  ask_id: string;
}

/** Thrown through the loop to end the run. Not an error: catch it where the loop was started. */
export class DeferredExit extends Error {
  readonly stop_reason = TOOL_DEFERRED;
  readonly ask_id: string;
  readonly tool_use_id: string;

  constructor({ ask_id }: DeferredResult, { tool_use_id }: ToolCall) {
    super(`The run stops here: ${ask_id} waits for a person.`);
    this.name = 'DeferredExit';
    this.ask_id = ask_id;
    this.tool_use_id = tool_use_id;
  }
}

/** Whether a tool result says that a person was asked, in whatever it is wrapped. */
export const isDeferred = (result: unknown): boolean => findDeferred(result) !== undefined;

/** Call it with every tool result before the model sees it. */
export async function exitIfDeferred(
  result: unknown,
  call: ToolCall,
  emit: (done: ToolDone) => void | Promise<void>,
): Promise<void> {
  const deferred = findDeferred(result);
  if (!deferred) return;
  const { tool_use_id, tool_name } = call;
  await emit({ type: 'tool_done', tool_use_id, tool_name, ask_id: deferred.ask_id });
  throw new DeferredExit(deferred, call);
}

export interface NextMessage {
  run_id: string;
  /** What the next run is given: for a form `interactive_form_answer`, the result of the call that was deferred. */
  input: Record<string, unknown>;
  /** The ask as it ended. What was answered to a secret question is in here, this once, and in no input. */
  ask: AskView;
}

const WAIT_MS = 55_000;
const LOOK_MS = 100;

/** The message that ends the wait, however long it takes; the run that works on it is yours, and the answer counts as delivered. */
export async function nextMessage(api: Client, exit: DeferredExit, signal?: AbortSignal): Promise<NextMessage> {
  let ask = await api.asks.get(exit.ask_id);
  while (ask.answer === undefined) ask = await api.asks.wait(exit.ask_id, WAIT_MS, signal);
  for (;;) {
    const runs = await listAll((page) => api.runs.list({ session_id: ask.session_id, ...page }));
    const next = runs.find((run) => run.resumes_run_id === ask.run_id);
    if (next) {
      const input = await api.runs.input(next.run_id);
      await api.asks.delivered(ask.ask_id);
      return { run_id: next.run_id, input, ask };
    }
    const held = runs.find((run) => run.run_id === ask.run_id);
    if (held && held.finished_at_ms !== undefined) throw new Error(`Nothing follows: the run was ${held.status}.`);
    // Another ask still holds the run.
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal?.throwIfAborted();
  }
}
