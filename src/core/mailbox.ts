// Defines mail between sessions: kept until the child acknowledges it, or moved to its dead letters with a reason.

export const MESSAGE_TTL_MS = 7 * 24 * 60 * 60 * 1000;
export const MESSAGE_MAX_ATTEMPTS = 3;

export interface Message {
  id: string;
  sessionId: string;
  fromSessionId: string;
  subject: string;
  payload: Record<string, unknown>;
  attempts: number;
  createdAt: number;
  ackedAt: number | undefined;
  deadAt: number | undefined;
  reason: string | undefined;
}
