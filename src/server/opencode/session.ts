// Translates sessions, thread items and pending asks into OpenCode's sessions and messages. Pure.
import type { ApprovalAskView, ItemView, SessionView } from '../../core/views.ts';
import type { ItemAtCursor } from '../../gateway/thread-items.ts';
import { messageIdOf, partIdOf, sessionIdOf } from './ids.ts';
import { actionOf, askMessageId, replyOf } from './permission.ts';
import type { Message, Part, SessionInfo, ToolState } from './protocol.ts';

/** The folder of a session that has none. */
export const NO_FOLDER = '/';
export const PROJECT = 'global';
export const PROVIDER = 'holdpoint';

/** What is shown of a session. */
export type Conversation = Pick<
  SessionView,
  | 'session_id'
  | 'agent'
  | 'agent_id'
  | 'title'
  | 'work_folder'
  | 'parent_session_id'
  | 'created_at_ms'
  | 'updated_at_ms'
>;

export const folderOf = ({ work_folder }: Pick<SessionView, 'work_folder'>): string =>
  trimmed(work_folder ?? NO_FOLDER);
/** Without the slashes at its end. */
export function trimmed(folder: string): string {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === '/') end -= 1;
  return folder.slice(0, end);
}

export function sessionOf(session: Conversation, version: string): SessionInfo {
  const { session_id, agent, agent_id, title, parent_session_id } = session;
  return {
    id: sessionIdOf(session_id),
    slug: session_id,
    projectID: PROJECT,
    directory: folderOf(session),
    ...(parent_session_id !== undefined && { parentID: sessionIdOf(parent_session_id) }),
    title: title ?? agent_id,
    agent,
    version,
    time: { created: session.created_at_ms, updated: session.updated_at_ms },
  };
}

/** Items that only mark a state of the run. */
const UNSAID = ['turn_end', 'status'];

/** `at`: its instant, never before that of the item before it, so that ids sort as the thread does. */
export function itemMessage(
  session: Conversation,
  { view, place }: ItemAtCursor,
  at: number,
  parentID: string,
): Message | undefined {
  const text = textOf(view);
  const type = view.metadata?.type;
  if (text === '' || UNSAID.includes(String(type))) return undefined;
  const id = messageIdOf(at, `${String(place.seq).padStart(15, '0')}_${place.n}`);
  const base = { id: partIdOf(id), sessionID: sessionIdOf(session.session_id), messageID: id };
  const thought = { type: 'reasoning', text, time: { start: at, end: at } } as const;
  const part: Part = { ...base, ...(type === 'thinking' ? thought : { type: 'text', text }) };
  return { info: infoOf(session, view.author.role, id, at, parentID, at), parts: [part] };
}

function textOf({ content, metadata }: ItemView): string {
  const text = content
    .map((part) => (Object(part) as { text?: unknown }).text)
    .filter((one) => typeof one === 'string')
    .join('\n');
  // The last line of a prompt says how to answer it by text, which these clients cannot.
  return metadata?.type === 'pending_prompt' ? text.slice(0, text.lastIndexOf('\n')) : text;
}

function infoOf(
  session: Conversation,
  role: 'user' | 'worker',
  id: string,
  created: number,
  parentID: string,
  completed?: number,
): Message['info'] {
  const sessionID = sessionIdOf(session.session_id);
  const { agent } = session;
  if (role === 'user')
    return {
      id,
      sessionID,
      role: 'user',
      time: { created },
      agent,
      model: { providerID: PROVIDER, modelID: agent },
    };
  const folder = folderOf(session);
  return {
    id,
    sessionID,
    role: 'assistant',
    time: { created, ...(completed !== undefined && { completed }) },
    parentID,
    modelID: agent,
    providerID: PROVIDER,
    mode: agent,
    agent,
    path: { cwd: folder, root: folder },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  };
}

/** Clients show an action from the input of its tool call, so every approval has one. */
export function askMessage(session: Conversation, ask: ApprovalAskView): Message {
  const id = askMessageId(ask);
  const { tool, input } = actionOf(ask);
  const part: Part = {
    id: partIdOf(id),
    sessionID: sessionIdOf(ask.session_id),
    messageID: id,
    type: 'tool',
    callID: ask.tool_call_id,
    tool,
    state: stateOf(ask, input),
  };
  return { info: infoOf(session, 'worker', id, ask.created_at_ms, '', ask.answer?.answered_at_ms), parts: [part] };
}

function stateOf(ask: ApprovalAskView, input: Record<string, unknown>): ToolState {
  const start = ask.created_at_ms;
  const { answer } = ask;
  if (!answer) return { status: 'running', input, time: { start } };
  const time = { start, end: answer.answered_at_ms };
  if (replyOf(ask) === 'reject')
    return {
      status: 'error',
      input,
      error: `${answer.outcome === 'answered' ? 'Denied' : answer.outcome} by ${answer.answered_by}`,
      time,
    };
  return { status: 'completed', input, output: `Allowed by ${answer.answered_by}`, title: '', metadata: {}, time };
}
