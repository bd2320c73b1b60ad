// Registers the MCP tools for one connection or request. Who asks comes from the backend, never from arguments; arguments
// are read leniently and judged strictly. A refusal is a result that the model can act on, not a protocol error.
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
import type { z } from 'zod';
import { fail, HoldpointError } from '../core/errors.ts';
import { formQuestions } from '../core/form.ts';
import { FORM_TOOL, readForm } from '../core/form-input.ts';
import { completeQuestions } from '../core/question.ts';
import type { AskView } from '../core/views.ts';
import { type Asker, promptedAsk, putToPerson, readsComments } from './ask-user.ts';
import type { Backed, Call, Caller } from './calls.ts';
import { askParent } from './clarification-tool.ts';
import { postReply } from './comments.ts';
import { displayForm } from './form-tool.ts';
import { askIdFor } from './handle.ts';
import { handOver, settleEarlier } from './handover.ts';
import { type OwnPrompt, promptOnConnection } from './own-prompt.ts';
import { raiseOrJoin, repeated, type Wanted, wantedApproval, wantedQuestions } from './repeat.ts';
import { heldResult, refusalResult } from './result.ts';
import * as schemas from './schemas.ts';
import { addTasks, TASKS } from './tasks.ts';
import type { ToolSession } from './tool-backend.ts';
import { waitForEnd } from './wait.ts';

export interface ToolServerOptions extends Backed {
  session: ToolSession;
  caller: Caller;
  era: 'legacy' | 'modern';
  version: string;
  /** How the agent's own screen is reached; on the connection itself unless another way is given. */
  promptOf?: ((mcp: McpServer) => OwnPrompt) | undefined;
  /** What the client declared, where this server did not receive it. */
  declared?: ClientCapabilities | undefined;
}

type Arguments = Record<string, unknown>;
type Outcome = CallToolResult | InputRequiredResult;
interface ToolCall {
  call: Call;
  ctx: ServerContext;
}

const INSTRUCTIONS =
  'Holdpoint puts questions and approvals to a person. Use ask_user for a question whose answer you need now, request_approval before an action that a person should allow, interactive_form_question to stop and let them fill in a form.';
const HINTS = { readOnlyHint: false, destructiveHint: false };

export function createToolServer(options: ToolServerOptions): McpServer {
  const { backend, calls, session, caller, era, version, declared } = options;
  const promptOf = options.promptOf ?? (() => promptOnConnection(backend));
  const mcp = new McpServer(
    { name: 'holdpoint', title: 'Holdpoint', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: false }, ...(era === 'modern' && { extensions: { [TASKS]: {} } }) },
    },
  );

  function add(name: string, tool: schemas.Tool, run: (args: Arguments, call: ToolCall) => Promise<Outcome>): void {
    const { title, description } = tool;
    const inputSchema = anything(tool.inputSchema);
    const output = tool.outputSchema && { outputSchema: anything(tool.outputSchema) };
    mcp.registerTool(name, { title, description, inputSchema, ...output, annotations: HINTS }, async (args, ctx) => {
      const call = calls.begin(caller, ctx.mcpReq.id);
      const cancel = () => void calls.cancel(call.key).catch(() => {});
      ctx.mcpReq.signal.addEventListener('abort', cancel, { once: true });
      // Over HTTP this server serves one request: closed, it ends the response without a result.
      if (ctx.http) call.signal.addEventListener('abort', () => void mcp.close().catch(() => {}), { once: true });
      try {
        return await run((args ?? {}) as Arguments, { call, ctx });
      } catch (error) {
        const { code, message } = error as { code?: unknown; message: string };
        if (typeof code !== 'string') throw error;
        return refusalResult(code, REWORDED[code] ?? message);
      } finally {
        ctx.mcpReq.signal.removeEventListener('abort', cancel);
        calls.end(call);
      }
    });
  }

  /** Since 2026 every request says what its client can; before, the connection did once. */
  const askerOf = ({ call, ctx }: ToolCall): Omit<Asker, 'promptedAt'> => {
    const envelope = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
    const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities() ?? declared;
    const protocol = ctx.http?.req?.headers.get('mcp-protocol-version') ?? mcp.server.getNegotiatedProtocolVersion();
    return { era, protocol, capabilities, prompt: promptOf(mcp), call, ctx };
  };

  add(FORM_TOOL, schemas.FORM, async (args, { call, ctx }) => {
    refuse(args, ['context', 'lineage', 'mode'], FORM_TOOL);
    const questions = questionsIn(args, FORM_TOOL);
    const expiry = read(schemas.Expiry, args, FORM_TOOL);
    return calls.inTurn(caller, async () => {
      const open = await settleEarlier(options, call);
      return displayForm(options, { questions, ...expiry }, { call, callId: callIdOf(ctx), open });
    });
  });

  add('ask_user', schemas.ASK_USER, async (args, { call, ctx }) => {
    const prompted = promptedAsk(ctx.mcpReq.requestState<string>());
    const ask = prompted ? await backend.look(prompted.askId, 0) : await raiseQuestion(args, { call, ctx });
    if (ask.kind !== 'question') throw fail('ask_not_found', `${ask.ask_id} is an approval: call check_answer for it.`);
    return putToPerson(options, ask, { ...askerOf({ call, ctx }), promptedAt: prompted?.promptedAt ?? 0 });
  });

  async function raiseQuestion(args: Arguments, { call, ctx }: ToolCall) {
    refuse(args, ['lineage', 'mode'], 'ask_user');
    const questions = questionsIn(args, 'ask_user');
    const more = read(schemas.QuestionArguments, args, 'ask_user');
    const complete = completeQuestions(questions);
    const wanted = wantedQuestions('blocking', complete, more.context);
    const takes_comments = await readsComments(options, complete, askerOf({ call, ctx }));
    return find(wanted, { call, ctx }, callIdOf(ctx), async (tool_call_id) =>
      backend.raise(await backend.runId(), { kind: 'question', tool_call_id, questions, ...more, takes_comments }),
    );
  }

  /** The ask that the call means. It is in the hands of this call, also if another one of the same content comes now. */
  const find = (
    wanted: Wanted,
    { call }: ToolCall,
    callId: string | undefined,
    raise: (id: string) => Promise<AskView>,
  ) =>
    calls.inTurn(caller, async () => {
      const open = await settleEarlier(options, call);
      if (call.signal.aborted) throw fail('ask_state_conflict', 'The call was cancelled before anything was asked.');
      const known = await repeated(options, open, wanted, call);
      const ask =
        known ?? (callId === undefined ? await raiseOrJoin(options, wanted, call, raise) : await raise(callId));
      calls.hold(call, ask.ask_id);
      return ask;
    });

  add('request_approval', schemas.REQUEST_APPROVAL, async (args, { call, ctx }) => {
    refuse(args, ['mode'], 'request_approval');
    const { tool_use_id, ...action } = read(schemas.ApprovalArguments, args, 'request_approval');
    // As a permission prompt tool it is called by a program, which reads a decision and nothing else.
    const takes_comments = tool_use_id === undefined;
    const ask = await find(wantedApproval(action), { call, ctx }, callIdOf(ctx, tool_use_id), async (tool_call_id) =>
      backend.raise(await backend.runId(), { kind: 'approval', tool_call_id, ...action, takes_comments }),
    );
    const { structuredContent: _, ...result } = await handOver(
      options,
      await waitForEnd(options, ask, call, ctx),
      call,
    );
    return result;
  });

  if (session.hasParent)
    add('request_parent_clarification', schemas.CLARIFY, async (args, { call, ctx }) => {
      refuse(args, ['context', 'lineage', 'mode'], 'request_parent_clarification');
      const questions = questionsIn(args, 'request_parent_clarification');
      const expiry = read(schemas.Expiry, args, 'request_parent_clarification');
      await settleEarlier(options, call);
      const ask = await askParent(backend, { questions, ...expiry }, callIdOf(ctx));
      return handOver(options, ask, call);
    });

  add('check_answer', schemas.CHECK_ANSWER, async (args, { call, ctx }) => {
    const { ask_id, reply, wait_ms } = read(schemas.CheckArguments, args, 'check_answer');
    const askId = await askIdFor(backend, ask_id, await backend.unsettled()).catch(async (error: unknown) => {
      await settleEarlier(options, call);
      throw error;
    });
    await settleEarlier(options, call, askId);
    const seen = await backend.look(askId, 0);
    if (reply !== undefined) await postReply(options, seen, reply);
    const ask = reply === undefined ? seen : await backend.look(askId, 0);
    if (ask.mode === 'form' && !ask.answer && session.isHosted) return heldResult(ask);
    return handOver(options, await waitForEnd(options, ask, call, ctx, wait_ms), call);
  });

  addTasks(mcp, options, caller);
  return mcp;
}

/** Refusals that name another way in, in the words of these tools. */
const REWORDED: Record<string, string> = {
  no_parent_session: 'This session has no parent. Ask the person with ask_user.',
};

function questionsIn(args: Arguments, tool: string) {
  const form = readForm(args, { tool, numberIds: tool !== FORM_TOOL });
  if ('code' in form) throw new HoldpointError(form);
  return formQuestions(form);
}

function read<S extends z.ZodType>(schema: S, args: Arguments, tool: string): z.infer<S> {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  throw fail('invalid_request', schemas.problemsOf(result.error, tool));
}

/** What the API knows and this tool cannot honour. */
function refuse(args: Arguments, names: readonly string[], tool: string): void {
  const given = names.find((name) => args[name] !== undefined);
  if (given === undefined) return;
  const instead = given === 'context' ? 'put it into the question, or use ask_user' : 'leave it out';
  throw fail('invalid_request', `${given}: not in ${tool}; ${instead}.`);
}

/** The agent's own name for the call, where its client sends one. */
function callIdOf({ mcpReq }: ServerContext, given?: string): string | undefined {
  const meta = mcpReq._meta ?? {};
  const prefixed = Object.entries(meta).find(([key]) => key.endsWith('/toolUseId'))?.[1];
  const named = [prefixed, meta.tool_use_id, meta.toolUseId, given];
  return named.find((id): id is string => typeof id === 'string' && id.trim() !== '' && id.length <= 256);
}

/** Shown to the model as it is; what a model writes is judged here, with a correction that it can read. */
const anything = (schema: JsonSchemaType) => fromJsonSchema<Arguments>(schema, ACCEPT_ALL);

const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator<T>() {
    return (input): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
