// Everything Codex may ask of its host, sorted: what a person decides or answers, what is answered at once, what cannot
// be shown and is therefore not allowed, and what is refused. Pure. Whatever is not understood is refused, which Codex
// takes as a no.
import type { z } from 'zod';
import { canonical } from '../../core/digest.ts';
import { askOfElicitation } from '../kit/elicitation.ts';
import type { Incoming } from '../wire/json-rpc.ts';
import {
  commandApproval,
  consent,
  permissionsApproval,
  toolApproval,
  turnOf,
  type WantedApproval,
} from './approvals.ts';
import { fileApproval } from './file-approval.ts';
import type { Place } from './model-messages.ts';
import * as shape from './protocol.ts';
import { ASK_TOOL, askedByTool, formQuestion, toolResult, userInput, type WantedQuestion } from './questions.ts';

export type Wanted =
  | WantedApproval
  | WantedQuestion
  | { kind: 'reply'; result: unknown }
  /** Nobody could see what would be allowed; `result` says no. */
  | { kind: 'unshown'; why: string; result: unknown }
  | { kind: 'refuse'; why: string };

export interface Scene {
  folder: string | undefined;
  /** Items of this thread that have begun and have not ended. */
  items(threadId: string): readonly shape.Item[];
  /** This conversation with Codex, where a request has no turn that would tell it from one of another conversation. */
  conversation: string;
  nowMs: number;
}

export function wantedBy(request: Incoming, scene: Scene): Wanted {
  const read = Object.hasOwn(readers, request.method) ? readers[request.method] : undefined;
  const wanted = read?.(request, scene);
  return wanted ?? { kind: 'refuse', why: `Holdpoint does not know how to answer ${request.method}.` };
}

/** The turn that waits for it; undefined for a request that is about none of the threads. */
export function placeOf({ params }: Incoming): Place | undefined {
  const { threadId, turnId } = Object(params) as Partial<Record<keyof Place, unknown>>;
  if (typeof threadId !== 'string') return undefined;
  return { threadId, turnId: typeof turnId === 'string' ? turnId : undefined };
}

type Reader = (request: Incoming, scene: Scene) => Wanted | undefined;

const readers: Record<string, Reader> = {
  'item/commandExecution/requestApproval': ({ params }, scene) => {
    const read = shape.CommandApproval.safeParse(params);
    if (!read.success) return undefined;
    return commandApproval(read.data, itemOf(read.data, scene)) ?? unshown('Codex did not say what it wants to run.');
  },
  'item/fileChange/requestApproval': ({ params }, scene) => {
    const read = shape.FileApproval.safeParse(params);
    if (!read.success) return undefined;
    const wanted = fileApproval(read.data, itemOf(read.data, scene), scene.folder);
    return typeof wanted === 'string' ? unshown(wanted) : wanted;
  },
  'item/permissions/requestApproval': ({ params }) => {
    const read = shape.PermissionsApproval.safeParse(params);
    return read.success ? permissionsApproval(read.data) : undefined;
  },
  'item/tool/requestUserInput': ({ params }) => {
    const read = shape.UserInput.safeParse(params);
    return read.success ? userInput(read.data) : undefined;
  },
  'mcpServer/elicitation/request': elicitation,
  'item/tool/call': ({ params }) => {
    const read = shape.DynamicCall.safeParse(params);
    if (!read.success) return undefined;
    if (read.data.tool !== ASK_TOOL) return { kind: 'reply', result: toolResult('There is no such tool.', false) };
    const wrong =
      'The arguments were not understood: give {"questions": [{"question": "…", "options"?: [{"label": "…"}]}]}.';
    return askedByTool(read.data) ?? { kind: 'reply', result: toolResult(wrong, false) };
  },
  'currentTime/read': (_, { nowMs }) => ({ kind: 'reply', result: { currentTimeAt: Math.floor(nowMs / 1000) } }),
};

const unshown = (why: string, result: unknown = { decision: 'decline' }): Wanted => ({ kind: 'unshown', why, result });

const itemOf = ({ threadId, itemId }: { threadId: string; itemId: string }, scene: Scene) =>
  scene.items(threadId).find(({ id }) => id === itemId);

function elicitation({ id, params }: Incoming, scene: Scene): Wanted | undefined {
  const read = shape.Elicitation.safeParse(params);
  if (!read.success) return undefined;
  const asked = read.data;
  const name = `elicitation-${id}${turnOf(asked.turnId ?? scene.conversation)}`;
  const meta = shape.ToolApprovalMeta.safeParse(asked._meta);
  if (meta.success) {
    const [call, ...others] = callsOf(asked, meta.data, scene);
    if (!call || others.some(({ tool }) => tool !== call.tool))
      return unshown(`Codex did not say which tool of ${asked.serverName} it wants to use.`, DECLINED);
    // Calls that are alike in everything have one meaning, and only the request tells them apart.
    if (others.length > 0 || !call.id) return toolApproval(asked, meta.data, name, { ...call, id: undefined });
    return toolApproval(asked, meta.data, `${call.id}${turnOf(asked.turnId)}`, call);
  }
  const wanted = askOfElicitation(asked);
  return wanted?.kind === 'approval' ? consent(wanted, name) : wanted && formQuestion(wanted, name);
}

const DECLINED = { action: 'decline', content: null, _meta: null };

/** The request names no call, only its server and arguments, and mostly its tool: the calls under way that are just so. */
function callsOf(
  { threadId, serverName, message }: z.infer<typeof shape.Elicitation>,
  { tool_params }: z.infer<typeof shape.ToolApprovalMeta>,
  scene: Scene,
): shape.Item[] {
  const named = /to run tool "(.+)"\?$/s.exec(message ?? '')?.[1];
  const given = canonical(tool_params ?? {});
  return scene
    .items(threadId)
    .filter(({ type, server }) => type === 'mcpToolCall' && server === serverName)
    .filter(({ tool }) => named === undefined || tool === named)
    .filter(({ arguments: args }) => canonical(args ?? {}) === given);
}
