// Everything Codex may ask of its host, sorted: what a person decides or answers, what is answered at once, and what is
// refused. Pure. Whatever is not understood is refused, which Codex takes as a no.
import {
  commandApproval,
  consent,
  fileApproval,
  permissionsApproval,
  toolApproval,
  turnOf,
  type WantedApproval,
} from './codex-approvals.ts';
import * as shape from './codex-protocol.ts';
import { ASK_TOOL, askedByTool, formQuestion, toolResult, userInput, type WantedQuestion } from './codex-questions.ts';
import { readForm } from './wire/elicitation.ts';
import type { Incoming } from './wire/jsonrpc.ts';

export type Wanted =
  | WantedApproval
  | WantedQuestion
  | { kind: 'reply'; result: unknown }
  | { kind: 'refuse'; why: string };

/** The item that a request is about, if its beginning was seen. */
export type Seen = (threadId: string, itemId: string) => shape.Item | undefined;
export interface Scene {
  folder: string | undefined;
  item: Seen;
  /** The call of a tool of this MCP server that is under way. */
  toolCall(threadId: string, server: string): shape.Item | undefined;
  nowMs: number;
}

export function wantedBy(request: Incoming, scene: Scene): Wanted {
  const wanted = readers[request.method]?.(request, scene);
  return wanted ?? { kind: 'refuse', why: `Holdpoint does not know how to answer ${request.method}.` };
}

type Reader = (request: Incoming, scene: Scene) => Wanted | undefined;

const readers: Record<string, Reader> = {
  'item/commandExecution/requestApproval': ({ params }) => {
    const read = shape.CommandApproval.safeParse(params);
    return read.success ? commandApproval(read.data) : undefined;
  },
  'item/fileChange/requestApproval': ({ params }, scene) => {
    const read = shape.FileApproval.safeParse(params);
    if (!read.success) return undefined;
    return fileApproval(read.data, scene.item(read.data.threadId, read.data.itemId), scene.folder);
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

function elicitation({ id, params }: Incoming, scene: Scene): Wanted | undefined {
  const read = shape.Elicitation.safeParse(params);
  if (!read.success) return undefined;
  const asked = read.data;
  const name = `elicitation-${id}${turnOf(asked.turnId)}`;
  const meta = shape.ToolApprovalMeta.safeParse(asked._meta);
  if (meta.success) {
    const item = scene.toolCall(asked.threadId, asked.serverName);
    return toolApproval(asked, meta.data, item?.id ? `${item.id}${turnOf(asked.turnId)}` : name, item);
  }
  if (asked.mode === 'url') return consent(asked, name);
  const form = readForm(asked.requestedSchema);
  if (!form) return undefined;
  return Object.keys(form.properties).length === 0 ? consent(asked, name) : formQuestion(asked, form, name);
}
