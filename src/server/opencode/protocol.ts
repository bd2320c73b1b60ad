// Declares the messages of OpenCode's HTTP API that this door sends. Field names and their case are OpenCode's. The tests
// compare them with the types of the published SDK.

export const DOOR = '/opencode';
/** The user of HTTP Basic; the password is a token. */
export const DOOR_USER = 'opencode';

export interface PermissionRequest {
  id: string;
  sessionID: string;
  permission: string;
  patterns: string[];
  metadata: Record<string, unknown>;
  always: string[];
  tool: { messageID: string; callID: string };
}

export const PERMISSION_REPLIES = ['once', 'always', 'reject'] as const;
export type PermissionReply = (typeof PERMISSION_REPLIES)[number];

export interface QuestionInfo {
  question: string;
  header: string;
  options: { label: string; description: string }[];
  multiple: boolean;
  custom: boolean;
}

export interface QuestionRequest {
  id: string;
  sessionID: string;
  questions: QuestionInfo[];
}

export interface SessionInfo {
  id: string;
  slug: string;
  projectID: string;
  directory: string;
  parentID?: string;
  title: string;
  agent: string;
  version: string;
  time: { created: number; updated: number };
}

export type SessionStatus = { type: 'busy' } | { type: 'idle' };

interface UserMessage {
  id: string;
  sessionID: string;
  role: 'user';
  time: { created: number };
  agent: string;
  model: { providerID: string; modelID: string };
}

interface AssistantMessage {
  id: string;
  sessionID: string;
  role: 'assistant';
  time: { created: number; completed?: number };
  parentID: string;
  modelID: string;
  providerID: string;
  mode: string;
  agent: string;
  path: { cwd: string; root: string };
  cost: number;
  tokens: { input: number; output: number; reasoning: number; cache: { read: number; write: number } };
}

export type ToolState =
  | { status: 'running'; input: Record<string, unknown>; time: { start: number } }
  | {
      status: 'completed';
      input: Record<string, unknown>;
      output: string;
      title: string;
      metadata: Record<string, unknown>;
      time: { start: number; end: number };
    }
  | { status: 'error'; input: Record<string, unknown>; error: string; time: { start: number; end: number } };

interface PartBase {
  id: string;
  sessionID: string;
  messageID: string;
}
export type Part = PartBase &
  (
    | { type: 'text'; text: string }
    | { type: 'reasoning'; text: string; time: { start: number; end: number } }
    | { type: 'tool'; callID: string; tool: string; state: ToolState }
  );

export interface Message {
  info: UserMessage | AssistantMessage;
  parts: Part[];
}

/** An event as `/event` sends it; `/global/event` wraps it together with its directory. */
export type DoorEvent = { id: string } & (
  | { type: 'server.connected' | 'server.heartbeat'; properties: Record<string, never> }
  | { type: 'permission.asked'; properties: PermissionRequest }
  | { type: 'permission.replied'; properties: { sessionID: string; requestID: string; reply: PermissionReply } }
  | { type: 'question.asked'; properties: QuestionRequest }
  | { type: 'question.replied'; properties: { sessionID: string; requestID: string; answers: string[][] } }
  | { type: 'question.rejected'; properties: { sessionID: string; requestID: string } }
  | { type: 'session.created'; properties: { sessionID: string; info: SessionInfo } }
  | { type: 'session.status'; properties: { sessionID: string; status: SessionStatus } }
  | { type: 'message.updated'; properties: { sessionID: string; info: Message['info'] } }
  | { type: 'message.part.updated'; properties: { sessionID: string; part: Part; time: number } }
);
