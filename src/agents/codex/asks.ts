// Interprets every request that Codex may send to its client: as an ask for a person, a response that needs none, something
// that cannot be displayed and is therefore declined, or an unsupported method. Pure. Codex takes an error response as a no.
import type { z } from 'zod';
import { canonical } from '../../core/digest.ts';
import { askOfElicitation } from '../kit/elicitation.ts';
import type { Incoming, RequestId } from '../wire/json-rpc.ts';
import { type ApprovalAsk, commandApproval, consent, permissionsApproval, toolApproval } from './approvals.ts';
import { fileApproval } from './file-approval.ts';
import * as shape from './protocol.ts';
import { ASK_TOOL, askToolQuestion, formQuestion, type QuestionAsk, toolResult, userInput } from './questions.ts';

export type Interpretation =
  | ApprovalAsk
  | QuestionAsk
  | { kind: 'response'; result: unknown }
  /** A person could not see what they would allow; `result` declines it. */
  | { kind: 'undisplayable'; reason: string; result: unknown }
  | { kind: 'unsupported'; reason: string };

export interface Surroundings {
  folder: string | undefined;
  /** Items of the thread that have started and not completed. */
  activeItems(threadId: string): readonly shape.Item[];
  /** Distinguishes requests without a turn from those of other processes. */
  connectionId: string;
  nowMs: number;
}

export function interpret(request: Incoming, surroundings: Surroundings): Interpretation {
  const read = Object.hasOwn(interpreters, request.method) ? interpreters[request.method] : undefined;
  const reason = `Holdpoint does not know how to answer ${request.method}.`;
  return read?.(request, surroundings) ?? { kind: 'unsupported', reason };
}

type Interpreter = (request: Incoming, surroundings: Surroundings) => Interpretation | undefined;

/** Requests of another shape than expected are unsupported. */
function reads<T extends z.ZodType>(
  params: T,
  interpretParams: (params: z.infer<T>, surroundings: Surroundings, id: RequestId) => Interpretation | undefined,
): Interpreter {
  return (request, surroundings) => {
    const read = params.safeParse(request.params);
    return read.success ? interpretParams(read.data, surroundings, request.id) : undefined;
  };
}

const interpreters: Record<string, Interpreter> = {
  'item/commandExecution/requestApproval': reads(
    shape.CommandApproval,
    (asked, { activeItems }) =>
      commandApproval(asked, itemOf(asked, activeItems)) ?? undisplayable('Codex did not say what it wants to run.'),
  ),
  'item/fileChange/requestApproval': reads(shape.FileApproval, (asked, { activeItems, folder }) => {
    const approval = fileApproval(asked, itemOf(asked, activeItems), folder);
    return typeof approval === 'string' ? undisplayable(approval) : approval;
  }),
  'item/permissions/requestApproval': reads(shape.PermissionsApproval, permissionsApproval),
  'item/tool/requestUserInput': reads(shape.UserInput, userInput),
  'mcpServer/elicitation/request': reads(shape.Elicitation, elicitation),
  'item/tool/call': reads(shape.DynamicCall, (call) => {
    const refuse = (text: string): Interpretation => ({ kind: 'response', result: toolResult(text, false) });
    if (call.tool !== ASK_TOOL) return refuse('There is no such tool.');
    const expected = '{"questions": [{"question": "…", "options"?: [{"label": "…"}]}]}';
    return askToolQuestion(call) ?? refuse(`The arguments were not understood: give ${expected}.`);
  }),
  'currentTime/read': (_, { nowMs }) => ({ kind: 'response', result: { currentTimeAt: Math.floor(nowMs / 1000) } }),
};

const undisplayable = (reason: string, result: unknown = { decision: 'decline' }): Interpretation => ({
  kind: 'undisplayable',
  reason,
  result,
});

const itemOf = (
  { threadId, itemId }: { threadId: string; itemId: string },
  activeItems: Surroundings['activeItems'],
): shape.Item | undefined => activeItems(threadId).find(({ id }) => id === itemId);

function elicitation(
  asked: z.infer<typeof shape.Elicitation>,
  { activeItems, connectionId }: Surroundings,
  requestId: RequestId,
): Interpretation | undefined {
  const id = shape.idInTurn(`elicitation-${requestId}`, asked.turnId ?? connectionId);
  const meta = shape.ToolApprovalMeta.safeParse(asked._meta);
  if (!meta.success) {
    const ask = askOfElicitation(asked);
    return ask?.kind === 'approval' ? consent(ask, id) : ask && formQuestion(ask, id);
  }
  const [call, ...others] = callsAskedAbout(asked, meta.data, activeItems(asked.threadId));
  if (!call || others.some(({ tool }) => tool !== call.tool))
    return undisplayable(
      `Codex did not say which tool of ${asked.serverName} it wants to use.`,
      shape.elicitationResponse(null),
    );
  // Identical calls ask for the same, and only the request tells them apart.
  if (others.length > 0 || !call.id) return toolApproval(asked, meta.data, id, { ...call, id: undefined });
  return toolApproval(asked, meta.data, shape.idInTurn(call.id, asked.turnId), call);
}

/** The request names no call, only server and arguments, and mostly the tool in its message: all active calls that match. */
function callsAskedAbout(
  { serverName, message }: z.infer<typeof shape.Elicitation>,
  { tool_params }: z.infer<typeof shape.ToolApprovalMeta>,
  activeItems: readonly shape.Item[],
): shape.Item[] {
  const toolName = /to run tool "(.+)"\?$/s.exec(message ?? '')?.[1];
  const params = canonical(tool_params ?? {});
  return activeItems
    .filter(({ type, server }) => type === 'mcpToolCall' && server === serverName)
    .filter(({ tool }) => toolName === undefined || tool === toolName)
    .filter(({ arguments: given }) => canonical(given ?? {}) === params);
}
