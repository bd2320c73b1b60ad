// The tools an agent finds at the MCP door. Who asks comes from the backend it was given, never from arguments; what is
// asked is read leniently and judged strictly. A refusal is a result the model can act on, not a protocol error.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  type InputRequiredResult,
  type JsonSchemaType,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { deferredResult } from '../core/deferred.ts';
import { formQuestions } from '../core/form.ts';
import { FORM_TOOL, readForm } from '../core/form-input.ts';
import type { QuestionInput } from '../core/question.ts';
import type { AskView } from '../core/views.ts';
import { type Caller, putToPerson } from './ask-user.ts';
import { type OwnPrompt, promptOnConnection } from './own-prompt.ts';
import { askResult, errorResult, jsonResult } from './result.ts';
import * as schemas from './schemas.ts';
import { addTasks, TASKS } from './tasks.ts';
import type { ToolBackend } from './tool-backend.ts';
import { type Patience, waitForEnd } from './wait.ts';

export interface ToolServerOptions {
  backend: ToolBackend;
  era: 'legacy' | 'modern';
  version: string;
  patience: Patience;
  /** How the agent's own screen is reached; on the connection itself unless said otherwise. */
  promptOf?: ((mcp: McpServer) => OwnPrompt) | undefined;
  /** What the client once said it can, where this server did not hear it. */
  declared?: ClientCapabilities | undefined;
}

type Arguments = Record<string, unknown>;
type Outcome = CallToolResult | InputRequiredResult;

const INSTRUCTIONS =
  'Holdpoint puts questions and approvals to a person. Use ask_user for a question whose answer you need now, request_approval before an action that a person should allow, interactive_form_question to stop and let them fill in a form.';

export function createToolServer(options: ToolServerOptions): McpServer {
  const { backend, era, version, patience, promptOf = () => promptOnConnection(backend), declared } = options;
  const mcp = new McpServer(
    { name: 'holdpoint', title: 'Holdpoint', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: {}, extensions: { [TASKS]: {} } } },
  );
  /** Since 2026 every request says what its client can; before, the connection did once. */
  const callerOf = (ctx: ServerContext): Caller => {
    const said = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
    const capabilities = said?.[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities() ?? declared;
    return { era, capabilities, prompt: promptOf(mcp), ctx };
  };

  function add(name: string, tool: schemas.Tool, run: (args: Arguments, ctx: ServerContext) => Promise<Outcome>): void {
    const { title, description, inputSchema, readOnly } = tool;
    const annotations = { title, readOnlyHint: readOnly ?? false, openWorldHint: true };
    const config = { title, description, inputSchema: anything(inputSchema), annotations };
    mcp.registerTool(name, config, async (args, ctx) => {
      try {
        return await run((args ?? {}) as Arguments, ctx);
      } catch (error) {
        const { code, message } = error as { code?: unknown; message: string };
        if (typeof code !== 'string') throw error;
        return errorResult(message);
      }
    });
  }

  add(FORM_TOOL, schemas.FORM, async (args, ctx) => {
    const form = readForm(args);
    if ('code' in form) return errorResult(form.detail);
    const runId = await backend.runId();
    const tool_call_id = callIdOf(ctx) ?? `form_${crypto.randomUUID()}`;
    const carried = await carriedAnswer(runId, tool_call_id);
    if (carried) return jsonResult(carried);
    const questions = formQuestions(form);
    const ask = await backend.raise(runId, { kind: 'question', mode: 'form', tool_call_id, questions });
    return jsonResult(deferredResult(ask.ask_id));
  });

  /** A runtime that takes a deferred call up again finds the answer as its result, and thereby has it: this run carries it. */
  async function carriedAnswer(runId: string, toolCallId: string): Promise<object | undefined> {
    const input = (await backend.input(runId)) as { interactive_form_answer?: Arguments; answer?: { ask_id: string } };
    const { interactive_form_answer: payload, answer } = input;
    if (payload?.tool_use_id !== toolCallId || !answer) return undefined;
    const ask = await backend.look(answer.ask_id, 0);
    if (ask.delivery.state === 'due') await backend.acknowledge(ask.ask_id);
    return payload;
  }

  add('ask_user', schemas.ASK_USER, async (args, ctx) => {
    const asked = ctx.mcpReq.requestState<string>();
    const known = typeof asked === 'string' ? await backend.look(asked, 0) : undefined;
    const ask = known ?? (await raiseQuestion(args, ctx));
    if ('code' in ask) return errorResult(ask.detail);
    if (ask.kind !== 'question') return errorResult(`${ask.ask_id} is an approval; call check_answer for it.`);
    return putToPerson(backend, ask, callerOf(ctx), patience);
  });

  async function raiseQuestion(args: Arguments, ctx: ServerContext) {
    const form = readForm(args, { tool: 'ask_user', numberIds: true });
    if ('code' in form) return form;
    const runId = await backend.runId();
    const questions = formQuestions(form);
    const tool_call_id = callIdOf(ctx) ?? (await sameQuestion(runId, questions)) ?? `call_${crypto.randomUUID()}`;
    return backend.raise(runId, { kind: 'question', tool_call_id, questions });
  }

  /** A client without tool call ids that asks again, because its call was cut off, means the ask that is still open. */
  async function sameQuestion(runId: string, questions: QuestionInput[]): Promise<string | undefined> {
    const isSame = (ask: AskView) =>
      ask.mode === 'blocking' &&
      ask.kind === 'question' &&
      ask.request.questions.length === questions.length &&
      ask.request.questions.every((q, i) => q.id === questions[i]?.id && q.question === questions[i]?.question);
    return (await backend.pending(runId)).find(isSame)?.tool_call_id;
  }

  add('request_approval', schemas.REQUEST_APPROVAL, async (args, ctx) => {
    const read = schemas.ApprovalArguments.safeParse(args);
    if (!read.success) return errorResult(schemas.problemsOf(read.error, 'request_approval'));
    const { tool_name, input, reason, tool_use_id } = read.data;
    const tool_call_id = callIdOf(ctx, tool_use_id) ?? `call_${crypto.randomUUID()}`;
    const raised = await backend.raise(await backend.runId(), {
      kind: 'approval',
      tool_call_id,
      tool_name,
      input,
      reason,
    });
    const ask = raised.answer ? raised : await waitForEnd(backend, raised.ask_id, ctx, patience);
    if (ask.answer && ask.delivery.state === 'due') await backend.acknowledge(ask.ask_id, ask.answer.digest);
    return askResult(ask);
  });

  add('request_parent_clarification', schemas.CLARIFY, async (args, ctx) => {
    const form = readForm(args, { tool: 'request_parent_clarification', numberIds: true });
    if ('code' in form) return errorResult(form.detail);
    const tool_call_id = callIdOf(ctx) ?? `call_${crypto.randomUUID()}`;
    const { request_id } = await backend.clarify(await backend.runId(), {
      tool_call_id,
      questions: formQuestions(form),
    });
    return jsonResult({ ask_id: request_id, status: 'pending', message: schemas.PARENT_ASKED });
  });

  add('check_answer', schemas.CHECK_ANSWER, async (args, ctx) => {
    const read = schemas.CheckArguments.safeParse(args);
    if (!read.success) return errorResult(schemas.problemsOf(read.error, 'check_answer'));
    const letter = (await backend.mail()).find(({ payload }) => payload.request_id === read.data.ask_id);
    if (letter) {
      await backend.takeMail(letter.message_id);
      return jsonResult({
        ask_id: read.data.ask_id,
        status: letter.payload.declined ? 'declined' : 'answered',
        ...letter.payload,
      });
    }
    const limitMs = Math.min(read.data.wait_ms ?? 0, patience.limitMs);
    const ask = await waitForEnd(backend, read.data.ask_id, ctx, { ...patience, limitMs });
    if (ask.answer && ask.delivery.state === 'due') await backend.acknowledge(ask.ask_id, ask.answer.digest);
    return askResult(ask);
  });

  addTasks(mcp, backend);
  return mcp;
}

/** The agent's own name for the call, where its client sends one. */
function callIdOf({ mcpReq }: ServerContext, given?: string): string | undefined {
  const meta = mcpReq._meta ?? {};
  const prefixed = Object.entries(meta).find(([key]) => key.endsWith('/toolUseId'))?.[1];
  const named = [prefixed, meta.tool_use_id, meta.toolUseId, given];
  return named.find((id): id is string => typeof id === 'string' && id.trim() !== '' && id.length <= 256);
}

/** Shown to the model as it is; what a model writes is judged by us, so that it is told how to correct it. */
const anything = (schema: JsonSchemaType) => fromJsonSchema<Arguments>(schema, ACCEPT_ALL);

const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator<T>() {
    return (input): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
