// Identity: tokens, their scopes, and the actor a token makes of a caller.
import type { Surface } from './ask.ts';

export const SCOPES = ['operator', 'viewer', 'agent', 'worker', 'skill_identity'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Token {
  id: string;
  name: string;
  scope: Scope;
  sessionId: string | undefined;
  hash: string;
  createdAt: number;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
}

/** Who is calling: from the token, never from the body. */
export interface Actor {
  name: string;
  scope: Scope;
  tokenId: string;
  sessionId: string | undefined;
  surface: Surface;
  /** When its token stops being good: what it keeps open ends then too. */
  expiresAt?: number | undefined;
}
