// The server itself as a reader of its own lists, for metrics and traces. No request has this actor.
import type { Actor } from '../core/token.ts';

export const SYSTEM_READER: Actor = {
  name: 'system',
  person: 'system',
  kind: 'bearer',
  scope: 'viewer',
  tokenId: 'system',
  sessionId: undefined,
  surface: 'system',
};
