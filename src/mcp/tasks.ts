// The tasks extension of MCP (io.modelcontextprotocol/tasks): an ask as a task that a client polls, for clients that say
// they can. The ask is the task; nothing else is kept, so it outlives the connection and the server.
import type { CallToolResult, ClientCapabilities, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AskView } from '../core/views.ts';
import type { Backed, Caller } from './calls.ts';
import { handOver, settleEarlier } from './handover.ts';
import { askResult } from './result.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
const POLL_MS = 1000;
const TaskId = z.looseObject({ taskId: z.string() });

export const speaksTasks = (capabilities: ClientCapabilities | undefined): boolean =>
  capabilities?.extensions?.[TASKS] !== undefined;

/** Instead of a result: where to look for one. */
export const taskOf = (ask: AskView): CallToolResult => ({
  ...askResult(ask),
  resultType: 'task',
  ...shapeOf(ask),
  content: [],
});

function shapeOf({ ask_id, created_at_ms, answer }: AskView) {
  return {
    taskId: ask_id,
    status: answer === undefined ? 'working' : 'completed',
    statusMessage: answer === undefined ? 'Waiting for a person.' : `The ask was ${answer.outcome}.`,
    createdAt: new Date(created_at_ms).toISOString(),
    lastUpdatedAt: new Date(answer?.answered_at_ms ?? created_at_ms).toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

export function addTasks({ server }: McpServer, backed: Backed, caller: Caller): void {
  const { backend, calls } = backed;
  server.setRequestHandler('tasks/get', { params: TaskId }, async ({ taskId }, ctx) => {
    const call = calls.begin(caller, ctx.mcpReq.id);
    try {
      await settleEarlier(backed, call, taskId);
      const ask = await backend.look(taskId, 0);
      if (ask.answer === undefined) return shapeOf(ask);
      return { ...shapeOf(ask), result: { ...(await handOver(backed, ask, call)), resultType: 'complete' } };
    } finally {
      calls.end(call);
    }
  });
  // Nothing is ever asked of the client inside a task, so there is nothing to update.
  server.setRequestHandler('tasks/update', { params: TaskId }, async ({ taskId }) => {
    await backend.look(taskId, 0);
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: TaskId }, async ({ taskId }) => {
    const ask = await backend.look(taskId, 0);
    if (ask.answer === undefined) await backend.withdraw(taskId, 'cancelled by the client');
    return {};
  });
}
