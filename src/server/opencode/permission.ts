// Translates an approval into OpenCode's permission request and its reply into a decision. OpenCode's clients draw known
// permissions from single fields and hide the rest, so a known name is used only where those fields say what would run.
import { ApprovalResolution } from '../../core/answer.ts';
import { canonical } from '../../core/digest.ts';
import { hasHiddenText, suggestMatches } from '../../core/grant-pattern.ts';
import { exactSegments, spelledOut } from '../../core/hidden-characters.ts';
import type { Matches } from '../../core/rule.ts';
import type { ApprovalAskView, ApprovalRequest } from '../../core/views.ts';
import { badRequest } from './errors.ts';
import { messageIdOf, requestIdOf, sessionIdOf } from './ids.ts';
import type { PermissionReply, PermissionRequest } from './protocol.ts';

/** Names that OpenCode's clients draw in a way of their own. */
const DRAWN = new Set(
  'bash edit write patch apply_patch multiedit read glob grep list ls task webfetch websearch codesearch external_directory doom_loop question todowrite todoread skill lsp plan_enter plan_exit'.split(
    ' ',
  ),
);

interface Action {
  permission: string;
  patterns: string[];
  metadata: Record<string, unknown>;
  /** The tool call and its input, as clients show them. */
  tool: string;
  input: Record<string, unknown>;
}

export function permissionOf(ask: ApprovalAskView): PermissionRequest {
  const { ask_id, session_id, tool_call_id, request } = ask;
  const { permission, patterns, metadata } = actionOf(ask);
  return {
    id: requestIdOf('per_', ask_id),
    sessionID: sessionIdOf(session_id),
    permission,
    patterns,
    metadata: { ...metadata, holdpoint: { ask_id, agent: ask.asked_from?.agent, ...request } },
    always: patternsOf(offerOf(request)),
    tool: { messageID: askMessageId(ask), callID: tool_call_id },
  };
}

/** The message that holds the tool call of an ask. */
export const askMessageId = ({ ask_id, created_at_ms }: Pick<ApprovalAskView, 'ask_id' | 'created_at_ms'>): string =>
  messageIdOf(created_at_ms, ask_id);

/** Hidden characters are spelled out: what a terminal client prints is what would run. */
export const visible = (text: string): string => spelledOut(exactSegments(text));

export function actionOf({ request, asked_from }: ApprovalAskView): Action {
  const { tool_name, input, diff, lineage = [], reason, work_folder = asked_from?.work_folder } = request;
  const about = { ...(reason !== '' && { description: visible(reason) }), ...(work_folder && { work_folder }) };
  if (typeof input.command === 'string') {
    const { command, ...others } = input;
    const title = [
      tool_name,
      ...(lineage.length > 0 ? [`for ${lineage.join(' → ')}`] : []),
      ...(work_folder ? [`in ${work_folder}`] : []),
      ...(Object.keys(others).length > 0 ? [`with ${canonical(others)}`] : []),
    ].join(' ');
    const shown = visible(input.command);
    const metadata = { ...about, command: shown };
    const call = { command: shown, description: visible(title) };
    return { permission: 'bash', patterns: [shown], metadata, tool: 'bash', input: call };
  }
  const tool = DRAWN.has(tool_name) ? `tool.${tool_name}` : visible(tool_name);
  const shown = Object.fromEntries(Object.entries(input).map(([key, value]) => [visible(key), shownValue(value)]));
  if (diff !== undefined) {
    const filepath = visible(pathIn(input) ?? tool_name);
    const metadata = { ...about, filepath, diff: visible(diff) };
    return { permission: 'edit', patterns: [filepath], metadata, tool, input: shown };
  }
  return { permission: tool, patterns: [visible(canonical(input))], metadata: about, tool, input: shown };
}

/** As a text: clients leave out objects and lists. */
const shownValue = (value: unknown): string => visible(typeof value === 'string' ? value : canonical(value));

const pathIn = (input: Record<string, unknown>): string | undefined =>
  ['file_path', 'filepath', 'path'].map((key) => input[key]).find((value) => typeof value === 'string');

/** What the reply `always` allows: the narrowest grant that can be named. None for every call of a tool. */
function offerOf(request: ApprovalRequest): Matches | undefined {
  return hasHiddenText(request)
    ? undefined
    : suggestMatches(request).find((matches) => Object.keys(matches).length > 0);
}

/** The patterns of a grant as clients list them: all that it covers, and nothing else. */
function patternsOf(matches: Matches | undefined): string[] {
  if (!matches) return [];
  const [only, ...others] = Object.values(matches);
  if (others.length > 0 || typeof only === 'boolean' || only === undefined) return [visible(canonical(matches))];
  return [only].flat().map(visible);
}

export function decisionOf(
  { ask_id, request }: ApprovalAskView,
  reply: PermissionReply,
  message: string | undefined,
): ApprovalResolution {
  const matches = reply === 'always' ? offerOf(request) : undefined;
  if (reply === 'always' && !matches)
    throw badRequest('This request offers nothing to allow always. Reply "once" or "reject".\n  at ["reply"]');
  const said = message === undefined || message.trim() === '' ? undefined : message;
  const resolution = ApprovalResolution.safeParse({
    request_id: ask_id,
    behavior: reply === 'reject' ? 'deny' : 'allow',
    ...(matches && { always: { scope: 'session', matches } }),
    ...(said !== undefined && (reply === 'reject' ? { reason: said } : { justification: said })),
  });
  if (!resolution.success) throw badRequest(resolution.error.issues[0]?.message ?? 'Invalid reply');
  return resolution.data;
}

/** How it ended, in OpenCode's words: everything but an allow is a rejection. */
export function replyOf({ answer }: Pick<ApprovalAskView, 'answer'>): PermissionReply {
  if (answer?.outcome !== 'answered' || answer.behavior !== 'allow') return 'reject';
  return answer.grant_id !== undefined || answer.suggestion_ids?.length ? 'always' : 'once';
}
